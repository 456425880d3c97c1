// The picture of the timeline: the last sharp raster moved and scaled in the frame of the gesture, then a new one from the worker.
import { wasm } from '../../wasm.js';
import { boxOf, forgetBoxes } from '../../boxes.js';
import { byId } from '../../dom.js';
import { chosenBy } from '../../expression.js';
import { framed } from '../../frame.js';
import { cause, measureSince } from '../../input.js';
import { current, emit, on, store } from '../../store.js';
import { wholeRange } from '../../sight.js';
import { colours, pictureColours } from '../../theme.js';
import { layoutOverlay } from './plot-labels.js';
import { askNotes, moveNotes } from './plot-notes.js';

const canvas = () => /** @type {HTMLCanvasElement} */ (byId('timeline-canvas'));
/** When the input came that the next frame answers. */
let since = 0;
/** A picture of the present range is still to come. */
let waited = false;
/** While the hand moves, the worker draws no oftener: frames need the processor, too. */
const PICTURES_EVERY_MS = 40;
/** The timer of the next request, when the last one was sent, and the input that the next one answers. */
let timer = 0, asked = 0, wantedSince = 0;

/** @returns {{width: number, height: number}} the plot in device pixels */
export function plotSize() {
  const { width, height } = boxOf('timeline-plot');
  const scale = devicePixelRatio || 1;
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * The view as questions and pictures want it.
 * @param {import('../../sight.js').Sight} sight
 * @param {{width: number, height: number}} [size]
 */
export function viewOf(sight, size = plotSize()) {
  return { axis: sight.axis, ...sight.range, ...size, stacking: sight.stacking, ...(sight.show === 'allocations' ? {} : { show: sight.show }) };
}

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {{width: number, height: number}} size
 */
function request(sight, size) {
  const filter = sight.filter ? { filter: sight.filter } : {};
  const chosen = sight.only ? {} : chosenBy(sight);
  return { picture: 'timeline', ...filter, ...chosen, device: sight.device, view: viewOf(sight, size), colours: pictureColours(sight), labels: sight.labels, selected: sight.selection?.kind === 'allocation' ? sight.selection.id : null };
}

/** @param {import('../../sight.js').Sight} sight what a picture must share with another to be moved in its place */
const style = (sight) => `${sight.axis} ${sight.stacking} ${sight.show} ${JSON.stringify(sight.filter)} ${colours().key}`;

/** @param {object} wish */
const keyOf = (wish) => JSON.stringify(wish);

/**
 * Draws the first picture of a file, before it is shown, at the size that the plot will have.
 * @param {import('../../store.js').OpenFile} file
 */
export async function firstPicture(file) {
  const sight = file.sights.get(file.device);
  if (!sight) return;
  const size = sizeWhenShown();
  const wish = request(sight, size);
  take(sight, await sight.client.draw(wish), wish);
}

/** @returns {{width: number, height: number}} */
function sizeWhenShown() {
  const hidden = /** @type {HTMLElement[]} */ ([byId('timeline'), ...document.querySelectorAll('.in-file')]).filter((node) => node.hidden);
  const others = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.view')]).filter((node) => !node.hidden && node.id !== 'timeline');
  for (const node of hidden) node.hidden = false;
  for (const node of others) node.hidden = true;
  forgetBoxes();
  const size = plotSize();
  for (const node of hidden) node.hidden = true;
  for (const node of others) node.hidden = false;
  forgetBoxes();
  return size;
}

/**
 * Keeps a picture that came.
 * @param {import('../../sight.js').Sight} sight
 * @param {any} message
 * @param {any} wish
 */
function take(sight, message, wish) {
  const { width, height, x0, x1, y0, y1 } = wish.view;
  // The canvas of the last picture serves again, unless it is still needed as the picture of the whole.
  const kept = sight.sharp && sight.sharp !== sight.whole ? sight.sharp.canvas : document.createElement('canvas');
  if (kept.width !== width || kept.height !== height) Object.assign(kept, { width, height });
  kept.getContext('2d', { alpha: false })?.putImageData(new ImageData(message.pixels, width, height), 0, 0);
  const marked = sight.sharp?.expr !== wish.expr;
  sight.sharp = { canvas: kept, range: { x0, x1, y0, y1 }, key: keyOf(wish), expr: wish.expr };
  const now = style({ ...sight, axis: wish.view.axis, stacking: wish.view.stacking, show: wish.view.show || 'allocations', filter: wish.filter || null });
  if (sight.style !== now || marked) sight.whole = null;
  sight.style = now;
  const whole = wholeRange(sight);
  if (covers(wish.view, whole)) sight.whole = sight.sharp;
}

const soon = framed(paint);

/** Asks for a frame that shows the present range. */
export function schedule() {
  // The first of several inputs: the frame answers all of them.
  since ||= cause();
  soon();
}

/** Paints what is there now, and asks the worker for a sharp picture if it is not sharp. */
function paint() {
  const from = since;
  since = 0;
  const sight = current();
  if (!sight || store.view !== 'timeline' || byId('timeline').hidden) return;
  const size = plotSize();
  blit(sight, size);
  paintGrid(sight, size);
  measure(from, 'moved');
  const scale = devicePixelRatio || 1;
  const box = { width: size.width / scale, height: size.height / scale };
  layoutOverlay(sight, box);
  moveNotes(sight, box);
  askNotes();
  if (sight.sharp?.key === keyOf(request(sight, size))) {
    // Back where it was: whoever waits for a picture has it.
    if (waited) emit('picture');
    waited = false;
    return;
  }
  waited = true;
  wantedSince = from;
  const wait = asked + PICTURES_EVERY_MS - performance.now();
  if (timer) return;
  if (wait <= 0) draw();
  else timer = window.setTimeout(draw, wait);
}

/** Asks the worker for a picture of what is shown by now. */
function draw() {
  const sight = current();
  timer = 0;
  asked = performance.now();
  if (!sight) return;
  const from = wantedSince;
  sight.client.latest('timeline', () => {
    const latest = request(sight, plotSize());
    return sight.client.draw(latest).then((message) => ({ message, latest }));
  }, ({ message, latest }) => {
    take(sight, message, latest);
    if (current() !== sight || byId('timeline').hidden) return;
    blit(sight, plotSize());
    measure(from, 'sharp');
    waited = keyOf(request(sight, plotSize())) !== sight.sharp?.key;
    emit('picture');
  });
}

/**
 * One redraw, from the input that caused it to the pixels: of the moved picture, and of the sharp one.
 * @param {number} from 0: no input caused it
 * @param {'moved'|'sharp'} kind
 */
const measure = (from, kind) => measureSince('vramscope:frame', from, { kind });

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {{width: number, height: number}} size
 */
function blit(sight, { width, height }) {
  const target = canvas();
  if (target.width !== width || target.height !== height) {
    target.width = width;
    target.height = height;
  }
  const context = target.getContext('2d', { alpha: false });
  if (!context) return;
  context.imageSmoothingEnabled = false;
  context.fillStyle = colours().picture.background;
  context.fillRect(0, 0, width, height);
  if (sight.style !== style(sight)) return;
  const { sharp, whole, range } = sight;
  if (whole && whole !== sharp && !(sharp && covers(sharp.range, range))) lay(context, whole, range, width, height);
  if (sharp) lay(context, sharp, range, width, height);
}

/** @param {import('../../sight.js').Range} outer @param {import('../../sight.js').Range} inner */
const covers = (outer, inner) => outer.x0 <= inner.x0 && outer.x1 >= inner.x1 && outer.y0 <= inner.y0 && outer.y1 >= inner.y1;

/**
 * Lays the visible part of a kept picture where it belongs in the present range.
 * @param {CanvasRenderingContext2D} context
 * @param {import('../../sight.js').Sharp} kept
 * @param {import('../../sight.js').Range} range
 * @param {number} width
 * @param {number} height
 */
function lay(context, kept, range, width, height) {
  const from = kept.range;
  const x0 = Math.max(from.x0, range.x0), x1 = Math.min(from.x1, range.x1);
  const y0 = Math.max(from.y0, range.y0), y1 = Math.min(from.y1, range.y1);
  if (x0 >= x1 || y0 >= y1) return;
  const across = kept.canvas.width / (from.x1 - from.x0), up = kept.canvas.height / (from.y1 - from.y0);
  const right = width / (range.x1 - range.x0), rise = height / (range.y1 - range.y0);
  context.fillRect((x0 - range.x0) * right, (range.y1 - y1) * rise, (x1 - x0) * right, (y1 - y0) * rise);
  context.drawImage(kept.canvas, (x0 - from.x0) * across, (from.y1 - y1) * up, (x1 - x0) * across, (y1 - y0) * up, (x0 - range.x0) * right, (range.y1 - y1) * rise, (x1 - x0) * right, (y1 - y0) * rise);
}

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {{width: number, height: number}} size
 */
function paintGrid(sight, { width, height }) {
  const grid = /** @type {HTMLCanvasElement} */ (byId('timeline-grid'));
  grid.width = width; // clears it, too
  grid.height = height;
  wasm().paint_grid(grid, JSON.stringify({ ...sight.range, kind: sight.axis === 'time' ? 'time' : 'events', scale: devicePixelRatio || 1, colours: colours().grid }));
}

export function initPlot() {
  for (const topic of /** @type {const} */ (['active', 'range', 'selection', 'options', 'theme', 'view', 'filter', 'figures', 'chosen'])) on(topic, schedule);
  new ResizeObserver(schedule).observe(byId('timeline-plot'));
}
