// Everything over the picture that is not pixels and follows it in each frame: axis labels, marks of peak and OOM, the cursor.
// Nothing here asks for the layout, and nodes stay from frame to frame: most frames only move them.
import { boxOf } from '../../boxes.js';
import { byId, el, keepChildren, setText } from '../../dom.js';
import { formatBytes, formatCount, formatDuration, ticks } from '../../format.js';
import { framed } from '../../frame.js';
import { placeOf } from '../../sight.js';
import { current, emit } from '../../store.js';

const MOST_MARKS = 50;
const LABEL_PX = 22;
/** @type {WeakMap<import('../../sight.js').Sight, {axis: string, of: any, marks: Mark[]}>} of: the overview they come from */
const known = new WeakMap();
/** @typedef {{kind: 'peak'|'oom', text: string, x: number, bytes: number}} Mark */
/** @typedef {{width: number, height: number}} Size */
/** @type {{node: HTMLElement, x: number}[]} labels of the x axis, and the parts of its width at which they stand */
let xLabels = [];

/**
 * @param {import('../../sight.js').Sight} sight
 * @returns {Mark[]} empty until the worker has said where they lie
 */
export function marksOf(sight) {
  const have = known.get(sight);
  if (have && have.axis === sight.axis && have.of === sight.overview) return have.marks;
  const axis = sight.axis;
  const of = sight.overview;
  known.set(sight, { axis, of, marks: [] });
  const { peak, ooms } = of;
  const wanted = [
    ...(sight.moments < 2 ? [] : [{ kind: /** @type {'peak'} */ ('peak'), text: `Peak ${formatBytes(peak.requested_bytes)}`, moment: peak.moment, bytes: peak.requested_bytes }]),
    ...ooms.slice(-MOST_MARKS).map((/** @type {any} */ oom) => ({ kind: 'oom', text: `OOM, asked for ${formatBytes(oom.requested_bytes)}`, moment: oom.moment, bytes: oom.requested_at ?? peak.requested_bytes })),
  ];
  void Promise.all(wanted.map((mark) => placeOf(sight, mark.moment))).then((places) => {
    known.set(sight, { axis, of, marks: wanted.map((mark, index) => ({ ...mark, x: (places[index].x0 + places[index].x1) / 2 })) });
    if (sight.axis === axis && sight.overview === of) emit('range');
  });
  return [];
}

/** @param {import('../../sight.js').Sight} sight @param {number} x @returns {number} a part of the plot's width */
export const across = (sight, x) => (x - sight.range.x0) / (sight.range.x1 - sight.range.x0);
/** @param {import('../../sight.js').Sight} sight @param {number} y @returns {number} a part of the plot's height */
export const up = (sight, y) => (y - sight.range.y0) / (sight.range.y1 - sight.range.y0);

/**
 * Lays out all labels for the present range.
 * @param {import('../../sight.js').Sight} sight
 * @param {Size} box in CSS pixels
 */
export function layoutOverlay(sight, box) {
  layoutAxes(sight, box);
  layoutMarks(sight, box);
  layoutCursor(sight);
}

/** @param {import('../../sight.js').Sight} sight @param {Size} box */
function layoutAxes(sight, box) {
  const { x0, x1, y0, y1 } = sight.range;
  const rows = new Map(ticks('bytes', y0, y1, box.height).map((tick) => [tick.label, up(sight, tick.at)]));
  for (const [label, node] of keepChildren(byId('timeline-y'), rows.keys(), (text) => el('span', null, text))) node.style.bottom = `${rows.get(label) * 100}%`;
  const columns = new Map(ticks(sight.axis === 'time' ? 'time' : 'events', x0, x1, box.width).map((tick) => [tick.label, across(sight, tick.at)]));
  const axis = sight.axis === 'time' ? 'Time' : 'Event';
  const nodes = keepChildren(byId('timeline-x'), [axis, ...columns.keys(), 'cursor-flag'], (key) => (key === 'cursor-flag' ? el('b.cursor-flag', { id: key, hidden: true }) : el(key === 'Time' || key === 'Event' ? 'i' : 'span', null, key)));
  xLabels = [...columns].map(([label, x]) => ({ node: /** @type {HTMLElement} */ (nodes.get(label)), x }));
  for (const { node, x } of xLabels) {
    node.classList.toggle('first', x * box.width < 26);
    node.style.left = `${x * 100}%`;
  }
}

/** @param {import('../../sight.js').Sight} sight @param {Size} box */
function layoutMarks(sight, box) {
  /** @type {Map<string, {shape: string, text: string, style: Record<string, string>}>} */
  const wanted = new Map();
  let lastRight = -1;
  const marks = marksOf(sight);
  for (const [index, mark] of marks.entries()) {
    const x = across(sight, mark.x);
    if (x < 0 || x > 1) continue;
    wanted.set(`line ${mark.kind} ${index}`, { shape: `div.v-line.${mark.kind}`, text: '', style: { left: `min(${x * 100}%, calc(100% - 2px))` } });
    const left = x * box.width;
    if (mark.kind === 'oom' && lastRight > left - 20 && lastRight >= 0) continue; // its line says enough, the neighbour's label stands there
    const flip = left > box.width - 200;
    // OOM at the top, where there is air; the peak just above the data, unless an OOM stands beside it.
    const bottom = mark.kind === 'oom' ? box.height - LABEL_PX : Math.min(1, Math.max(0.02, up(sight, mark.bytes))) * box.height + 4;
    const beside = mark.kind === 'peak' && marks.some((other) => other.kind === 'oom' && Math.abs(across(sight, other.x) - x) * box.width < 220);
    if (beside && bottom > box.height - 48) continue;
    const style = { left: flip ? '' : `${left + 6}px`, right: flip ? `${box.width - left + 6}px` : '', bottom: `${Math.max(4, Math.min(bottom, box.height - LABEL_PX))}px` };
    wanted.set(`label ${index} ${mark.text}`, { shape: `span.plot-label${mark.kind === 'oom' ? '.oom' : ''}`, text: mark.text, style });
    if (mark.kind === 'oom') lastRight = left;
  }
  const nodes = keepChildren(byId('timeline-marks'), wanted.keys(), (key) => el(wanted.get(key)?.shape || 'span', null, wanted.get(key)?.text || null));
  for (const [key, { style }] of wanted) Object.assign(/** @type {HTMLElement} */ (nodes.get(key)).style, style);
}

/** The cursor follows in the next frame. */
export const showCursor = framed(() => {
  const sight = current();
  if (sight) layoutCursor(sight);
});

/** @param {import('../../sight.js').Sight} sight */
function layoutCursor(sight) {
  const cursor = byId('timeline-cursor');
  const flag = document.getElementById('cursor-flag');
  const x = sight.cursor === null ? -1 : across(sight, sight.cursor);
  const seen = x >= 0 && x <= 1;
  cursor.hidden = !seen;
  if (sight.probe) {
    cursor.dataset.moment = String(sight.probe.moment);
    cursor.dataset.event = String(sight.probe.event ?? '');
  }
  if (seen) cursor.style.left = `${x * 100}%`;
  if (!flag) return;
  flag.hidden = !seen || !sight.probe;
  const near = flag.hidden ? -1 : 52 / Math.max(1, boxOf('timeline-plot').width);
  for (const label of xLabels) label.node.style.visibility = Math.abs(label.x - x) < near ? 'hidden' : '';
  if (flag.hidden || !sight.probe) return;
  flag.style.left = `clamp(24px, ${x * 100}%, calc(100% - 24px))`;
  setText(flag, sight.axis === 'time' ? formatDuration(sight.cursor ?? 0) : sight.probe.moment === 0 ? 'start' : formatCount(sight.probe.event));
}
