// What is open and what is shown. Modules change it through the functions here and listen to the topics below.

/**
 * @typedef {'files'|'active'|'device'|'view'|'range'|'cursor'|'selection'|'picture'|'options'|'theme'|'check'|'figures'|'moment'|'filter'|'blocks'|'hover'|'labels'|'diagnosis'|'report'|'period'|'matches'|'chosen'|'table'|'tree'|'compare'|'whatif'} Topic
 * files: the list or a progress changed · active: another file or device is shown · view: another tab · range: the shown part of the timeline
 * cursor: the moment shown · selection: what is pinned · picture: a new sharp picture came · options: axis, stacking · theme: colours changed
 * check: the allocator model is checked further · figures: all figures are to be asked for anew · moment: the one that all views share · filter: what is left out · blocks: a new picture of the allocator's state came · hover: another block is under the pointer
 * labels: categories, steps and phases have come or changed ·  diagnosis: it has come further · report: what it says is there, or refined · period: another step or phase is under the pointer
 * compare: something else is compared · whatif: something was simulated, or is chosen · tree: a new picture of stacks came · matches: the filter's expression, or what is known of it, has changed · chosen: it chooses something else · table: other allocations, another order or other groups of their table
 */

/** @type {Map<Topic, (() => void)[]>} */
const listeners = new Map();

/**
 * @param {Topic} topic
 * @param {() => void} listener
 */
export function on(topic, listener) {
  listeners.set(topic, [...(listeners.get(topic) || []), listener]);
}

/** @type {(fault: unknown) => void} says that vramscope itself has failed; set by app.js */
let reportFault = () => {};

/** @param {(fault: unknown) => void} report */
export function setFaultReport(report) {
  reportFault = report;
}

/** One listener that fails must not keep the others from hearing. @param {Topic} topic */
export function emit(topic) {
  for (const listener of listeners.get(topic) || []) {
    try {
      listener();
    } catch (fault) {
      console.error(fault);
      reportFault(fault);
    }
  }
}

/**
 * @typedef {object} OpenFile
 * @property {number} id
 * @property {string} name
 * @property {number} size
 * @property {Blob} blob
 * @property {boolean} sample
 * @property {string} [source] where it came from, if the page's address said so
 * @property {boolean} fresh ready, but not looked at yet: it came while another file was in use
 * @property {'loading'|'drawing'|'ready'|'stopping'|'failed'} state
 * @property {{bytes: number, total: number, events: number, stacks: number, ms: number, drawing: boolean}} progress
 * @property {{checked: number, events: number, done: boolean, seen: boolean}} check of the allocator model; seen: the first picture is on the screen
 * @property {{stage: string, stages: number, done: boolean, labelled: boolean, tones: Map<number, string>}} diagnosis how far it has come: the last of so many
 *   stages; labelled: categories, steps and phases are there; tones: how bad it is, by device
 * @property {any[]} advice what the file says of how it was recorded
 * @property {number} since when it was handed over, in ms
 * @property {import('./client.js').Client} client
 * @property {any} opened the worker's `opened`
 * @property {number} device the ordinal shown
 * @property {Map<number, import('./sight.js').Sight>} sights one for each device
 */

/** @typedef {'landing'|'overview'|'timeline'|'state'|'stacks'|'allocations'|'compare'|'whatif'} View */
/** @type {{files: OpenFile[], active: OpenFile|null, view: View, dialog: boolean}} dialog: one about an error is open or waits */
export const store = { files: [], active: null, view: 'overview', dialog: false };

/** @returns {import('./sight.js').Sight|null} what is shown of the active file's device */
export function current() {
  const file = store.active;
  return (file && file.sights.get(file.device)) || null;
}

/** @param {View} view */
export function setView(view) {
  if (store.view === view) return;
  store.view = view;
  emit('view');
}

/** @param {OpenFile|null} file */
export function setActive(file) {
  store.active = file;
  if (file) file.fresh = false;
  if (file && store.view === 'landing') store.view = 'overview';
  emit('active');
  emit('files');
}

/** Keeps `body[data-state]` what the contract says. */
export function updateState() {
  const loading = store.files.some((file) => file.state !== 'ready' && file.state !== 'failed');
  document.body.dataset.state = store.dialog ? 'error' : store.active ? 'ready' : loading ? 'loading' : 'empty';
}
on('files', updateState);
on('active', updateState);
