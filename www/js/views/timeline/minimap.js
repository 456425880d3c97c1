// The whole recording in a strip, and the brush on it: drag it, its handles, or empty ground; arrow keys when focused.
import { boxOf } from '../../boxes.js';
import { byId } from '../../dom.js';
import { formatCount, formatDuration } from '../../format.js';
import { chosenBy } from '../../expression.js';
import { framed, rested } from '../../frame.js';
import { current, on } from '../../store.js';
import { pan, setRange, wholeRange, xEnd, zoomX } from '../../sight.js';
import { colours, pictureColours } from '../../theme.js';

const HANDLE_PX = 7;
/** @type {{mode: 'move'|'left'|'right'|'new', from: number, x0: number, x1: number}|null} */
let drag = null;
let painted = '';
/** @type {object|null} whose picture is shown */
let of = null;

/** Paints the strip when anything but the brush has changed. */
function paint() {
  const sight = current();
  const box = boxOf('minimap-plot');
  if (!sight || byId('timeline').hidden || !box.width) return;
  const scale = devicePixelRatio || 1;
  const size = { width: Math.round(box.width * scale), height: Math.round(box.height * scale) };
  const view = { axis: sight.axis, ...wholeRange(sight), ...size, stacking: sight.stacking, ...(sight.show === 'allocations' ? {} : { show: sight.show }) };
  const request = { picture: 'minimap', device: sight.device, view, colours: { ...pictureColours(sight), background: colours().minimap }, labels: sight.labels, selected: null, ...(sight.show === 'allocations' && !sight.only ? chosenBy(sight) : {}) };
  const key = `${JSON.stringify(request)} ${JSON.stringify(sight.filter)} ${sightId(sight)}`;
  if (key === painted) return;
  if (of !== sight) {
    // Another file's picture would be taken for this one's until it comes.
    const canvas = /** @type {HTMLCanvasElement} */ (byId('minimap-canvas'));
    canvas.getContext('2d')?.clearRect(0, 0, canvas.width, canvas.height);
    painted = '';
    of = sight;
  }
  sight.client.latest('minimap', () => sight.client.draw(request), (message) => {
    if (current() !== sight) return;
    const canvas = /** @type {HTMLCanvasElement} */ (byId('minimap-canvas'));
    canvas.width = size.width;
    canvas.height = size.height;
    canvas.getContext('2d')?.putImageData(new ImageData(message.pixels, size.width, size.height), 0, 0);
    painted = key;
  });
}

const paintSoon = framed(paint);

/** @type {WeakMap<object, number>} */
const ids = new WeakMap();
let nextId = 1;
/** @param {object} sight */
function sightId(sight) {
  if (!ids.has(sight)) ids.set(sight, nextId++);
  return ids.get(sight);
}

const layoutBrush = framed(() => {
  const sight = current();
  if (!sight) return;
  const end = xEnd(sight);
  const { x0, x1 } = sight.range;
  const brush = byId('brush');
  brush.style.left = `${(x0 / end) * 100}%`;
  brush.style.width = `${Math.max(0, ((x1 - x0) / end) * 100)}%`;
  tell();
});

/** Where the brush is, for those who do not see it, when the hand rests. */
const tell = rested(100, () => {
  const sight = current();
  if (!sight) return;
  const { x0, x1 } = sight.range;
  const text = (/** @type {number} */ x) => (sight.axis === 'time' ? formatDuration(x) : formatCount(x));
  const plot = byId('minimap-plot');
  plot.setAttribute('aria-valuemin', '0');
  plot.setAttribute('aria-valuemax', String(Math.round(xEnd(sight))));
  plot.setAttribute('aria-valuenow', String(Math.round(x0)));
  plot.setAttribute('aria-valuetext', `${sight.axis === 'time' ? 'time' : 'events'} ${text(x0)} to ${text(x1)}`);
});

/** @param {PointerEvent} event @returns {{px: number, x: number, width: number}} */
function at(event) {
  const box = boxOf('minimap-plot');
  const sight = current();
  const px = event.clientX - box.left;
  return { px, x: (Math.min(Math.max(px / box.width, 0), 1)) * (sight ? xEnd(sight) : 1), width: box.width };
}

/** @param {PointerEvent} event @returns {'move'|'left'|'right'|'new'} */
function modeAt(event) {
  const sight = current();
  if (!sight) return 'new';
  const { px, width } = at(event);
  const left = (sight.range.x0 / xEnd(sight)) * width, right = (sight.range.x1 / xEnd(sight)) * width;
  if (Math.abs(px - left) <= HANDLE_PX && (left > 0 || px <= HANDLE_PX)) return 'left';
  if (Math.abs(px - right) <= HANDLE_PX) return 'right';
  const whole = sight.range.x0 <= 0 && sight.range.x1 >= xEnd(sight);
  return px > left && px < right && !whole ? 'move' : 'new';
}

const CURSORS = { move: 'grab', left: 'ew-resize', right: 'ew-resize', new: 'crosshair' };

/** @param {PointerEvent} event */
function move(event) {
  if (!drag) {
    byId('minimap-plot').style.cursor = CURSORS[modeAt(event)];
    return;
  }
  const { x } = at(event);
  const { mode, from, x0, x1 } = drag;
  if (mode === 'move') setRange({ x0: x0 + x - from, x1: x1 + x - from });
  else if (mode === 'left') setRange({ x0: Math.min(x, x1), x1: Math.max(x, x1) });
  else if (mode === 'right') setRange({ x0: Math.min(x, x0), x1: Math.max(x, x0) });
  else if (Math.abs(x - from) > 0) setRange({ x0: Math.min(x, from), x1: Math.max(x, from) });
}

/** @param {KeyboardEvent} event */
function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const sight = current();
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!sight) return;
  const { x0, x1 } = sight.range;
  if (step && event.shiftKey) setRange({ x0, x1: Math.max(x0, x1 + step * (x1 - x0) * 0.1) });
  else if (step) pan(step * 0.1);
  else if (event.key === 'ArrowUp') zoomX(0.8, (x0 + x1) / 2);
  else if (event.key === 'ArrowDown') zoomX(1.25, (x0 + x1) / 2);
  else if (event.key === 'Home') setRange({ x0: 0, x1: x1 - x0 });
  else if (event.key === 'End') setRange({ x0: xEnd(sight) - (x1 - x0), x1: xEnd(sight) });
  else if (event.key === 'PageUp') pan(-1);
  else if (event.key === 'PageDown') pan(1);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

export function initMinimap() {
  const plot = byId('minimap-plot');
  plot.addEventListener('pointerdown', (event) => {
    const sight = current();
    if (!sight || event.button !== 0) return;
    plot.setPointerCapture(event.pointerId);
    drag = { mode: modeAt(event), from: at(event).x, x0: sight.range.x0, x1: sight.range.x1 };
  });
  plot.addEventListener('pointermove', move);
  for (const type of /** @type {const} */ (['pointerup', 'pointercancel'])) plot.addEventListener(type, () => (drag = null));
  plot.addEventListener('keydown', key);
  for (const topic of /** @type {const} */ (['active', 'view', 'options', 'theme', 'filter', 'chosen'])) on(topic, paintSoon);
  for (const topic of /** @type {const} */ (['active', 'range', 'options', 'filter'])) on(topic, layoutBrush);
  new ResizeObserver(paintSoon).observe(plot);
}
