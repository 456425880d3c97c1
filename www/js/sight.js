// What is seen of one device of one file: the shown range, the cursor, the selection, and what has been asked already.
import { emit, current } from './store.js';

/**
 * @typedef {{x0: number, x1: number, y0: number, y1: number}} Range x on the axis in force, y in bytes
 * @typedef {{kind: 'allocation', id: number, moment: number, details: any}|{kind: 'stack', row: any, stack: any[]|null, moment: number}} Selection
 * @typedef {{canvas: HTMLCanvasElement, range: Range, key: string}} Sharp a picture and the range it shows
 */

/**
 * @typedef {'category'|'stack'|'age'} Stacking
 * @typedef {{kind: 'step'|'phase', name: string, first: number, last: number}} Span a step or a phase, and its events
 * @typedef {{stream?: string, kind?: 'small'|'large', pool?: [number, number]}} Filter
 * @typedef {{group: 'pool_stream'|'none', sort: 'size'|'address'|'free'|'age', zoom: number, left: number, top: number, segment: string|null, address: string|null}} Blocks
 *   segment, address: of what is chosen without an allocation; top in CSS pixels
 */

/**
 * @typedef {object} Sight
 * @property {import('./client.js').Client} client
 * @property {number} device
 * @property {number} moments
 * @property {boolean} hasTime
 * @property {string} noTime why there is no axis of time
 * @property {any} figures the device's part of the summary
 * @property {any} overview the answer to `overview`
 * @property {'event'|'time'} axis
 * @property {Stacking} stacking
 * @property {Stacking|null} chosen the stacking that was asked for; null: by category as soon as something has one
 * @property {any} report what the diagnosis says of the device; null before it is there
 * @property {number|null} limit one that the user knows, in bytes
 * @property {any} composition the answer to `composition` at the peak; null before there are labels
 * @property {number} labels how often labels have come
 * @property {{name: string, each: any}|null} period the step or phase under the pointer
 * @property {Span|null} span the step or phase that the range shows
 * @property {'allocations'|'segments'|'pools'} show what the picture of the timeline is made of
 * @property {Filter|null} filter what all figures and pictures are about; null: everything
 * @property {string} expression of the filter, or empty
 * @property {any} choices what can be filtered by, or null
 * @property {number|null} moment the one that all views share
 * @property {{a: number|null, b: number|null}} marks moments that are marked for a comparison
 * @property {Blocks} blocks how the allocator's state is shown
 * @property {Range} range
 * @property {any} probe what is under the cursor, or null
 * @property {number|null} cursor where the cursor stands on the axis
 * @property {Selection|null} selection
 * @property {Sharp|null} sharp the last picture
 * @property {Sharp|null} whole the last picture of the whole recording
 * @property {string} style axis, stacking and colours of these pictures
 */

/**
 * @param {import('./client.js').Client} client
 * @param {any} device of `opened.devices`
 * @param {any} figures of `opened.summary.devices`
 * @param {any} overview
 * @returns {Sight}
 */
export function makeSight(client, device, figures, overview) {
  const sight = {
    client, device: device.device, moments: device.moments, hasTime: device.has_time && overview.duration_us > 0, noTime: device.has_time && overview.duration_us === 0 ? 'All events have the same time.' : 'The file has no times.', figures, overview,
    show: /** @type {'allocations'} */ ('allocations'), filter: null, expression: '', choices: null, moment: null, marks: { a: /** @type {number|null} */ (null), b: /** @type {number|null} */ (null) },
    blocks: { group: /** @type {'pool_stream'} */ ('pool_stream'), sort: /** @type {'size'} */ ('size'), zoom: 1, left: 0, top: 0, segment: null, address: null },
    axis: /** @type {'event'} */ ('event'), stacking: /** @type {Stacking} */ ('stack'), chosen: null, report: null, limit: null, composition: null, labels: 0, span: null, period: null, range: { x0: 0, x1: 1, y0: 0, y1: 1 },
    probe: null, cursor: null, selection: null, sharp: null, whole: null, style: '',
  };
  sight.range = wholeRange(sight);
  return sight;
}

/** Asks what there is of categories. @param {Sight} sight */
export async function readLabels(sight) {
  sight.labels += 1;
  sight.composition = await sight.client.ask({ ask: 'composition', device: sight.device, moment: sight.overview.peak.moment });
  sight.stacking = stackingOf(sight);
}

/** What was asked for; by category only where something has one. @param {Sight} sight @returns {Stacking} */
export function stackingOf(sight) {
  const wish = sight.chosen ?? 'category';
  return wish === 'category' && !hasCategories(sight) ? 'stack' : wish;
}

/** @param {Sight} sight @returns {boolean} whether any allocation has a category that is known */
export function hasCategories(sight) {
  return sight.composition?.present.some((/** @type {number} */ slot) => slot !== UNKNOWN) ?? false;
}

/**
 * @param {Sight} sight
 * @returns {number} the moment that all views share
 */
export function momentOf(sight) {
  return sight.moment ?? sight.probe?.moment ?? sight.overview.peak.moment;
}

/**
 * What is under the pointer or the cursor; its moment is the one that all views share.
 * @param {Sight} sight
 * @param {any} probe
 */
export function setProbe(sight, probe) {
  sight.probe = probe;
  sight.moment = probe.moment;
}

/** @param {Sight} sight */
export function xEnd(sight) {
  return sight.axis === 'time' ? sight.overview.duration_us : sight.moments;
}

/** @param {Sight} sight the top of the y axis, with air for the line of reserved bytes */
export function yEnd(sight) {
  const { peak, reserved_peak: reserved } = sight.overview;
  return Math.max(peak.requested_bytes, peak.reserved_bytes || 0, reserved?.reserved_bytes || 0, 1024) * 1.08;
}

/**
 * @param {Sight} sight
 * @returns {Range}
 */
export function wholeRange(sight) {
  return { x0: 0, x1: xEnd(sight), y0: 0, y1: yEnd(sight) };
}

/** @param {Sight} sight */
export function isWhole(sight) {
  const { range } = sight;
  const whole = wholeRange(sight);
  return range.x0 <= whole.x0 && range.x1 >= whole.x1 && range.y0 <= whole.y0 && range.y1 >= whole.y1;
}

/** The colour slot of what has no category. */
const UNKNOWN = 7;

/** The narrowest range of bytes. */
const LEAST_BYTES = 64;

/** @param {Sight} sight @returns {number} the narrowest range: two moments, or a microsecond */
const leastX = (sight) => Math.min(sight.axis === 'time' ? 1 : 2, xEnd(sight));

/**
 * Shows another part, kept within the recording.
 * @param {Partial<Range>} wish
 * @param {Span|null} [span] the step or phase that it is; whoever moves on leaves it
 */
export function setRange(wish, span = null) {
  const sight = current();
  if (!sight) return;
  const range = { ...sight.range, ...wish };
  [range.x0, range.x1] = clamp(range.x0, range.x1, xEnd(sight), leastX(sight));
  [range.y0, range.y1] = clamp(range.y0, range.y1, yEnd(sight), LEAST_BYTES);
  const same = ['x0', 'x1', 'y0', 'y1'].every((side) => range[/** @type {'x0'} */ (side)] === sight.range[/** @type {'x0'} */ (side)]);
  if (same && span === sight.span) return;
  sight.span = span;
  if (!same) sight.range = range;
  emit('range');
}

/**
 * @param {number} from
 * @param {number} to
 * @param {number} end
 * @param {number} least
 * @returns {[number, number]}
 */
function clamp(from, to, end, least) {
  let span = to - from;
  if (!(span >= least)) {
    from = (from + to - least) / 2;
    span = least;
  }
  if (span >= end) return [0, end];
  from = Math.min(Math.max(from, 0), end - span);
  return [from, from + span];
}

/**
 * @param {number} factor below 1 zooms in
 * @param {number} x stays where it is
 */
export function zoomX(factor, x) {
  const sight = current();
  if (!sight) return;
  const { x0, x1 } = sight.range;
  // At the limit x stays where it is, too.
  const by = Math.max(factor, leastX(sight) / (x1 - x0));
  setRange({ x0: x - (x - x0) * by, x1: x + (x1 - x) * by });
}

/**
 * @param {number} factor
 * @param {number} y
 */
export function zoomY(factor, y) {
  const sight = current();
  if (!sight) return;
  const { y0, y1 } = sight.range;
  const by = Math.max(factor, LEAST_BYTES / (y1 - y0));
  setRange({ y0: y - (y - y0) * by, y1: y + (y1 - y) * by });
}

/**
 * @param {number} x a part of the shown width
 * @param {number} [y] a part of the shown height
 */
export function pan(x, y = 0) {
  const sight = current();
  if (!sight) return;
  const { x0, x1, y0, y1 } = sight.range;
  setRange({ x0: x0 + x * (x1 - x0), x1: x1 + x * (x1 - x0), y0: y0 + y * (y1 - y0), y1: y1 + y * (y1 - y0) });
}

export function showWhole() {
  const sight = current();
  if (sight) setRange(wholeRange(sight));
}

/** @returns {boolean} whether a step or phase was shown; then everything is again */
export function leaveSpan() {
  if (!current()?.span) return false;
  showWhole();
  return true;
}

/**
 * Scrolls as little as possible so that x is in sight.
 * @param {number} x
 */
export function reveal(x) {
  const sight = current();
  if (!sight) return;
  const { x0, x1 } = sight.range;
  const span = x1 - x0;
  if (x < x0 || x > x1) setRange({ x0: x - span / 2, x1: x + span / 2 });
}

/**
 * Where a moment lies on the axis in force.
 * @param {Sight} sight
 * @param {number} moment
 * @returns {Promise<{x0: number, x1: number}>}
 */
export async function placeOf(sight, moment) {
  if (sight.axis === 'event') return { x0: moment, x1: moment + 1 };
  return (await sight.client.ask({ ask: 'place', device: sight.device, axis: sight.axis, moment })) || { x0: 0, x1: 0 };
}
