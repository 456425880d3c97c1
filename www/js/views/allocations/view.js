// What the table of allocations is asked for: of which, in what order, in which groups. Kept with what is seen of a device.
import { chosenBy } from '../../expression.js';
import { momentOf } from '../../sight.js';
import { current, emit } from '../../store.js';

/** @typedef {import('../../sight.js').Sight} Sight */
/** @typedef {'peak'|'moment'|'end'|'made'|'freed'|'all'} Of */
/** @typedef {{column: string, down: boolean}} Sort */
/** @typedef {{of: Of, sort: Sort[], group: string, open: string[]}} TableView group: a column, or empty; open: keys of groups that list their rows */

export const OFS = /** @type {Of[]} */ (['peak', 'moment', 'end', 'made', 'freed', 'all']);
/** Columns to group by, and what they are called. @type {Record<string, string>} */
export const GROUPS = { '': 'nothing', site: 'line of code', stack: 'whole stack', category: 'category', size: 'size', stream: 'stream', pool: 'pool', phase: 'phase', step: 'step' };

/** @type {WeakMap<Sight, TableView>} */
const views = new WeakMap();

/** @param {Sight} sight @returns {TableView} */
export function tableOf(sight) {
  let view = views.get(sight);
  if (!view) views.set(sight, (view = { of: 'peak', sort: [{ column: 'size', down: true }], group: '', open: [] }));
  return view;
}

/** @param {Partial<TableView>} wish */
export function setTable(wish) {
  const sight = current();
  if (!sight) return;
  Object.assign(tableOf(sight), wish);
  emit('table');
}

/**
 * A question about what the table is of.
 * @param {Sight} sight
 * @param {string} ask
 * @param {object} [more]
 */
export function question(sight, ask, more = {}) {
  const { of } = tableOf(sight);
  const { axis, range } = sight;
  return {
    ask, device: sight.device, of, ...(of === 'moment' ? { moment: momentOf(sight) } : {}), ...(of === 'made' || of === 'freed' ? { axis, x0: range.x0, x1: range.x1 } : {}),
    ...chosenBy(sight), ...more,
  };
}

/** @param {Sight} sight in the order and groups that are shown */
export function inOrder(sight) {
  const { sort, group } = tableOf(sight);
  return { sort, group };
}
