// One stream or one pool instead of everything: kept with what is seen of a device, obeyed by every figure and picture.
import { emit, current } from './store.js';
import { isWhole, momentOf, setProbe, wholeRange } from './sight.js';

/** @typedef {import('./sight.js').Filter} Filter */

/** @param {Filter|null} filter @returns {Filter|null} null when nothing is left of it */
function clean(filter) {
  if (!filter) return null;
  const entries = Object.entries(filter).filter(([, value]) => value !== undefined && value !== null);
  return entries.length ? /** @type {Filter} */ (Object.fromEntries(entries)) : null;
}

/**
 * Shows a part only; null: everything. Whether only what the expression chooses is shown stays as it is.
 * @param {Filter|null} wish
 */
export async function setFilter(wish) {
  const sight = current();
  const { only = false, expression = '', marks, fault = null, filter: before = null } = sight || {};
  const chosen = !only || !expression.trim() ? {} : fault ? { expr: before?.expr, marks: before?.marks } : { expr: expression, marks };
  const filter = clean({ ...wish, expr: undefined, marks: undefined, ...chosen });
  if (!sight || JSON.stringify(filter) === JSON.stringify(sight.filter)) return;
  const { client, device } = sight;
  const whole = isWhole(sight);
  sight.filter = filter;
  if (filter) client.filters.set(device, filter);
  else client.filters.delete(device);
  const [overview, probe] = await Promise.all([client.ask({ ask: 'overview', device }), client.ask({ ask: 'moment', device, moment: momentOf(sight), stacking: sight.stacking })]);
  if (sight.filter !== filter) return;
  sight.overview = overview || sight.overview;
  if (whole) sight.range = wholeRange(sight);
  if (probe) setProbe(sight, probe);
  if (current() !== sight) return;
  emit('filter');
  emit('figures');
  emit('range');
  emit('cursor');
}

/** Asks once what a device can be filtered by. */
export async function loadChoices() {
  const sight = current();
  if (!sight || sight.choices) return;
  sight.choices = (await sight.client.ask({ ask: 'choices', device: sight.device })) || { streams: [], pools: [] };
  // An address may name what this file has not.
  if (sight.filter && !isKnown(sight.filter, sight.choices)) await setFilter(null);
  if (current() === sight) emit('filter');
}

/** @param {Filter} filter @param {any} choices */
function isKnown(filter, choices) {
  const stream = filter.stream === undefined || choices.streams.some((/** @type {any} */ each) => each.stream === filter.stream);
  const whole = filter.kind === undefined && filter.pool === undefined;
  return stream && (whole || choices.pools.some((/** @type {any} */ each) => isPool(filter, each)));
}

/** @param {Filter} filter @param {any} choices @returns {string} what the filter leaves, in words */
export function filterText(filter, choices) {
  const pool = poolOf(filter, choices);
  return [pool, filter.stream === undefined ? null : `stream ${filter.stream}`, filter.expr ?? null].filter(Boolean).join(', ');
}

/** @param {Filter} filter @param {any} choices */
export function poolOf(filter, choices) {
  if (filter.kind === undefined && filter.pool === undefined) return null;
  const known = choices?.pools.find((/** @type {any} */ each) => isPool(filter, each));
  return known?.label ?? [filter.kind, filter.pool ? `pool ${filter.pool.join(':')}` : 'pool'].filter(Boolean).join(' ');
}

/** @param {Filter} filter @param {any} pool of the choices */
export function isPool(filter, pool) {
  return filter.kind === pool.kind && String(filter.pool ?? '') === String(pool.pool ?? '');
}
