// The address bar's fragment: view, device, axis, range, what is pinned. Never a name, a size or a frame.
// Version 1: #v=1&view=timeline&gpu=0&axis=time&by=age&show=segments&x=13300-27700&y=0-1024&span=step,Step 2,14099,26601&stream=0&pool=large,0,0&at=17635&pin=42
//            #v=1&view=state&gpu=0&group=none&sort=free&at=17635&seg=0x7f0818000000&block=0x7f0818000200
import { current, emit, on, store, setView } from './store.js';
import { isWhole, momentOf, setRange } from './sight.js';
import { setDevice } from './files.js';
import { setFilter } from './filter.js';
import { marksText } from './views/compare/compare.js';
import { setBlocks } from './views/state/blocks.js';
import { setShow } from './views/timeline/layers.js';
import { setStacking } from './views/stacking.js';
import { setAxis } from './views/timeline/timeline.js';
import { pinAllocation, setMoment } from './views/pin.js';

const SAVE_AFTER_MS = 300;
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
  if (store.view === 'state') parts.set('at', String(momentOf(sight)));
  else if (sight.selection) parts.set('at', String(sight.selection.moment));
  if (blocks.segment) parts.set('seg', blocks.segment);
  if (blocks.segment && blocks.address) parts.set('block', blocks.address);
  const cmp = marksText();
  if (cmp) parts.set('cmp', cmp);
  if (sight.selection?.kind === 'allocation') parts.set('pin', String(sight.selection.id));
  return `#${parts}`;
}

/** @param {number} x */
const round = (x) => Number(x.toFixed(2));

/** @param {boolean} push a step to go back to */
function save(push) {
  if (restoring || !store.active) return;
  const hash = write();
  if (hash === location.hash) return;
  history[push ? 'pushState' : 'replaceState'](null, '', hash);
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

/** @param {string|null} text moments A and B of this file; what another file was compared with is not kept */
function restoreMarks(text) {
  const sight = current();
  if (!sight || !text) return;
  const [a, b] = text.split(',').map((part) => whole(part, sight.moments));
  sight.marks = { a: a !== null && a >= 0 ? a : null, b: b !== null && b !== undefined && b >= 0 ? b : null };
  emit('matches');
}

/** @param {URLSearchParams} parts */
async function restore(parts) {
  if (parts.get('v') !== '1' || !store.active) return;
  restoring = true;
  try {
    const device = whole(parts.get('gpu'));
    if (device !== null && store.active.opened.devices.some((/** @type {any} */ entry) => entry.device === device)) await setDevice(device);
    await setAxis(parts.get('axis') === 'time' ? 'time' : 'event');
    setStacking(parts.get('by'));
    const view = parts.get('view');
    await setFilter(filterOf(parts));
    setShow(parts.get('show') || 'allocations');
    const group = parts.get('group') === 'none' ? 'none' : 'pool_stream';
    const sort = /** @type {const} */ (['size', 'address', 'free', 'age']).find((each) => each === parts.get('sort')) || 'size';
    const segment = address(parts.get('seg'));
    setBlocks({ group, sort, segment, address: segment && address(parts.get('block')) });
    if (view === 'overview' || view === 'timeline' || view === 'state' || view === 'compare') setView(view);
    restoreMarks(parts.get('cmp'));
    const x = pair(parts.get('x'));
    const y = pair(parts.get('y'));
    if (x) setRange({ x0: x[0], x1: x[1], ...(y ? { y0: y[0], y1: y[1] } : {}) }, spanOf(parts.get('span')));
    const moment = whole(parts.get('at'), current()?.moments);
    const id = whole(parts.get('pin'));
    if (moment === null || moment < 0) return;
    await setMoment(moment, false);
    if (id !== null && id >= 0) await pinAllocation(id, moment);
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
  for (const topic of /** @type {const} */ (['range', 'selection', 'options', 'moment', 'filter', 'matches'])) {
    on(topic, () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => save(false), SAVE_AFTER_MS);
    });
  }
  addEventListener('popstate', () => void restore(fragment()));
}
