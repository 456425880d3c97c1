// Hands on the blocks: the wheel scrolls and, with Ctrl, zooms inside rows, as two fingers do; drag pans; the pointer looks; click pins.
import { byId } from '../../dom.js';
import { attachPinch } from '../../fingers.js';
import { current, emit, on, store } from '../../store.js';
import { columnAt, scrollBlocks, setBlocks, shownBlocks, zoomBlocks } from './blocks.js';
import { choose, isSame, unchoose } from './choose.js';
import { showIn } from '../pin.js';

const DRAG_FROM_PX = 5;
/** @type {{x: number, y: number}|null} where the pointer looks, in CSS pixels of the canvas */
let hover = null;
/** @type {import('./choose.js').Found|null} */
let under = null;
/** @type {{x: number, y: number, left: number, top: number, moved: boolean}|null} */
let press = null;

/** @returns {import('./choose.js').Found|null} what is under the pointer */
export const hovered = () => under;

/** @param {MouseEvent} event */
function at(event) {
  const box = byId('blocks-frame').getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

/** @param {{x: number, y: number}} point */
function questionAt(point) {
  const seen = shownBlocks();
  if (!seen) return null;
  const { view, sight } = seen;
  return { ask: 'state_probe', device: sight.device, view, x: point.x * view.scale, y: point.y * view.scale };
}

/** @param {import('./choose.js').Found|null} found */
function setUnder(found) {
  const key = (/** @type {any} */ each) => (each ? `${each.segment.address} ${each.block?.address} ${each.allocation?.id}` : '');
  const changed = key(found) !== key(under);
  under = found;
  byId('state-canvas').toggleAttribute('data-over', found !== null);
  if (changed) emit('hover');
}

/** Asks what is under the pointer; only the latest place counts. */
function look() {
  const sight = current();
  if (!sight || store.view !== 'state') return;
  if (!hover || !questionAt(hover)) {
    setUnder(null);
    return;
  }
  sight.client.latest('state-probe', () => {
    const question = hover && questionAt(hover);
    return question ? sight.client.ask(question) : Promise.resolve(null);
  }, (found) => {
    if (current() === sight) setUnder(hover ? found : null);
  });
}

/** Pins what is under the pointer; the same again, or empty ground, lets go. */
async function click() {
  const sight = current();
  const question = hover && questionAt(hover);
  if (!sight || !question) return;
  const found = await sight.client.ask(question);
  if (current() !== sight) return;
  if (!found || isSame(found)) unchoose();
  else await choose(found);
}

/** @param {MouseEvent} event a finger is gone by then */
async function doubleClick(event) {
  const sight = current();
  const question = questionAt(at(event));
  if (!sight || !question) return;
  const found = await sight.client.ask(question);
  if (found?.allocation && current() === sight) await showIn('timeline', found.allocation);
}

/** @param {PointerEvent} event */
function pointerMove(event) {
  const point = at(event);
  const sight = current();
  if (!press || !sight || !(event.buttons & 1)) {
    hover = point;
    look();
    return;
  }
  if (!press.moved && Math.hypot(point.x - press.x, point.y - press.y) <= DRAG_FROM_PX) return;
  press.moved = true;
  byId('blocks-frame').toggleAttribute('data-dragging', true);
  scrollBlocks(press.top - (point.y - press.y));
  const { zoom } = sight.blocks;
  if (zoom > 1) setBlocks({ left: press.left - (point.x - press.x) / (columnPx(press.x) * zoom) });
}

/** @param {number} x in CSS pixels @returns {number} the width of the column of rows there */
function columnPx(x) {
  const scale = devicePixelRatio || 1;
  return columnAt(x * scale).column.width / scale;
}

/** @param {number} factor @param {number} x in the window @param {number} dx */
function pinch(factor, x, dx) {
  const sight = current();
  if (!sight) return;
  const scale = devicePixelRatio || 1;
  const place = columnAt((x - byId('blocks-frame').getBoundingClientRect().left) * scale);
  zoomBlocks(factor, Math.min(Math.max(place.share, 0), 1));
  setBlocks({ left: sight.blocks.left - (dx * scale) / (place.column.width * sight.blocks.zoom) });
}

function stopDrag() {
  press = null;
  byId('blocks-frame').removeAttribute('data-dragging');
}

/** @param {WheelEvent} event */
function wheel(event) {
  const sight = current();
  if (!sight) return;
  const { x } = at(event);
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    const delta = Math.max(-240, Math.min(240, event.deltaY * (event.deltaMode === 1 ? 32 : 1)));
    // A pinch on a touch pad comes as ctrl+wheel with small steps.
    // Where no segment lies, at the left: there every row has something.
    zoomBlocks(Math.exp(-delta * (Math.abs(delta) < 50 ? 0.01 : 0.003)), under === null ? 0 : Math.min(Math.max(columnAt(x * (devicePixelRatio || 1)).share, 0), 1));
  } else if (sight.blocks.zoom > 1 && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
    event.preventDefault();
    setBlocks({ left: sight.blocks.left + (event.deltaX || event.deltaY) / (columnPx(x) * sight.blocks.zoom) });
  }
}

export function initBlockGestures() {
  const canvas = byId('state-canvas');
  attachPinch(canvas, pinch, stopDrag);
  canvas.addEventListener('pointerdown', (event) => {
    const sight = current();
    if (!sight || event.button !== 0) return;
    canvas.focus({ preventScroll: true });
    if (event.pointerType !== 'touch') canvas.setPointerCapture(event.pointerId);
    hover = at(event);
    press = { ...hover, left: sight.blocks.left, top: byId('blocks').scrollTop, moved: false };
  });
  canvas.addEventListener('pointermove', pointerMove);
  for (const type of /** @type {const} */ (['pointerup', 'pointercancel'])) {
    canvas.addEventListener(type, (event) => {
      const clicked = press && !press.moved && type === 'pointerup';
      stopDrag();
      hover = at(event);
      if (clicked) void click();
      else look();
    });
  }
  canvas.addEventListener('pointerleave', () => {
    hover = null;
    setUnder(null);
  });
  canvas.addEventListener('dblclick', (event) => void doubleClick(event));
  byId('blocks').addEventListener('wheel', wheel, { passive: false });
  on('blocks', () => {
    if (hover && !press) look();
  });
  for (const topic of /** @type {const} */ (['active', 'view'])) {
    on(topic, () => {
      hover = null;
      under = null;
    });
  }
}
