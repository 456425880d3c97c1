// The strip over the picture: legend and value at the cursor in one, in the order of the stack, top to bottom.
import { categoriesOf, categorySwatch } from '../../categories.js';
import { announce, byId, el, setText } from '../../dom.js';
import { exactBytes, formatBytes, formatBytesGroup, formatCount, formatDuration, plural, shortPath, splitUnit, swatch } from '../../format.js';
import { current, on, store } from '../../store.js';
import { term } from '../../tooltip.js';

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
/** @type {{sight: any, of: any[], at: HTMLElement, cells: Cell[]}|null} what stands there, and what it was built from: once for each legend */
let built = null;

/**
 * @param {string} title
 * @param {Node|null} swatch
 * @param {Node|string} name
 * @param {(probe: any) => number|null} bytes
 * @returns {Cell}
 */
const cell = (title, swatch, name, bytes) => ({ value: el('b'), title, swatch, name, bytes });

/** What the cells depend on. @param {import('../../sight.js').Sight} sight */
const sources = (sight) => [sight.overview.legend, sight.show, sight.choices?.pools, sight.stacking, sight.composition];

/**
 * Bytes of some slots, as long as they mean what the legend does.
 * @param {import('../../sight.js').Sight} sight
 * @param {number[]} slots
 */
const inSlots = (sight, ...slots) => (/** @type {any} */ probe) => ((probe.stacking === 'category') === (sight.stacking === 'category') ? slots.reduce((sum, slot) => sum + probe.slots[slot], 0) : null);

/** Categories that the recording has, from the top of the picture. @param {import('../../sight.js').Sight} sight @returns {Cell[]} */
function categoryCells(sight) {
  return categoriesOf(sight).reverse().map(({ slot, category, name }) => cell('', categorySwatch(category), name, inSlots(sight, slot)));
}

/** Lines of code with a colour of their own, from the top of the picture. @param {import('../../sight.js').Sight} sight @returns {Cell[]} */
function lineCells(sight) {
  const legend = [...sight.overview.legend].filter((entry) => entry.slot < 7).sort((a, b) => b.slot - a.slot);
  return [
    cell('All stacks that have no colour of their own', swatch(7), 'All others', inSlots(sight, 7, 8)),
    ...legend.map((entry) => cell(entry.at ? `${entry.name}\n${entry.at}` : entry.name, swatch(entry.slot), shortName(entry, legend), inSlots(sight, entry.slot))),
  ];
}

/** @param {import('../../sight.js').Sight} sight */
function build(sight) {
  // In another layer colours stand for pools.
  const own = sight.show === 'allocations';
  const pools = own ? [] : poolLegend(sight.choices?.pools || []);
  const byCategory = own && sight.stacking === 'category';
  const cells = [
    cell('', el('span.swatch.line.c-reserved', { 'aria-hidden': 'true' }), term('reserved'), (probe) => probe.reserved_bytes),
    cell('', null, term('requested'), (probe) => probe.requested_bytes),
    ...(byCategory ? categoryCells(sight) : own ? lineCells(sight) : []),
  ];
  const at = el('span.at');
  byId('readout').classList.toggle('by-category', byCategory);
  byId('readout').replaceChildren(at,
    ...cells.map(({ value, title, swatch: mark, name }) => el('span.tag', { title: title || null }, mark, el('span.name.truncate', null, name), value)),
    ...pools.map(([slot, name]) => el('span.tag', null, swatch(slot), el('span.name.truncate', null, name))));
  return { sight, of: sources(sight), at, cells };
}

/** @param {import('../../sight.js').Sight} sight */
function update(sight) {
  const { probe } = sight;
  if (store.active && store.view === 'state') return; // the other view that follows the moment
  if (!probe) {
    byId('readout').replaceChildren();
    built = null;
    return;
  }
  if (!built || built.sight !== sight || sources(sight).some((each, index) => each !== built?.of[index])) built = build(sight);
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
  const shown = unknown ? '–' : bytes === 0 ? '0' : own === shared ? number : text;
  setText(node, shown);
  // A cell that was wide stays so: its neighbours do not move again.
  if (shown.length > (parseFloat(node.style.minWidth) || 0)) node.style.minWidth = `${shown.length}ch`;
  node.title = unknown ? 'not known' : exactBytes(bytes);
  if (unknown) delete node.dataset.bytes;
  else node.dataset.bytes = String(bytes);
}

/** @type {WeakMap<HTMLElement, string>} what a number was made from */
const told = new WeakMap();

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {any} probe
 */
export function momentText(sight, probe) {
  // On the axis of time the cursor stands anywhere between two events.
  const time = sight.cursor ?? probe.time_us;
  if (sight.axis === 'time' && time !== null) return formatDuration(time);
  return probe.moment === 0 ? (sight.moments > 1 ? 'Before event 0' : 'This moment') : `Event ${formatCount(probe.event)}`;
}

/** Says the read-out when the cursor has rested. @param {import('../../sight.js').Sight} sight */
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
