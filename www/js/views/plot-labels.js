// Everything over the picture that is not pixels: axis labels, marks of peak and OOM, the cursor, the label of a thin selected block.
import { byId, el, setText, svgElement } from '../dom.js';
import { formatBytes, formatCount, formatDuration, ticks } from '../format.js';
import { placeOf } from '../sight.js';
import { emit } from '../store.js';

const MOST_MARKS = 50;
/** @type {WeakMap<import('../sight.js').Sight, {axis: string, of: any, marks: Mark[]}>} of: the overview they come from */
const known = new WeakMap();
/** @typedef {{kind: 'peak'|'oom', text: string, x: number, bytes: number}} Mark */

/**
 * @param {import('../sight.js').Sight} sight
 * @returns {Mark[]} empty until the worker has said where they lie
 */
function marksOf(sight) {
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

/**
 * Lays out all labels for the present range.
 * @param {import('../sight.js').Sight} sight
 * @param {{width: number, height: number}} size in device pixels
 */
export function layoutOverlay(sight, size) {
  const scale = devicePixelRatio || 1;
  const box = { width: size.width / scale, height: size.height / scale };
  layoutAxes(sight, box);
  layoutMarks(sight, box);
  layoutCursor(sight);
  layoutSelected(sight, box);
}

/** @param {import('../sight.js').Sight} sight @param {number} x */
const across = (sight, x) => (x - sight.range.x0) / (sight.range.x1 - sight.range.x0);
/** @param {import('../sight.js').Sight} sight @param {number} y */
const up = (sight, y) => (y - sight.range.y0) / (sight.range.y1 - sight.range.y0);

/**
 * @param {import('../sight.js').Sight} sight
 * @param {{width: number, height: number}} box
 */
function layoutAxes(sight, box) {
  const { x0, x1, y0, y1 } = sight.range;
  byId('timeline-y').replaceChildren(...ticks('bytes', y0, y1, box.height).map((tick) => {
    const node = el('span', null, tick.label);
    node.style.bottom = `${up(sight, tick.at) * 100}%`;
    return node;
  }));
  const labels = ticks(sight.axis === 'time' ? 'time' : 'events', x0, x1, box.width).map((tick) => {
    const x = across(sight, tick.at);
    const node = el(x * box.width < 26 ? 'span.first' : 'span', null, tick.label);
    node.style.left = `${x * 100}%`;
    return node;
  });
  const flag = el('b.cursor-flag', { id: 'cursor-flag', hidden: true });
  byId('timeline-x').replaceChildren(el('i', null, sight.axis === 'time' ? 'Time' : 'Event'), ...labels, flag);
}

/**
 * @param {import('../sight.js').Sight} sight
 * @param {{width: number, height: number}} box
 */
function layoutMarks(sight, box) {
  const nodes = [];
  let lastRight = -1;
  const marks = marksOf(sight);
  for (const mark of marks) {
    const x = across(sight, mark.x);
    if (x < 0 || x > 1) continue;
    const line = el(`div.v-line.${mark.kind}`);
    line.style.left = `min(${x * 100}%, calc(100% - 2px))`;
    nodes.push(line);
    const left = x * box.width;
    if (mark.kind === 'oom' && lastRight > left - 20 && lastRight >= 0) continue; // its line says enough, the neighbour's label stands there
    const label = el(`span.plot-label${mark.kind === 'oom' ? '.oom' : ''}`, null, mark.text);
    const flip = left > box.width - 200;
    if (flip) label.style.right = `${box.width - left + 6}px`;
    else label.style.left = `${left + 6}px`;
    // OOM at the top, where there is air; the peak just above the data, unless an OOM stands beside it.
    const bottom = mark.kind === 'oom' ? box.height - 22 : Math.min(1, Math.max(0.02, up(sight, mark.bytes))) * box.height + 4;
    label.style.bottom = `${Math.max(4, Math.min(bottom, box.height - 22))}px`;
    const beside = mark.kind === 'peak' && marks.some((other) => other.kind === 'oom' && Math.abs(across(sight, other.x) - x) * box.width < 220);
    if (beside && bottom > box.height - 48) continue;
    nodes.push(label);
    if (mark.kind === 'oom') lastRight = left;
  }
  byId('timeline-marks').replaceChildren(...nodes);
  layoutReserved(sight);
}

/** @param {import('../sight.js').Sight} sight */
function layoutReserved(sight) {
  const label = byId('reserved-label');
  const { x1, y0, y1 } = sight.range;
  const width = (x1 - sight.range.x0) / 200;
  sight.client.latest('reserved', () => sight.client.ask({ ask: 'chart', device: sight.device, axis: sight.axis, columns: 1, x0: Math.max(0, x1 - width), x1 }), (answer) => {
    if (!answer) return;
    const reserved = answer.reserved[0];
    // Under the label of an OOM it would not be read; the read-out has the number, too.
    const covered = (known.get(sight)?.marks || []).some((mark) => mark.kind === 'oom' && across(sight, mark.x) > 0.7 && across(sight, mark.x) <= 1) && (1 - up(sight, reserved)) * byId('timeline-plot').clientHeight < 46;
    label.hidden = covered || !(reserved > y0 && reserved < y1);
    if (label.hidden) return;
    setText(label, `reserved ${formatBytes(reserved)}`);
    placeReserved(label, up(sight, reserved) * byId('timeline-plot').clientHeight);
  });
}

/**
 * Above its line, or else below it: where it is not cut off and covers no label of a mark; otherwise nowhere, for the read-out has the number.
 * @param {HTMLElement} label
 * @param {number} y of the line, in CSS pixels from the bottom
 */
function placeReserved(label, y) {
  const { offsetHeight: height } = label;
  const others = [...byId('timeline-marks').querySelectorAll('.plot-label')].map((node) => node.getBoundingClientRect());
  const plot = byId('timeline-plot').getBoundingClientRect();
  label.hidden = !['above', 'below'].some((side) => {
    label.style.bottom = `${side === 'above' ? y + 2 : y - height - 3}px`;
    const own = label.getBoundingClientRect();
    return own.top >= plot.top && own.bottom <= plot.bottom && !others.some((each) => each.left < own.right + 4 && each.right > own.left - 4 && each.top < own.bottom && each.bottom > own.top);
  });
}

/** @param {import('../sight.js').Sight} sight */
export function layoutCursor(sight) {
  const cursor = byId('timeline-cursor');
  const flag = document.getElementById('cursor-flag');
  const width = byId('timeline-x').clientWidth;
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
  const labels = /** @type {NodeListOf<HTMLElement>} */ (byId('timeline-x').querySelectorAll('span'));
  for (const label of labels) label.style.visibility = !flag.hidden && Math.abs(parseFloat(label.style.left) / 100 - x) * width < 52 ? 'hidden' : '';
  if (flag.hidden) return;
  flag.style.left = `clamp(24px, ${x * 100}%, calc(100% - 24px))`;
  setText(flag, sight.axis === 'time' ? formatDuration(sight.cursor ?? 0) : sight.probe.moment === 0 ? 'start' : formatCount(sight.probe.event));
}

/**
 * A selected block that is too thin to see gets a label with a leader. A column of the picture shows one of its moments, so the place is asked for.
 * @param {import('../sight.js').Sight} sight
 * @param {{width: number, height: number}} box
 */
function layoutSelected(sight, box) {
  const { selection } = sight;
  byId('selected-label').hidden = true;
  byId('timeline-over').replaceChildren();
  if (!selection || selection.kind !== 'allocation') return;
  const tall = (selection.details.requested_bytes / (sight.range.y1 - sight.range.y0)) * box.height;
  if (tall >= 14) return;
  const { range } = sight;
  sight.client.latest('leader', () => placeInPicture(sight, selection, box), (found) => {
    if (found && sight.selection === selection && sight.range === range) drawLeader(sight, box, found.x, found.offset + selection.details.requested_bytes / 2);
  });
}

/**
 * @param {import('../sight.js').Sight} sight
 * @param {any} selection
 * @param {{width: number, height: number}} box
 * @returns {Promise<{x: number, offset: number}|null>} the pixel it is looked at, and the bytes below it there
 */
async function placeInPicture(sight, selection, box) {
  const place = await placeOf(sight, selection.moment);
  const x = across(sight, (place.x0 + place.x1) / 2) * box.width;
  if (x < 0 || x >= box.width) return null;
  const view = { axis: sight.axis, ...sight.range, width: Math.round(box.width), height: Math.round(box.height), stacking: sight.stacking };
  const probe = await sight.client.ask({ ask: 'probe', device: sight.device, view, x, y: 0 });
  const shown = probe && await sight.client.ask({ ask: 'allocation', device: sight.device, id: selection.id, moment: probe.moment, stacking: sight.stacking });
  return shown && shown.offset_bytes !== null && shown.offset_bytes !== undefined ? { x, offset: shown.offset_bytes } : null;
}

/**
 * @param {import('../sight.js').Sight} sight
 * @param {{width: number, height: number}} box
 * @param {number} x
 * @param {number} bytes
 */
function drawLeader(sight, box, x, bytes) {
  const y = (1 - up(sight, bytes)) * box.height;
  if (y < 0 || y > box.height) return;
  const label = byId('selected-label');
  const left = x > 170;
  const labelY = Math.min(Math.max(y + (y > 80 ? -44 : 44), 4), box.height - 24);
  setText(label, `Selected, ${formatBytes(sight.selection?.kind === 'allocation' ? sight.selection.details.requested_bytes : 0)}`);
  label.hidden = false;
  label.style.top = `${labelY}px`;
  label.style.left = left ? '' : `${x + 48}px`;
  label.style.right = left ? `${box.width - x + 48}px` : '';
  byId('timeline-over').replaceChildren(svgElement('path', { class: 'leader', d: `M${x} ${y}L${left ? x - 48 : x + 48} ${labelY + 10}` }));
}
