// The address bar's fragment: view, device, axis, range, what is pinned, and what the user typed. Never a name, a size or a frame of the file.
// Other views add their own: see address.js.
// Version 1: #v=1&view=timeline&gpu=0&axis=time&by=age&show=segments&x=13300-27700&y=0-1024&span=step,Step 2,14099,26601&stream=0&pool=large,0,0&at=17635&pin=42
//            #v=1&view=compare&ab=1f0c22e9.0.peak,9d31a07b.0.m1979&align=time&ranks=0
//            #v=1&view=whatif&set=max_split_size_mb:64&limit=25769803776&at=17635
//            #v=1&view=state&gpu=0&group=none&sort=free&at=17635&seg=0x7f0818000000&block=0x7f0818000200
import { addressParts } from './address.js';
import { addCommands } from './commands.js';
import { announce } from './dom.js';
import { current, on, setActive, setView, store } from './store.js';
import { isWhole, momentOf, setRange, showWhole } from './sight.js';
import { setDevice } from './files.js';
import { setExpression, setOnly } from './expression.js';
import { setFilter } from './filter.js';
import { setBlocks } from './views/state/blocks.js';
import { setShow } from './views/timeline/layers.js';
import { setStacking } from './views/stacking.js';
import { setAxis } from './views/timeline/timeline.js';
import { letGo, pinAllocation, setMoment } from './views/pin.js';

/** Those that an address may name. */
const VIEWS = ['overview', 'timeline', 'state', 'stacks', 'allocations', 'compare', 'whatif'];
/** Views that show a moment, whatever is pinned. */
const OF_A_MOMENT = ['state', 'stacks', 'allocations', 'compare', 'whatif'];
const SAVE_AFTER_MS = 300;
/** What follows the last change sooner is one step with it: nobody goes back through each frame of a gesture. */
const ONE_STEP_MS = 1000;
/** Longer expressions are refused anyway. */
const MAX_EXPRESSION = 4000;
let timer = 0;
let restoring = false;
/** @type {URLSearchParams|null} what the address asked for before any file was open */
let wanted = null;

/** @returns {string} */
function write() {
  const sight = current();
  const file = store.active;
  if (!sight || !file) return '';
  const parts = new URLSearchParams({ v: '1', view: store.view, gpu: String(file.device) });
  if (sight.axis === 'time') parts.set('axis', 'time');
  if (sight.chosen) parts.set('by', sight.chosen);
  const { x0, x1, y0, y1 } = sight.range;
  if (!isWhole(sight)) {
    parts.set('x', `${round(x0)}-${round(x1)}`);
    parts.set('y', `${Math.round(y0)}-${Math.round(y1)}`);
  }
  if (sight.span) parts.set('span', [sight.span.kind, sight.span.name, sight.span.first, sight.span.last].join());
  if (sight.show !== 'allocations') parts.set('show', sight.show);
  const { filter, blocks } = sight;
  if (filter?.stream !== undefined) parts.set('stream', filter.stream);
  if (filter?.kind !== undefined || filter?.pool) parts.set('pool', [filter.kind ?? '', ...(filter.pool || [])].join(','));
  if (blocks.group !== 'pool_stream') parts.set('group', blocks.group);
  if (blocks.sort !== 'size') parts.set('sort', blocks.sort);
  if (sight.expression.trim()) parts.set('expr', sight.expression.trim());
  if (sight.only) parts.set('only', '1');
  for (const part of addressParts) part.write(parts, sight);
  if (OF_A_MOMENT.includes(store.view)) parts.set('at', String(momentOf(sight)));
  else if (sight.selection) parts.set('at', String(sight.selection.moment));
  if (blocks.segment) parts.set('seg', blocks.segment);
  if (blocks.segment && blocks.address) parts.set('block', blocks.address);
  if (sight.selection?.kind === 'allocation') parts.set('pin', String(sight.selection.id));
  if (file.source) parts.set('src', file.source);
  return `#${parts}`;
}

/** @param {number} x */
const round = (x) => Number(x.toFixed(2));

/** How many steps of ours lie behind the one that is shown, and before it; and when the last was made. */
const steps = { at: 0, last: 0, saved: 0 };
/** @type {Map<number, Element>} what had the focus as each step was left */
const focused = new Map();

/** @param {boolean} push a step to go back to */
function save(push) {
  if (restoring || !store.active) return;
  const hash = write();
  if (hash === location.hash) return;
  const now = performance.now();
  // Before the first there is nothing to go back to.
  const isStep = location.hash !== '' && (push || now - steps.saved > ONE_STEP_MS);
  steps.saved = push ? -Infinity : now; // what follows another view is a step of its own
  if (!isStep) {
    history.replaceState({ at: steps.at, file: store.active.id }, '', hash);
    return;
  }
  steps.last = steps.at += 1;
  history.pushState({ at: steps.at, file: store.active.id }, '', hash);
}

/** The focus goes back to where it was. @param {number} from @param {number} to steps */
function moveFocus(from, to) {
  if (document.activeElement && document.activeElement !== document.body) focused.set(from, document.activeElement);
  const before = /** @type {HTMLElement|undefined} */ (focused.get(to));
  if (before?.isConnected && before.checkVisibility()) before.focus({ preventScroll: true });
  else if (!document.activeElement?.checkVisibility()) /** @type {HTMLElement|null} */ (document.querySelector(`[role=tab][data-view=${store.view}]`))?.focus();
}

/** The keys never leave the page: what was opened would be lost. @param {number} by */
function go(by) {
  if (!store.active) return false;
  const to = steps.at + by;
  if (to < 0 || to > steps.last) announce(by < 0 ? 'Nothing was shown before this' : 'Nothing was shown after this');
  else history.go(by);
  return true;
}

/**
 * @param {string|null} text
 * @param {number} [end] the first number that is too large
 * @returns {number|null} a whole number that can be meant
 */
function whole(text, end = Number.MAX_SAFE_INTEGER) {
  const number = /^-?\d{1,15}$/.test(text || '') ? Number(text) : NaN;
  return number < end ? number : null;
}

/** @param {string|null} text `from-to` @returns {[number, number]|null} */
function pair(text) {
  const found = /^([\d.]+)-([\d.]+)$/.exec(text || '');
  if (!found) return null;
  const [from, to] = [Number(found[1]), Number(found[2])];
  return Number.isFinite(from) && to > from ? [from, to] : null;
}

/** @param {string|null} text @returns {string|null} an address that can be meant */
const address = (text) => (/^0x[0-9a-f]{1,16}$/.test(text || '') ? text : null);

/** @param {string|null} text @returns {import('./sight.js').Span|null} a step or a phase, called as we call them */
function spanOf(text) {
  const found = /^(step|phase),((?:Step \d{1,7})?(?:, )?(?:[A-Z]?[a-z]+(?: grad)?)?),(\d{1,10}),(\d{1,10})$/.exec(text || '');
  const [first, last] = found ? [Number(found[3]), Number(found[4])] : [0, 0];
  return found && first <= last && last < (current()?.moments ?? 0) ? { kind: /** @type {'step'} */ (found[1]), name: found[2], first, last } : null;
}

/** @param {URLSearchParams} parts @returns {import('./sight.js').Filter|null} */
function filterOf(parts) {
  const stream = /^(0|0x[0-9a-f]{1,16})$/.test(parts.get('stream') || '') ? parts.get('stream') : null;
  const pool = /^(small|large)?(?:,(\d{1,15}),(\d{1,15}))?$/.exec(parts.get('pool') || '');
  const filter = {
    ...(stream === null ? {} : { stream }), ...(pool?.[1] ? { kind: /** @type {'small'} */ (pool[1]) } : {}),
    ...(pool?.[2] ? { pool: /** @type {[number, number]} */ ([Number(pool[2]), Number(pool[3])]) } : {}),
  };
  return Object.keys(filter).length ? filter : null;
}

/**
 * @param {URLSearchParams} parts
 * @param {number} [id] of the file that was shown
 */
async function restore(parts, id) {
  if (parts.get('v') !== '1' || !store.active) return;
  restoring = true;
  try {
    const file = store.files.find((each) => each.id === id && each.state === 'ready');
    if (file && file !== store.active) setActive(file);
    // Only somebody who goes back means the start page.
    if (file && parts.get('view') === 'landing') setView('landing');
    const device = whole(parts.get('gpu'));
    if (device !== null && store.active.opened.devices.some((/** @type {any} */ entry) => entry.device === device)) await setDevice(device);
    await setAxis(parts.get('axis') === 'time' ? 'time' : 'event');
    setStacking(parts.get('by'));
    const view = parts.get('view');
    await setFilter(filterOf(parts));
    setExpression((parts.get('expr') || '').slice(0, MAX_EXPRESSION));
    await setOnly(parts.get('only') === '1');
    setShow(parts.get('show') || 'allocations');
    const group = parts.get('group') === 'none' ? 'none' : 'pool_stream';
    const sort = /** @type {const} */ (['size', 'address', 'free', 'age']).find((each) => each === parts.get('sort')) || 'size';
    const segment = address(parts.get('seg'));
    setBlocks({ group, sort, segment, address: segment && address(parts.get('block')) });
    const sight = current();
    if (sight) for (const part of addressParts) await part.read(parts, sight);
    if (VIEWS.some((each) => each === view)) setView(/** @type {import('./store.js').View} */ (view));
    const x = pair(parts.get('x'));
    const y = pair(parts.get('y'));
    if (x) setRange({ x0: x[0], x1: x[1], ...(y ? { y0: y[0], y1: y[1] } : {}) }, spanOf(parts.get('span')));
    else showWhole();
    const moment = whole(parts.get('at'), current()?.moments);
    const pin = whole(parts.get('pin'));
    if (pin === null) letGo();
    if (moment === null || moment < 0) return;
    await setMoment(moment, false);
    if (pin !== null && pin >= 0) await pinAllocation(pin, moment);
  } finally {
    restoring = false;
  }
}

/** @returns {URLSearchParams} */
const fragment = () => new URLSearchParams(location.hash.slice(1));

export function initUrl() {
  if (location.hash) wanted = fragment();
  on('active', () => {
    if (!store.active) {
      if (location.hash) history.replaceState(null, '', location.pathname + location.search);
      return;
    }
    const parts = wanted;
    wanted = null;
    if (parts) void restore(parts).then(() => save(false));
    else save(false);
  });
  on('view', () => save(true));
  for (const topic of /** @type {const} */ (['range', 'selection', 'options', 'moment', 'filter', 'matches', 'table', 'tree', 'compare', 'whatif'])) {
    on(topic, () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => save(false), SAVE_AFTER_MS);
    });
  }
  // The element that led away has the focus before the view changes.
  addEventListener('click', () => document.activeElement && focused.set(steps.at, document.activeElement), { capture: true });
  addEventListener('keydown', () => document.activeElement && focused.set(steps.at, document.activeElement), { capture: true });
  addEventListener('popstate', (event) => {
    const [from, to] = [steps.at, Number(event.state?.at) || 0];
    steps.at = to;
    clearTimeout(timer);
    void restore(fragment(), event.state?.file).then(() => {
      steps.saved = performance.now(); // what follows from it is no further step
      moveFocus(from, to);
    });
  });
  addCommands([
    { title: 'Back to what was shown before', group: 'Page', keys: ['Alt+ArrowLeft'], shown: ['Alt ←'], always: true, run: () => go(-1) },
    { title: 'Forward again', group: 'Page', keys: ['Alt+ArrowRight'], shown: ['Alt →'], always: true, run: () => go(1) },
  ]);
}
