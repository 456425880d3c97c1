// "Over the recording": areas by category, the line of reserved bytes and marks by plotters; labels are HTML. Before there are categories the areas
// are the worker's picture of every allocation.
import { wasm } from '../../wasm.js';
import { categoriesOf, categorySwatch } from '../../categories.js';
import { byId, el } from '../../dom.js';
import { formatBytes, formatCount, limitText, ticks } from '../../format.js';
import { current, on, store } from '../../store.js';
import { colours } from '../../theme.js';
import { hasCategories, yEnd } from '../../sight.js';

/** Height of a label, in CSS pixels. */
const LABEL = 18;

/**
 * @param {import('../../sight.js').Sight} sight
 * @returns {HTMLElement|null} one moment has no course
 */
export function chartCard(sight) {
  if (sight.moments < 2) return null;
  const { peak, ooms } = sight.overview;
  const words = `Requested bytes over ${formatCount(sight.moments - 1)} events. The peak is ${formatBytes(peak.requested_bytes)}${peak.moment === 0 ? ' before the first event' : ` at event ${formatCount(peak.event)}`}${ooms.length ? `; ${formatCount(ooms.length)} requests failed` : ''}.`;
  return el('article.card.chart-card', { 'aria-labelledby': 'chart-title' },
    el('header', null, el('h2', { id: 'chart-title' }, 'Over the recording'),
      el('span.legend.push', null, ...legend(sight), el('span.tag', null, el('span.swatch.line.c-reserved', { 'aria-hidden': 'true' }), 'Reserved'))),
    el('div.chart.trend', { role: 'img', 'aria-label': words },
      el('div.y', { id: 'chart-y' }), el('div.plot', { id: 'chart-plot' }, el('canvas', { id: 'chart-picture', 'aria-hidden': 'true' }), el('canvas', { id: 'chart-canvas', 'aria-hidden': 'true' }), el('div', { id: 'chart-marks' })), el('div.x', { id: 'chart-x' })));
}

/** What the areas stand for, from the bottom. @param {import('../../sight.js').Sight} sight */
function legend(sight) {
  if (!hasCategories(sight)) return [el('span.tag.muted', null, 'Requested, in the colours of the list')];
  return categoriesOf(sight).map(({ category, name }) => el('span.tag', null, categorySwatch(category), name));
}

/** Paints the chart at its present size. */
export async function paintChart() {
  const sight = current();
  if (!sight || store.view !== 'overview' || byId('overview').hidden) return;
  const plot = document.getElementById('chart-plot');
  if (!plot) return;
  const { clientWidth: width, clientHeight: height } = plot;
  if (!width || !height) return;
  observer.disconnect();
  observer.observe(plot);
  const scale = devicePixelRatio || 1;
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) };
  const x1 = sight.moments;
  const limit = limitOf(sight);
  const y1 = Math.max(yEnd(sight), (limit || 0) * 1.06);
  const byCategory = hasCategories(sight);
  const [answer, pixels] = await Promise.all([
    sight.client.ask({ ask: 'chart', device: sight.device, axis: 'event', columns: Math.max(2, Math.min(size.width, Math.ceil(x1))), x0: 0, x1 }),
    byCategory ? null : everyAllocation(sight, { x0: 0, x1, y0: 0, y1, ...size }),
  ]);
  const canvas = /** @type {HTMLCanvasElement|null} */ (document.getElementById('chart-canvas'));
  const picture = /** @type {HTMLCanvasElement|null} */ (document.getElementById('chart-picture'));
  if (current() !== sight || !answer || !canvas || !picture) return;
  for (const each of [canvas, picture]) Object.assign(each, size);
  if (pixels) picture.getContext('2d')?.putImageData(new ImageData(pixels, size.width, size.height), 0, 0);
  const { peak, ooms } = sight.overview;
  const marks = [{ x: peak.moment + 0.5, kind: 'peak' }, ...ooms.slice(-50).map((/** @type {any} */ oom) => ({ x: oom.moment + 0.5, kind: 'oom' }))];
  // A picture of every allocation shows what was requested; the chart adds the rest.
  const requested = byCategory ? answer.requested : answer.requested.map(() => 0);
  canvas.classList.toggle('over-picture', !byCategory);
  wasm().paint_chart(canvas, JSON.stringify({ x: answer.x, requested, categories: byCategory ? answer.categories : null, limit, reserved: answer.reserved, marks, x0: 0, x1, y1, scale, colours: colours().chart }));
  label(sight, width, height, y1);
  labelMarks(sight, { width, height, y1, limit, answer });
}

/** @param {import('../../sight.js').Sight} sight what is known of the limit */
const limits = (sight) => sight.report?.oom || sight.overview.ooms.at(-1) || {};

/** @param {import('../../sight.js').Sight} sight @returns {number|null} the most that could be reserved, where that is known */
function limitOf(sight) {
  const { limit_low_bytes: low = null, limit_high_bytes: high = null } = limits(sight);
  return high === null ? null : low;
}

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {object} view
 */
async function everyAllocation(sight, view) {
  const { pixels } = await sight.client.draw({ picture: 'minimap', device: sight.device, view: { axis: 'event', stacking: 'stack', ...view }, colours: { ...colours().picture, reserved: colours().picture.background }, selected: null });
  return pixels;
}

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {number} width
 * @param {number} height
 * @param {number} y1
 */
function label(sight, width, height, y1) {
  const at = (/** @type {string} */ side, /** @type {number} */ part, /** @type {string} */ text, shape = 'span') => {
    const node = el(shape, null, text);
    node.style.setProperty(side, `${part * 100}%`);
    return node;
  };
  byId('chart-y').replaceChildren(...ticks('bytes', 0, y1, height).map((tick) => at('bottom', tick.at / y1, tick.label)));
  const end = sight.moments - 1;
  const marks = ticks('events', 0, sight.moments, width).filter((tick) => tick.at / sight.moments < 1 - 110 / width);
  byId('chart-x').replaceChildren(...marks.map((tick) => at('left', tick.at / sight.moments, tick.label)), at('left', 1, `${formatCount(end)} events`, 'span.end'));
}

/** @param {import('../../sight.js').Sight} sight @returns {{moment: number, text: string, oom: boolean}[]} what stands in the chart */
function marksOf(sight) {
  const { peak, ooms } = sight.overview;
  if (sight.report && !sight.filter) return sight.report.marks.map((/** @type {any} */ mark) => ({ ...mark, oom: mark.text.startsWith('OOM') }));
  const oom = ooms.at(-1);
  const far = !oom || Math.abs(oom.moment - peak.moment) > 0.2 * sight.moments;
  return [...(far ? [{ moment: peak.moment, text: `Peak ${formatBytes(peak.requested_bytes)}`, oom: false }] : []), ...(oom ? [{ moment: oom.moment, text: `OOM, asked for ${formatBytes(oom.requested_bytes)}`, oom: true }] : [])];
}

/**
 * Labels of marks and of the limit: where nothing is drawn if there is such a place, never upon each other.
 * @param {import('../../sight.js').Sight} sight
 * @param {{width: number, height: number, y1: number, limit: number|null, answer: any}} chart
 */
function labelMarks(sight, { width, height, y1, limit, answer }) {
  /** @type {{left: number, right: number, bottom: number}[]} */
  const taken = [];
  const layer = byId('chart-marks');
  layer.replaceChildren();
  const put = (/** @type {HTMLElement} */ node, /** @type {number} */ x, /** @type {number} */ least) => {
    layer.append(node);
    const wide = node.offsetWidth;
    const beside = x + 6 + wide > width ? x - 6 - wide : x + 6;
    const left = Math.max(2, Math.min(width - wide - 2, beside));
    const right = left + wide;
    const top = answer.reserved.reduce((/** @type {number} */ most, /** @type {number|null} */ bytes, /** @type {number} */ at) => {
      const from = (answer.x[at] / sight.moments) * width;
      return from > right || ((answer.x[at + 1] ?? sight.moments) / sight.moments) * width < left ? most : Math.max(most, bytes ?? 0, answer.requested[at]);
    }, 0);
    let bottom = Math.min(height - LABEL - 2, Math.max(least, (top / y1) * height + 5));
    for (let again = 0; again < 4 && taken.some((other) => left < other.right + 4 && right > other.left - 4 && Math.abs(other.bottom - bottom) < LABEL + 2); again += 1) bottom -= LABEL + 4;
    node.style.left = `${(left / width) * 100}%`;
    node.style.bottom = `${Math.max(2, bottom)}px`;
    taken.push({ left, right, bottom });
  };
  if (limit !== null) put(limitLabel(sight), 0, Math.max(2, (limit / y1) * height - LABEL - 4));
  for (const mark of marksOf(sight)) put(el(`span.plot-label${mark.oom ? '.oom' : ''}`, null, mark.text), ((mark.moment + 0.5) / sight.moments) * width, 2);
}

/** @param {import('../../sight.js').Sight} sight */
function limitLabel(sight) {
  const { limit_low_bytes: low = null, limit_high_bytes: high = null } = limits(sight);
  return el('span.plot-label.plain.limit', null, `limit ${limitText(low, high)}`);
}

const observer = new ResizeObserver(() => {
  const canvas = /** @type {HTMLCanvasElement|null} */ (document.getElementById('chart-canvas'));
  const plot = document.getElementById('chart-plot');
  if (canvas && plot && (canvas.width !== Math.round(plot.clientWidth * (devicePixelRatio || 1)) || canvas.height !== Math.round(plot.clientHeight * (devicePixelRatio || 1)))) void paintChart();
});

export function initChart() {
  on('theme', () => void paintChart());
}
