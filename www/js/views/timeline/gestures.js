// Hands on the picture: wheel, drag, two fingers, click, double-click, and the pointer that looks.
import { boxOf } from '../../boxes.js';
import { byId } from '../../dom.js';
import { attachPinch } from '../../fingers.js';
import { cause, measureSince } from '../../input.js';
import { current, emit, on, store } from '../../store.js';
import { pan, setProbe, setRange, showWhole, zoomX, zoomY } from '../../sight.js';
import { fitAllocation, letGo, pinAllocation, setMoment } from '../pin.js';
import { showCursor } from './plot-labels.js';
import { viewOf } from './plot.js';

const DRAG_FROM_PX = 5;
/** Keys that move the cursor: it stays where they put it until the pointer moves. */
const CURSOR_KEYS = ['ArrowLeft', 'ArrowRight', 'Home', 'End', 'Comma', 'Period', 'BracketLeft', 'BracketRight'];
/** @type {{x: number, y: number, range: import('../../sight.js').Range, moved: boolean}|null} */
let press = null;
/** @type {{x: number, y: number}|null} where the pointer looks, in CSS pixels of the plot */
let hover = null;

/** @param {MouseEvent} event */
function at(event) {
  const box = boxOf('timeline-plot');
  return { x: event.clientX - box.left, y: event.clientY - box.top, width: box.width, height: box.height };
}

/** @param {{x: number, y: number}} point @returns {{question: any, x: number}|null} */
function questionAt(point) {
  const sight = current();
  if (!sight) return null;
  const view = viewOf(sight);
  const scale = devicePixelRatio || 1;
  const x = Math.min(Math.max(point.x * scale, 0), view.width - 1);
  return { question: { ask: 'probe', device: sight.device, view, x, y: Math.min(Math.max(point.y * scale, 0), view.height - 1) }, x: view.x0 + (x / view.width) * (view.x1 - view.x0) };
}

/** Asks what is under the pointer; only the latest place counts. @param {number} [since] when the pointer moved there */
function look(since = 0) {
  const sight = current();
  const asked = follow();
  if (!sight || !asked) return;
  sight.client.latest('probe', () => {
    const now = (hover && questionAt(hover)) || asked;
    return sight.client.ask(now.question).then((answer) => ({ answer, x: now.x }));
  }, ({ answer, x }) => {
    if (!answer) return;
    setProbe(sight, answer);
    if (hover) sight.cursor = x;
    if (current() !== sight) return;
    emit('cursor');
    measureSince('vramscope:hover', since);
  });
}

/** The cursor goes where the pointer is. */
function follow() {
  const sight = current();
  const asked = hover && store.view === 'timeline' ? questionAt(hover) : null;
  if (!sight || !asked) return null;
  sight.cursor = asked.x;
  showCursor();
  return asked;
}

/** @param {PointerEvent} event */
function pointerDown(event) {
  if (event.button !== 0) return;
  const sight = current();
  if (!sight) return;
  byId('timeline-plot').setPointerCapture(event.pointerId);
  byId('timeline-canvas').focus({ preventScroll: true });
  press = { ...at(event), range: sight.range, moved: false };
}

/** @param {PointerEvent} event */
function pointerMove(event) {
  const point = at(event);
  if (!press) {
    hover = point;
    look(cause());
    return;
  }
  if (!press.moved && Math.hypot(point.x - press.x, point.y - press.y) <= DRAG_FROM_PX) return;
  press.moved = true;
  byId('timeline-plot').toggleAttribute('data-dragging', true);
  const { x0, x1, y0, y1 } = press.range;
  const x = ((press.x - point.x) / point.width) * (x1 - x0);
  const y = ((point.y - press.y) / point.height) * (y1 - y0);
  setRange({ x0: x0 + x, x1: x1 + x, y0: y0 + y, y1: y1 + y });
}

/** @param {number} factor @param {number} x in the window @param {number} dx */
function pinch(factor, x, dx) {
  const sight = current();
  if (!sight) return;
  const { left, width } = boxOf('timeline-plot');
  const { x0, x1 } = sight.range;
  zoomX(1 / factor, x0 + ((x - left) / width) * (x1 - x0));
  pan(-dx / width);
}

function stopDrag() {
  press = null;
  hover = null;
  byId('timeline-plot').removeAttribute('data-dragging');
}

/** @param {PointerEvent} event */
function pointerUp(event) {
  const clicked = press && !press.moved && event.type === 'pointerup';
  stopDrag();
  hover = event.pointerType === 'touch' && !clicked ? null : at(event);
  if (clicked) void click();
  else look();
}

/** Pins what is under the pointer; the same again, or empty ground, lets go. */
async function click() {
  const sight = current();
  const asked = hover && questionAt(hover);
  if (!sight || !asked) return;
  const answer = await sight.client.ask(asked.question);
  if (current() !== sight || !answer) return;
  setProbe(sight, answer);
  sight.cursor = asked.x;
  const found = answer.allocation;
  const same = found && sight.selection?.kind === 'allocation' && sight.selection.id === found.id;
  if (!found || same) letGo();
  else await pinAllocation(found.id, answer.moment, found);
  emit('cursor');
}

/** @param {MouseEvent} event a finger is gone by then */
async function doubleClick(event) {
  const sight = current();
  const asked = questionAt(at(event));
  if (!sight || !asked) return;
  const answer = await sight.client.ask(asked.question);
  if (current() !== sight || !answer) return;
  if (!answer.allocation) {
    showWhole();
    return;
  }
  await pinAllocation(answer.allocation.id, answer.moment, answer.allocation);
  await fitAllocation(answer.allocation);
}

/** @param {WheelEvent} event */
function wheel(event) {
  const sight = current();
  if (!sight) return;
  event.preventDefault();
  const point = at(event);
  const unit = event.deltaMode === 1 ? 32 : event.deltaMode === 2 ? 400 : 1;
  const along = (event.shiftKey ? event.deltaX || event.deltaY : event.deltaX) * unit;
  const delta = event.deltaY * unit;
  const { x0, x1, y0, y1 } = sight.range;
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    pan(along / point.width);
  } else {
    // A pinch on a touch pad comes as ctrl+wheel with small steps.
    const factor = Math.exp(Math.max(-240, Math.min(240, delta)) * (event.ctrlKey && Math.abs(delta) < 50 ? 0.01 : 0.002));
    if (event.altKey) zoomY(factor, y1 - (point.y / point.height) * (y1 - y0));
    else zoomX(factor, x0 + (point.x / point.width) * (x1 - x0));
  }
  hover = point;
  // What lies under the pointer is told when its picture has come.
  if (sight.range.x0 === x0 && sight.range.x1 === x1 && sight.range.y0 === y0 && sight.range.y1 === y1) look();
  else follow();
}

export function initGestures() {
  const plot = byId('timeline-plot');
  attachPinch(plot, pinch, stopDrag);
  plot.addEventListener('pointerdown', pointerDown);
  plot.addEventListener('pointermove', pointerMove);
  plot.addEventListener('pointerup', pointerUp);
  plot.addEventListener('pointercancel', pointerUp);
  plot.addEventListener('pointerleave', (event) => {
    const { selection, moment } = current() || {};
    // Looking around ends where it began: at the moment of what is pinned. A finger that tapped has pinned.
    if (hover && event.pointerType !== 'touch' && selection?.kind === 'allocation' && selection.moment !== moment) void setMoment(selection.moment, false);
    hover = null;
  });
  plot.addEventListener('dblclick', (event) => void doubleClick(event));
  plot.addEventListener('wheel', wheel, { passive: false });
  addEventListener('keydown', (event) => {
    if (CURSOR_KEYS.includes(event.code)) hover = null;
  }, true);
  on('picture', () => {
    if (hover && !press) look();
  });
}
