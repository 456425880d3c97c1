// What frames the views: which one is shown, tabs, file and device switchers, and the strip while a further file is read.
import { byId, el, icon, setText } from '../dom.js';
import { addCommands, addCommandSource } from '../commands.js';
import { closeFile, setDevice } from '../files.js';
import { formatBytes, formatCount, formatDuration, plural } from '../format.js';
import { framed } from '../frame.js';
import { attachMenu, closeMenu, refreshMenu } from '../menu.js';
import { current, emit, on, setActive, setView, store } from '../store.js';
import { isWhole, momentOf } from '../sight.js';
import { hide as hideTooltip } from '../tooltip.js';
import { stacksOf } from './stacks/wish.js';
import { isLoading, loadingFile, percent, updateLoading } from './start/loading.js';

const VIEWS = ['landing', 'loading', 'overview', 'timeline', 'state', 'stacks', 'allocations', 'compare', 'whatif'];
/** What has the keys once its tab was clicked. @type {Record<string, string>} */
const PICTURES = { timeline: 'timeline-canvas', state: 'state-canvas', stacks: 'stacks-canvas', allocations: 'allocations-rows' };

/** Narrower windows may not have room for all tabs. */
const NARROW_PX = 700;

/** Views with details and a cursor of their own; on the others those of the timeline count. */
const OWN_CURSOR = ['state', 'stacks', 'allocations'];

/** Shows one view and hides the others. */
export function showView() {
  hideTooltip();
  const file = store.active;
  const shown = file ? store.view : loadingFile() ? 'loading' : 'landing';
  if (shown === 'loading') updateLoading();
  for (const view of VIEWS) byId(view).hidden = view !== shown;
  for (const node of document.querySelectorAll('.in-file')) /** @type {HTMLElement} */ (node).hidden = !file;
  // What scripts look for by role is what is seen.
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-of]'))) {
    const seen = (node.dataset.of === 'timeline' && !OWN_CURSOR.includes(shown)) || node.dataset.of === shown;
    if (seen) node.dataset.role = node.matches('.details') ? 'details' : 'cursor';
    else delete node.dataset.role;
  }
  for (const tab of document.querySelectorAll('[role=tab]')) {
    const selected = /** @type {HTMLElement} */ (tab).dataset.view === shown;
    tab.setAttribute('aria-selected', String(selected));
    if (selected && innerWidth < NARROW_PX) tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    tab.setAttribute('tabindex', selected || (shown === 'landing' && /** @type {HTMLElement} */ (tab).dataset.view === 'overview') ? '0' : '-1');
  }
  updateScope();
}

const updateScope = framed(() => {
  const sight = current();
  if (sight) setText(byId('scope'), `${scopeText(sight)}${sight.filter ? ', filtered' : ''}`);
});

/** @param {import('../sight.js').Sight} sight @returns {string} what part of the recording is shown */
function scopeText(sight) {
  if (sight.moments < 2) return 'One moment';
  if (store.active && (['state', 'whatif'].includes(store.view) || (store.view === 'stacks' && stacksOf(sight).weigh === 'alive'))) {
    const moment = momentOf(sight);
    return moment === 0 ? `Before the first of ${plural(sight.moments - 1, 'event')}` : `After event ${formatCount(moment - 1)} of ${formatCount(sight.moments - 1)}`;
  }
  if (sight.span) return `${sight.span.name}, events ${formatCount(sight.span.first)} to ${formatCount(sight.span.last)}`;
  const { x0, x1 } = sight.range;
  const part = sight.axis === 'event'
    ? `Events ${formatCount(Math.floor(x0))} to ${formatCount(Math.max(0, Math.ceil(x1) - 2))}`
    : `${formatDuration(x0)} to ${formatDuration(x1)}`;
  return isWhole(sight) ? `Whole recording, ${plural(sight.moments - 1, 'event')}` : x0 <= 0 && x1 >= sight.moments ? 'Whole recording, part of the bytes' : part;
}

/** @param {import('../store.js').OpenFile} file */
function stateOf(file) {
  if (file.state === 'stopping') return 'Stopping…';
  return file.fresh ? 'ready' : file.state === 'ready' ? '' : `${percent(file)}\u00a0%`;
}

function fileRows() {
  return [
    ...store.files.filter((file) => file.state !== 'failed').map((file) => el('div.menu-row', null,
      el('button.item', { type: 'button', 'aria-current': file === store.active, disabled: file.state !== 'ready', onclick: () => { closeMenu(); setActive(file); } },
        el('b.truncate', null, file.name), el('span', null, stateOf(file) || formatBytes(file.size))),
      el('button.button.quiet.icon-only.small', { type: 'button', 'data-beside': '', 'aria-label': `${file.state === 'ready' ? 'Close' : 'Cancel'} ${file.name}`, onclick: () => closeFile(file) }, icon('close')))),
    el('hr'),
    el('button.item', { type: 'button', onclick: () => { closeMenu(); byId('file-input').click(); } }, 'Open files…', el('kbd', null, 'Ctrl O')),
  ];
}

function deviceRows() {
  const file = store.active;
  return (file ? file.opened.devices : []).map((/** @type {any} */ device) => el('button.item', {
    type: 'button', 'aria-current': device.device === file?.device, onclick: () => { closeMenu(); void setDevice(device.device); },
  }, el('span.device', null, device.label, file?.diagnosis.tones.get(device.device) === 'error' ? el('span.is-error', { title: 'The verdict of this device is an error' }, icon('error'), el('span.visually-hidden', null, ' error')) : null), el('span', null, plural(device.moments - 1, 'event'))));
}

/** @param {import('../store.js').OpenFile|null} file @returns {boolean} whether a device that is not shown has an error */
const otherError = (file) => file !== null && [...file.diagnosis.tones].some(([device, tone]) => tone === 'error' && device !== file.device);

function updateFiles() {
  const file = store.active;
  setText(byId('file-name'), file ? file.name : '');
  setText(byId('file-size'), file ? formatBytes(file.size) : '');
  byId('file-menu').title = store.files.length > 1 ? `${store.files.length} files are open` : file ? file.name : '';
  const device = file?.opened.devices.find((/** @type {any} */ entry) => entry.device === file.device);
  byId('device-menu').hidden = !file || file.opened.devices.length < 2;
  byId('device-name').replaceChildren(device ? device.label : '', ...(otherError(file) ? [el('span.is-error', { title: 'Another device has an error' }, icon('error'), el('span.visually-hidden', null, ' another device has an error'))] : []));
  document.title = file ? `${file.name} – vramscope` : 'vramscope';
  refreshMenu(byId('file-menu'), fileRows);
  updateOpening();
  showView();
}

/** A further file is read while one is open: a thin strip, nothing else changes. */
function updateOpening() {
  const strip = byId('opening');
  const fresh = store.active ? store.files.findLast((each) => each.fresh) : undefined;
  const file = store.active ? store.files.find(isLoading) : undefined;
  strip.hidden = !file && !fresh;
  if (fresh) {
    if (strip.dataset.file === `${fresh.id} ready`) return;
    strip.dataset.file = `${fresh.id} ready`;
    strip.replaceChildren(el('span.truncate', { title: fresh.name }, `${fresh.name} is ready`), el('button.button.small', { type: 'button', onclick: () => setActive(fresh) }, 'Show'),
      el('button.button.quiet.icon-only.small', { type: 'button', 'aria-label': `Not now: leave ${fresh.name} in the list of files`, onclick: () => { fresh.fresh = false; emit('files'); } }, icon('close')));
    return;
  }
  if (!file) {
    strip.replaceChildren();
    delete strip.dataset.file;
    return;
  }
  if (strip.dataset.file !== String(file.id) || !strip.firstChild) {
    strip.dataset.file = String(file.id);
    strip.replaceChildren(el('span.truncate', null, `Opening ${file.name}`), el('span.num'), el('div.progress', { role: 'progressbar', 'aria-label': `Opening ${file.name}`, 'aria-valuemin': 0, 'aria-valuemax': 100 }, el('span')),
      el('button.button.small', { type: 'button', onclick: () => closeFile(file) }, 'Cancel'));
  }
  const [, number, bar, button] = /** @type {HTMLElement[]} */ ([...strip.children]);
  setText(number, `${percent(file)}\u00a0%`);
  bar.setAttribute('aria-valuenow', String(percent(file)));
  /** @type {HTMLElement} */ (bar.firstChild).style.width = `${percent(file)}%`;
  setText(button, file.state === 'stopping' ? 'Stopping…' : 'Cancel');
}

/** Gives the keys to the picture of the view that is shown. */
export function focusPicture() {
  const picture = document.getElementById(PICTURES[store.view] ?? store.view);
  if (picture) picture.focus({ preventScroll: true });
}

export function initShell() {
  attachMenu(byId('file-menu'), fileRows, 'Open files');
  attachMenu(byId('device-menu'), deviceRows, 'Devices');
  on('files', updateFiles);
  on('active', updateFiles);
  on('report', updateFiles);
  on('view', showView);
  for (const topic of /** @type {const} */ (['range', 'options', 'moment', 'cursor', 'filter'])) on(topic, updateScope);
  const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[role=tab]')]);
  for (const [index, tab] of tabs.entries()) {
    const view = /** @type {import('../store.js').View} */ (tab.dataset.view);
    tab.addEventListener('click', (event) => {
      setView(view);
      // Who came by mouse wants the keys of the picture next, not those of the tabs.
      if (event.detail > 0 && PICTURES[view]) document.getElementById(PICTURES[view])?.focus({ preventScroll: true });
    });
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step || event.altKey) return;
      event.preventDefault();
      const next = tabs[(index + step + tabs.length) % tabs.length];
      setView(/** @type {import('../store.js').View} */ (next.dataset.view));
      next.focus();
    });
    addCommands([{ title: tab.textContent || view, group: 'Views', keys: [`Digit${index + 1}`], shown: [String(index + 1)], run: () => (store.active ? setView(view) : false) }]);
  }
  addCommandSource(() => [
    ...store.files.filter((file) => file !== store.active && file.state === 'ready').map((file) => ({ title: `Show ${file.name}`, group: 'Files', keys: [], shown: [], run: () => setActive(file) })),
    ...(store.active?.opened.devices || []).filter((/** @type {any} */ device) => device.device !== store.active?.device).map((/** @type {any} */ device) => ({ title: `Show ${device.label}`, group: 'Files', keys: [], shown: [], run: () => void setDevice(device.device) })),
    ...store.files.map((file) => ({ title: `${file.state === 'ready' ? 'Close' : 'Cancel'} ${file.name}`, group: 'Files', keys: [], shown: [], run: () => closeFile(file) })),
  ]);
  const home = () => {
    if (store.active) setView('landing');
    emit('files');
  };
  byId('brand').addEventListener('click', (event) => {
    event.preventDefault();
    home();
  });
  addCommands([{ title: 'Start page', group: 'Page', keys: [], shown: [], run: home }]);
}
