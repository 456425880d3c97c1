// The cursor and what is pinned: set by pointer, keys and tables, shown by everything on the timeline.
import { announce } from '../dom.js';
import { current, emit, setView } from '../store.js';
import { momentOf, placeOf, reveal, setProbe, setRange, xEnd } from '../sight.js';

/**
 * Puts the cursor on a moment and asks what was alive then.
 * @param {number} moment
 * @param {boolean} [inSight] scrolls to it
 */
export async function setMoment(moment, inSight = true) {
  const sight = current();
  if (!sight) return;
  const [probe, place] = await Promise.all([sight.client.ask({ ask: 'moment', device: sight.device, moment, stacking: sight.stacking }), placeOf(sight, moment)]);
  if (current() !== sight || !probe) return;
  setProbe(sight, probe);
  sight.cursor = (place.x0 + place.x1) / 2;
  if (inSight) reveal(sight.cursor);
  emit('cursor');
}

/** Asks anew what was alive at the moment in force: it is coloured otherwise now. */
export async function refreshProbe() {
  const sight = current();
  if (!sight?.probe) return;
  const { moment } = sight.probe;
  const probe = await sight.client.ask({ ask: 'moment', device: sight.device, moment, stacking: sight.stacking });
  if (current() !== sight || !probe || sight.probe.moment !== moment) return;
  setProbe(sight, probe);
  emit('cursor');
}

/**
 * Pins an allocation.
 * @param {number} id
 * @param {number} moment at which it is looked at
 * @param {any} [details] when they are known
 */
export async function pinAllocation(id, moment, details) {
  const sight = current();
  if (!sight) return;
  const known = details || (await sight.client.ask({ ask: 'allocation', device: sight.device, id, moment, stacking: sight.stacking }));
  if (current() !== sight || !known || known.id === null || known.id === undefined) return;
  sight.selection = { kind: 'allocation', id, moment, details: known };
  Object.assign(sight.blocks, { segment: null, address: null });
  emit('selection');
}

/** @type {WeakMap<object, number>} steps of the cursor that wait until those before them are done */
const waiting = new WeakMap();

/**
 * Moves the cursor by columns of pixels, by one moment at least.
 * @param {number} steps to the right
 * @param {number} width of the plot
 */
export async function stepCursor(steps, width) {
  const sight = current();
  if (!sight) return;
  const before = waiting.get(sight);
  waiting.set(sight, (before || 0) + steps);
  if (before !== undefined) return;
  try {
    for (let next = steps; next !== 0 && current() === sight; next = waiting.get(sight) || 0) {
      waiting.set(sight, 0);
      await setMoment(await momentBeside(sight, next, width));
    }
  } finally {
    waiting.delete(sight);
  }
}

/**
 * @param {import('../sight.js').Sight} sight
 * @param {number} steps
 * @param {number} width
 * @returns {Promise<number>}
 */
async function momentBeside(sight, steps, width) {
  const from = sight.probe?.moment ?? sight.overview.peak.moment;
  const shift = (steps * (sight.range.x1 - sight.range.x0)) / Math.max(1, width);
  let to = from + Math.round(shift);
  if (sight.axis === 'time') to = (await sight.client.ask({ ask: 'at', device: sight.device, axis: 'time', x: Math.min(Math.max((sight.cursor ?? 0) + shift, 0), xEnd(sight)) }))?.moment ?? from;
  to = steps > 0 ? Math.max(to, from + steps) : Math.min(to, from + steps);
  return Math.min(Math.max(to, 0), sight.moments - 1);
}

/**
 * Shows a pinned allocation in another view, at the moment in force if it is alive then.
 * @param {'timeline'|'state'} view
 * @param {any} details
 */
export async function showIn(view, details) {
  const sight = current();
  if (!sight) return;
  const now = momentOf(sight);
  const alive = now >= details.start_moment && now < details.end_moment;
  const moment = alive ? now : details.start_moment;
  await pinAllocation(details.id, moment);
  await setMoment(moment, view === 'timeline');
  setView(view);
  announce(view === 'state' ? 'Shown in the allocator state' : 'Shown in the timeline');
}

/** @returns {boolean} whether something was pinned */
export function letGo() {
  const sight = current();
  if (!sight || !sight.selection) return false;
  sight.selection = null;
  emit('selection');
  return true;
}

/** @param {number} moment in the timeline, in sight */
export async function showMoment(moment) {
  setView('timeline');
  await setMoment(moment);
}

/** @param {any} row of a table of stacks: pins its stack, at the peak unless told otherwise
 * @param {number} [at] the moment the row was counted at */
export async function showStack(row, at) {
  const sight = current();
  if (!sight) return;
  const moment = at ?? sight.overview.peak.moment;
  setView('timeline');
  const stack = row.stack === null ? null : ((await sight.client.ask({ ask: 'stack', device: sight.device, id: row.stack }))?.stack ?? null);
  if (current() !== sight) return;
  sight.selection = { kind: 'stack', row, stack, moment };
  emit('selection');
  await setMoment(moment);
}

/** @param {any} oom shows a request that failed, with its stack */
export function showFailedRequest(oom) {
  return showStack({ stack: oom.stack, name: oom.name, at: oom.at, failed: oom }, oom.moment);
}

/** Brings the pinned block into the middle; when it is there already, shows its whole lifetime. */
export async function centreOrFit() {
  const sight = current();
  const selection = sight?.selection;
  if (!sight || !selection) return;
  const place = await placeOf(sight, selection.moment);
  const middle = (place.x0 + place.x1) / 2;
  const { x0, x1 } = sight.range;
  if (selection.kind === 'stack' || Math.abs((x0 + x1) / 2 - middle) > (x1 - x0) * 0.02) setRange({ x0: middle - (x1 - x0) / 2, x1: middle + (x1 - x0) / 2 });
  else await fitAllocation(selection.details);
}

/** @param {any} details of an allocation: shows its whole life, and its bytes when they are too thin to see */
export async function fitAllocation(details) {
  const sight = current();
  if (!sight) return;
  const [from, to] = await Promise.all([placeOf(sight, details.start_moment), placeOf(sight, Math.max(details.start_moment, details.end_moment - 1))]);
  if (current() !== sight) return;
  const span = Math.max(to.x1 - from.x0, xEnd(sight) * 1e-9);
  const wish = { x0: from.x0 - span * 0.25, x1: to.x1 + span * 0.25, y0: sight.range.y0, y1: sight.range.y1 };
  const tall = details.requested_bytes / (sight.range.y1 - sight.range.y0);
  if (tall < 0.04 && details.offset_bytes !== null && details.offset_bytes !== undefined) {
    const middle = details.offset_bytes + details.requested_bytes / 2;
    Object.assign(wish, { y0: middle - details.requested_bytes * 2.5, y1: middle + details.requested_bytes * 2.5 });
  }
  setRange(wish);
}

/**
 * Shows an allocation in a view: at a moment if it is alive then, else when it was made.
 * @param {'timeline'|'state'} view
 * @param {number|null} id
 * @param {number} moment
 */
export async function showAllocation(view, id, moment) {
  const sight = current();
  if (!sight) return;
  const details = id === null ? null : await sight.client.ask({ ask: 'allocation', device: sight.device, id, moment, stacking: sight.stacking });
  if (current() !== sight) return;
  const alive = !details || (moment >= details.start_moment && moment < details.end_moment);
  const at = alive ? moment : details.start_moment;
  if (details) await pinAllocation(id ?? 0, at, details);
  else letGo();
  setView(view);
  await setMoment(at);
}
