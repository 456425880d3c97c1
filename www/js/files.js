// The open files: each has its own worker, from the moment it is handed over until it is closed.
import { announce } from './dom.js';
import { store, emit, setActive, updateState } from './store.js';
import { Client } from './client.js';
import { diagnosed, diagnosedBefore } from './report.js';
import { ready } from './platform.js';
import { makeSight, readLabels } from './sight.js';
import { showReadError, showDeath } from './errors.js';

let nextId = 1;
/** When the open file was last touched by hand or key, in ms. */
let touched = 0;
/** @typedef {(file: import('./store.js').OpenFile) => Promise<void>} Draw */
/** @type {(draw: Draw) => void} */
let viewsAreHere = () => {};
/** @type {Promise<Draw>} draws the first picture, once the views are here: a file may be quicker than their script */
const firstPicture = new Promise((resolve) => {
  viewsAreHere = resolve;
});

/** @param {Draw} draw the views are here, and this draws the first picture */
export function setFirstPicture(draw) {
  viewsAreHere(draw);
}

/** @type {(file: import('./store.js').OpenFile) => void} sends what a worker must know before it is asked; set by app.js */
let tellOpened = () => {};

/** @param {(file: import('./store.js').OpenFile) => void} tell */
export function onOpened(tell) {
  tellOpened = tell;
}

/**
 * @param {Iterable<{name: string, blob: Blob}>} picked
 * @param {boolean} [sample]
 */
export function openFiles(picked, sample = false) {
  const all = [...picked];
  // Sizes and times are written by the page's wasm, which a quick hand may be ahead of. If it does not come, app.js says so.
  void ready().then(() => { for (const { name, blob } of all) openFile(name, blob, sample); }, () => {});
}

/**
 * Opens a file whose bytes are still to come.
 * @param {string} name
 * @param {string} source where they come from: part of the page's address
 * @param {(tell: (bytes: number, total: number) => boolean) => Promise<Blob>} load
 */
export async function openLater(name, source, load) {
  const file = openFile(name, null, false);
  file.source = source;
  const tell = (/** @type {number} */ bytes, /** @type {number} */ total) => {
    Object.assign(file.progress, { bytes, total, ms: performance.now() - file.since });
    file.size = total;
    emit('files');
    return store.files.includes(file);
  };
  try {
    file.blob = await load(tell);
    file.size = file.blob.size;
    if (store.files.includes(file) && !isStopping(file)) void file.client.open(file.blob, name);
  } catch (reason) {
    if (store.files.includes(file)) failed(file, reason);
  }
}

/**
 * @param {string} name
 * @param {Blob|null} data null: they are still to come
 * @param {boolean} sample
 */
function openFile(name, data, sample) {
  const blob = data || new Blob([]);
  performance.mark('vramscope:open');
  /** @type {import('./store.js').OpenFile} */
  const file = {
    id: nextId, name, size: blob.size, blob, sample, fresh: false, state: 'loading', since: performance.now(), opened: null, device: 0, sights: new Map(),
    progress: { bytes: 0, total: blob.size, events: 0, stacks: 0, ms: 0, drawing: false }, check: { checked: 0, events: 0, done: false, seen: false },
    diagnosis: { stage: '', stages: 0, done: false, labelled: false, tones: new Map() }, advice: [],
    client: new Client({
      progress: (message) => {
        Object.assign(file.progress, message);
        emit('files');
      },
      building: () => {
        file.progress.drawing = true;
        file.progress.ms = performance.now() - file.since;
        emit('files');
      },
      opened: (message) => void opened(file, message),
      diagnosing: ({ stage, stages }) => {
        Object.assign(file.diagnosis, { stage, stages });
        if (store.active === file) emit('diagnosis');
      },
      labelled: () => void labelled(file),
      diagnosed: () => void diagnosed(file),
      checking: ({ checked, events }) => {
        Object.assign(file.check, { checked, events });
        if (store.active === file) emit('check');
      },
      checked: (summary) => void checked(file, summary),
      failed: (error) => failed(file, error),
      died: (message, wasmBytes) => died(file, message, wasmBytes),
    }),
  };
  nextId += 1;
  store.files.push(file);
  emit('files');
  if (data) void file.client.open(blob, name);
  return file;
}

/**
 * @param {import('./store.js').OpenFile} file
 * @param {any} message
 */
async function opened(file, message) {
  if (file.state === 'stopping') return;
  file.opened = message.opened;
  tellOpened(file);
  file.state = 'drawing';
  emit('files');
  const device = await firstDevice(file);
  if (device === null) {
    died(file, 'no device of this file can be shown', file.client.wasmBytes);
    return;
  }
  file.device = device;
  await (await firstPicture)(file);
  if (!store.files.includes(file) || isStopping(file)) return;
  file.state = 'ready';
  // Whoever is at work on another file is not torn away from it.
  file.fresh = store.active !== null && touched > file.since;
  if (file.fresh) {
    announce(`${file.name} is ready`);
    emit('files');
  } else setActive(file);
  requestAnimationFrame(() => {
    performance.mark('vramscope:first-paint');
    file.check.seen = true;
    markReady(file);
  });
}

/** Every view can answer, exactly. @param {import('./store.js').OpenFile} file */
function markReady(file) {
  if (file.check.done && file.check.seen) performance.mark('vramscope:ready', { detail: { wasmBytes: file.client.wasmBytes } });
}

/**
 * The allocator model is checked: figures are final, and everything shown is asked for anew.
 * @param {import('./store.js').OpenFile} file
 * @param {any} summary null: this reader has no model
 */
async function checked(file, summary) {
  if (summary) {
    file.opened.summary = summary;
    await Promise.all([...file.sights.values()].map((sight) => refreshSight(sight, summary)));
  }
  file.check.done = true;
  if (store.active === file) {
    emit('check');
    if (summary) emit('figures');
  }
  markReady(file);
}

/** What depends on categories, steps and phases is shown anew. @param {import('./store.js').OpenFile} file */
export async function labelled(file) {
  file.diagnosis.labelled = true;
  await Promise.all([...file.sights.values()].map(readLabels));
  if (file.diagnosis.done) await diagnosed(file);
  if (store.active !== file) {
    emit('files'); // a comparison may show it
    return;
  }
  for (const topic of /** @type {const} */ (['labels', 'options', 'figures'])) emit(topic);
}

/**
 * @param {import('./sight.js').Sight} sight
 * @param {any} summary
 */
async function refreshSight(sight, summary) {
  sight.figures = summary.devices.find((/** @type {any} */ entry) => entry.device === sight.device) || sight.figures;
  sight.overview = (await sight.client.ask({ ask: 'overview', device: sight.device })) || sight.overview;
}

/** @param {import('./store.js').OpenFile} file asked anew after each wait */
const isStopping = (file) => file.state === 'stopping';

/**
 * @param {import('./store.js').OpenFile} file
 * @returns {Promise<number|null>} the default device, or the first of the others that can be shown
 */
async function firstDevice(file) {
  const wanted = file.opened.default_device;
  const others = file.opened.devices.map((/** @type {any} */ entry) => entry.device).filter((/** @type {number} */ device) => device !== wanted);
  for (const device of [wanted, ...others]) if (await prepareDevice(file, device)) return device;
  return null;
}

/**
 * @param {import('./store.js').OpenFile} file
 * @param {number} device
 * @returns {Promise<boolean>} whether it can be shown
 */
async function prepareDevice(file, device) {
  if (file.sights.has(device)) return true;
  const known = (/** @type {any} */ entry) => entry.device === device;
  const entry = file.opened.devices.find(known);
  const overview = entry && file.opened.summary.devices.some(known) ? await file.client.ask({ ask: 'overview', device }) : null;
  const figures = file.opened.summary.devices.find(known); // as they are now: they may have been checked meanwhile
  if (overview && !file.sights.has(device)) {
    const sight = makeSight(file.client, entry, figures, overview);
    if (file.diagnosis.labelled) await readLabels(sight);
    file.sights.set(device, sight);
    // They may have come meanwhile.
    if (file.diagnosis.labelled && !sight.composition) await readLabels(sight);
    await diagnosedBefore(file, sight);
  }
  return overview !== null;
}

/** @param {number} device shows another device of the active file */
export async function setDevice(device) {
  const file = store.active;
  if (!file || file.device === device) return;
  if (!(await prepareDevice(file, device)) || store.active !== file) return;
  file.device = device;
  emit('active');
}

/**
 * @param {import('./store.js').OpenFile} file
 * @param {any} error
 */
function failed(file, error) {
  if (isStopping(file)) return;
  if (error.readable) file.state = 'failed';
  else remove(file);
  emit('files');
  showReadError(file, error, {
    readable: () => {
      file.state = 'loading';
      file.since = performance.now();
      file.progress.drawing = true;
      file.client.openReadable();
    },
    dismissed: () => remove(file),
  });
}

/**
 * @param {import('./store.js').OpenFile} file
 * @param {string} message
 * @param {number} wasmBytes
 */
function died(file, message, wasmBytes) {
  const cancelled = isStopping(file);
  remove(file);
  if (cancelled) return;
  showDeath(file, message, wasmBytes, () => openFile(file.name, file.blob, file.sample));
}

/** @param {import('./store.js').OpenFile} file */
function remove(file) {
  file.client.stop();
  store.files = store.files.filter((other) => other !== file);
  if (store.active === file) setActive(store.files.findLast((other) => other.state === 'ready') || null);
  else emit('files');
}

/** @param {import('./store.js').OpenFile} file stops reading, or closes what is open */
export function closeFile(file) {
  if (file.state === 'ready') {
    remove(file);
    return;
  }
  file.state = 'stopping';
  emit('files');
  updateState();
  // The word is on the screen before the worker's memory is given back, which may take a moment.
  setTimeout(() => remove(file), 120);
}

/** @param {Event} event */
function touch(event) {
  const { target } = event;
  const modifier = event instanceof KeyboardEvent && ['Control', 'Shift', 'Alt', 'Meta'].includes(event.key);
  if (!store.active || store.view === 'landing' || modifier) return;
  if (!(target instanceof Element && target.closest('dialog, .menu, .app-bar'))) touched = event.timeStamp;
}

/** Notes when the person works on the file that is shown. */
export function initFiles() {
  for (const type of ['pointerdown', 'wheel', 'keydown']) addEventListener(type, touch, { capture: true, passive: true });
}
