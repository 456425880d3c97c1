// The strip over the picture: legend and value at the cursor in one, in the order of the stack, top to bottom.
import { announce, byId, el, setText } from '../dom.js';
import { exactBytes, formatBytes, formatBytesGroup, formatCount, formatDuration, plural, shortPath, splitUnit, swatch } from '../format.js';
import { current, on, store } from '../store.js';
import { term } from '../tooltip.js';

/** Names that say nothing: the place says more. */
const GENERIC = new Set(['forward', 'backward', 'wrapper', 'wrapped', '<module>', '<lambda>', '__call__', '__init__', '_call_impl', 'inner', 'to', 'apply', 'run', 'main', 'f']);
const ANNOUNCE_AFTER_MS = 500;
let timer = 0;

/**
 * @param {{name: string, at: string|null}} entry
 * @param {{name: string}[]} others of the same legend
 */
function shortName(entry, others) {
  const alike = others.filter((other) => other.name === entry.name).length > 1;
  return (alike || GENERIC.has(entry.name)) && entry.at ? shortPath(entry.at) : entry.name;
}

/**
 * Colours of pools: two for the common ones, five in turn for private ones, which the details name.
 * @param {any[]} pools of the choices
 * @returns {[number, string][]}
 */
function poolLegend(pools) {
  const common = (/** @type {any} */ pool) => pool.pool[0] === 0 && pool.pool[1] === 0;
  /** @type {[number, string][]} */
  const shown = [[0, 'Large pool'], [1, 'Small pool']];
  return pools.every(common) ? shown : [...shown, [2, 'Private pools, five colours in turn']];
}

/** @typedef {{value: Node, name: Node|string, title: string, swatch: Node|null, bytes: (probe: any) => number|null}} Cell value: the number's element, of which only the text changes */
/** @type {{sight: any, legend: any, show: string, pools: any, at: HTMLElement, cells: Cell[]}|null} what stands there: built once for each legend */
let built = null;

/**
 * @param {string} title
 * @param {Node|null} swatch
 * @param {Node|string} name
 * @param {(probe: any) => number|null} bytes
 * @returns {Cell}
 */
const cell = (title, swatch, name, bytes) => ({ value: el('b'), title, swatch, name, bytes });

/** @param {import('../sight.js').Sight} sight */
function build(sight) {
  // In another layer colours stand for pools.
  const own = sight.show === 'allocations';
  const pools = own ? [] : poolLegend(sight.choices?.pools || []);
  const legend = !own ? [] : [...sight.overview.legend].filter((entry) => entry.slot < 7).sort((a, b) => b.slot - a.slot);
  const cells = [
    cell('', el('span.swatch.line.c-reserved', { 'aria-hidden': 'true' }), term('reserved'), (probe) => probe.reserved_bytes),
    cell('', null, term('requested'), (probe) => probe.requested_bytes),
    ...(own ? [cell('All stacks that have no colour of their own', swatch(7), 'All others', (probe) => probe.slots[7] + probe.slots[8])] : []),
    ...legend.map((entry) => cell(entry.at ? `${entry.name}\n${entry.at}` : entry.name, swatch(entry.slot), shortName(entry, legend), (probe) => probe.slots[entry.slot])),
  ];
  const at = el('span.at');
  byId('readout').replaceChildren(at,
    ...cells.map(({ value, title, swatch: mark, name }) => el('span.tag', { title: title || null }, mark, el('span.name.truncate', null, name), value)),
    ...pools.map(([slot, label]) => el('span.tag', null, swatch(slot), el('span.name.truncate', null, label))));
  return { sight, legend: sight.overview.legend, show: sight.show, pools: sight.choices?.pools, at, cells };
}

/** @param {import('../sight.js').Sight} sight */
function update(sight) {
  const { probe } = sight;
  if (store.active && store.view === 'state') return; // the other view that follows the moment
  if (!probe) {
    byId('readout').replaceChildren();
    built = null;
    return;
  }
  if (!built || built.sight !== sight || built.legend !== sight.overview.legend || built.show !== sight.show || built.pools !== sight.choices?.pools) built = build(sight);
  // One unit for all, as many decimals as each needs beside the largest: widths hardly change under a moving pointer.
  const bytes = built.cells.map((each) => each.bytes(probe));
  const most = Math.max(...bytes.map((each) => each ?? 0));
  const shared = splitUnit(formatBytes(most))[1];
  setText(built.at, `${momentText(sight, probe)}, ${shared}`);
  for (const [index, { value }] of built.cells.entries()) tell(/** @type {HTMLElement} */ (value), bytes[index], most, shared);
}

/**
 * @param {HTMLElement} node
 * @param {number|null} bytes null: not known
 * @param {number} most
 * @param {string} shared the unit that need not be said
 */
function tell(node, bytes, most, shared) {
  const key = `${bytes} ${most}`;
  if (told.get(node) === key) return;
  told.set(node, key);
  const text = formatBytesGroup([most, bytes ?? 0])[1];
  const [number, own] = splitUnit(text);
  const unknown = bytes === null || bytes === undefined;
  setText(node, unknown ? '–' : bytes === 0 ? '0' : own === shared ? number : text);
  node.title = unknown ? 'not known' : exactBytes(bytes);
  if (unknown) delete node.dataset.bytes;
  else node.dataset.bytes = String(bytes);
}

/** @type {WeakMap<HTMLElement, string>} what a number was made from */
const told = new WeakMap();

/**
 * @param {import('../sight.js').Sight} sight
 * @param {any} probe
 */
export function momentText(sight, probe) {
  // On the axis of time the cursor stands anywhere between two events.
  const time = sight.cursor ?? probe.time_us;
  if (sight.axis === 'time' && time !== null) return formatDuration(time);
  return probe.moment === 0 ? (sight.moments > 1 ? 'Before event 0' : 'This moment') : `Event ${formatCount(probe.event)}`;
}

/** Says the read-out when the cursor has rested. @param {import('../sight.js').Sight} sight */
function announceSoon(sight) {
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    const { probe } = sight;
    if (!probe || current() !== sight || store.view === 'state') return;
    const under = probe.allocation ? ` Under the pointer an allocation of ${formatBytes(probe.allocation.requested_bytes)}.` : '';
    announce(`${momentText(sight, probe)}: ${formatBytes(probe.requested_bytes)} requested in ${plural(probe.alive, 'allocation')}${probe.reserved_bytes === null ? '' : `, ${formatBytes(probe.reserved_bytes)} reserved`}.${under}`);
  }, ANNOUNCE_AFTER_MS);
}

export function initReadout() {
  for (const topic of /** @type {const} */ (['active', 'view', 'options'])) {
    on(topic, () => {
      const sight = current();
      if (sight) update(sight);
    });
  }
  on('cursor', () => {
    const sight = current();
    if (!sight) return;
    update(sight);
    announceSoon(sight);
  });
}
