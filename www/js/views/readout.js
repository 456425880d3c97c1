// The strip over the picture: legend and value at the cursor in one, in the order of the stack, top to bottom.
import { announce, byId, el } from '../dom.js';
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

/** @param {import('../sight.js').Sight} sight */
function update(sight) {
  const { probe } = sight;
  if (store.active && store.view === 'state') return; // the other view that follows the moment
  if (!probe) {
    byId('readout').replaceChildren();
    return;
  }
  // In another layer colours stand for pools.
  const own = sight.show === 'allocations';
  const pools = own ? [] : poolLegend(sight.choices?.pools || []);
  const legend = !own ? [] : [...sight.overview.legend].filter((entry) => entry.slot < 7).sort((a, b) => b.slot - a.slot);
  const others = probe.slots[7] + probe.slots[8];
  const rows = [
    { node: el('span.swatch.line.c-reserved', { 'aria-hidden': 'true' }), name: term('reserved'), title: '', bytes: probe.reserved_bytes },
    { node: null, name: term('requested'), title: '', bytes: probe.requested_bytes },
    ...(own ? [{ node: swatch(7), name: 'All others', title: 'All stacks that have no colour of their own', bytes: others }] : []),
    ...legend.map((entry) => ({ node: swatch(entry.slot), name: shortName(entry, legend), title: entry.at ? `${entry.name}\n${entry.at}` : entry.name, bytes: probe.slots[entry.slot] })),
  ];
  // One unit for all, as many decimals as each needs beside the largest: widths hardly change under a moving pointer.
  const most = Math.max(...rows.map((row) => row.bytes ?? 0));
  const texts = rows.map((row) => formatBytesGroup([most, row.bytes ?? 0])[1]);
  const shared = splitUnit(formatBytes(most))[1];
  byId('readout').replaceChildren(
    el('span.at', null, `${momentText(sight, probe)}, ${shared}`),
    ...rows.map((row, index) => {
      const [number, own] = splitUnit(texts[index]);
      const value = row.bytes === null || row.bytes === undefined ? '–' : row.bytes === 0 ? '0' : own === shared ? number : texts[index];
      return el('span.tag', { title: row.title || null }, row.node, el('span.name.truncate', null, row.name), el('b', { 'data-bytes': row.bytes, title: row.bytes === null ? 'not known' : exactBytes(row.bytes) }, value));
    }),
    ...pools.map(([slot, label]) => el('span.tag', null, swatch(slot), el('span.name.truncate', null, label))));
}

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
