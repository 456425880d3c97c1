// What is said of the picture and has to be asked for: the line of reserved bytes at its right end, and where a thin selected block is.
// Asked when the hand rests; until then the notes move with the picture.
import { boxOf } from '../../boxes.js';
import { byId, setText, svgElement } from '../../dom.js';
import { formatBytes } from '../../format.js';
import { rested } from '../../frame.js';
import { placeOf } from '../../sight.js';
import { current, store } from '../../store.js';
import { across, marksOf, up } from './plot-labels.js';

/** @typedef {{width: number, height: number}} Size in CSS pixels */
/** @type {{sight: import('../../sight.js').Sight, bytes: number, above: boolean}|null} what the label of reserved bytes says, and on which side of its line */
let reserved = null;
/** @type {{selection: any, x: number, bytes: number}|null} where the leader ends, in the units of the axes */
let leader = null;
const LABEL_PX = 20;

/**
 * Moves the notes to where they belong now.
 * @param {import('../../sight.js').Sight} sight
 * @param {Size} box
 */
export function moveNotes(sight, box) {
  const label = byId('reserved-label');
  const y = reserved?.sight === sight ? up(sight, reserved.bytes) * box.height : -1;
  if (y < 0 || y > box.height || !reserved) label.hidden = true;
  else label.style.bottom = `${reserved.above ? y + 2 : y - LABEL_PX - 3}px`;
  drawLeader(sight, box);
}

/** Asks for the notes anew, when the hand rests. */
export const askNotes = rested(100, () => {
  const sight = current();
  if (!sight || store.view !== 'timeline') return;
  const { x0, x1 } = sight.range;
  sight.client.latest('reserved', () => sight.client.ask({ ask: 'chart', device: sight.device, axis: sight.axis, columns: 1, x0: Math.max(0, x1 - (x1 - x0) / 200), x1 }), (answer) => {
    if (answer) placeReserved(sight, answer.reserved[0]);
  });
  const { selection, range } = sight;
  const box = boxOf('timeline-plot');
  const thin = selection?.kind === 'allocation' && (selection.details.requested_bytes / (range.y1 - range.y0)) * box.height < 14;
  if (!thin) {
    leader = null;
    drawLeader(sight, box);
    return;
  }
  sight.client.latest('leader', () => placeInPicture(sight, selection, box), (found) => {
    if (sight.selection !== selection || sight.range !== range) return;
    leader = found ? { selection, x: range.x0 + (found.x / box.width) * (range.x1 - range.x0), bytes: found.offset + selection.details.requested_bytes / 2 } : null;
    drawLeader(sight, box);
  });
});

/**
 * Above its line, or else below it: where it is not cut off and covers no label of a mark; otherwise nowhere, for the read-out has the number.
 * @param {import('../../sight.js').Sight} sight
 * @param {number} bytes
 */
function placeReserved(sight, bytes) {
  const label = byId('reserved-label');
  const { y0, y1 } = sight.range;
  const { height } = boxOf('timeline-plot');
  // Under the label of an OOM it would not be read; the read-out has the number, too.
  const covered = marksOf(sight).some((mark) => mark.kind === 'oom' && across(sight, mark.x) > 0.7 && across(sight, mark.x) <= 1) && (1 - up(sight, bytes)) * height < 46;
  label.hidden = covered || !(bytes > y0 && bytes < y1);
  if (label.hidden) return;
  setText(label, `reserved ${formatBytes(bytes)}`);
  const others = [...byId('timeline-marks').querySelectorAll('.plot-label')].map((node) => node.getBoundingClientRect());
  const plot = byId('timeline-plot').getBoundingClientRect();
  const above = [true, false].find((side) => {
    reserved = { sight, bytes, above: side };
    moveNotes(sight, boxOf('timeline-plot'));
    const own = label.getBoundingClientRect();
    return own.top >= plot.top && own.bottom <= plot.bottom && !others.some((each) => each.left < own.right + 4 && each.right > own.left - 4 && each.top < own.bottom && each.bottom > own.top);
  });
  label.hidden = above === undefined;
}

/**
 * A selected block that is too thin to see gets a label with a leader. A column of the picture shows one of its moments, so the place is asked for.
 * @param {import('../../sight.js').Sight} sight
 * @param {any} selection
 * @param {Size} box
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

/** @param {import('../../sight.js').Sight} sight @param {Size} box */
function drawLeader(sight, box) {
  const label = byId('selected-label');
  const over = byId('timeline-over');
  const x = leader && leader.selection === sight.selection ? across(sight, leader.x) * box.width : -1;
  const y = leader ? (1 - up(sight, leader.bytes)) * box.height : -1;
  label.hidden = x < 0 || x > box.width || y < 0 || y > box.height || sight.selection?.kind !== 'allocation';
  if (label.hidden || sight.selection?.kind !== 'allocation') {
    if (over.firstChild) over.replaceChildren();
    return;
  }
  const left = x > 170;
  const labelY = Math.min(Math.max(y + (y > 80 ? -44 : 44), 4), box.height - 24);
  setText(label, `Selected, ${formatBytes(sight.selection.details.requested_bytes)}`);
  Object.assign(label.style, { top: `${labelY}px`, left: left ? '' : `${x + 48}px`, right: left ? `${box.width - x + 48}px` : '' });
  if (!over.firstChild) over.replaceChildren(svgElement('path', { class: 'leader' }));
  /** @type {Element} */ (over.firstChild).setAttribute('d', `M${x} ${y}L${left ? x - 48 : x + 48} ${labelY + 10}`);
}
