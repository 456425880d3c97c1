// The picture of the stacks: asked for with its labels in one go, of which only the latest counts.
import { byId, el, setText } from '../../dom.js';
import { formatCount, formatShare, plural } from '../../format.js';
import { framed } from '../../frame.js';
import { cause, measureSince } from '../../input.js';
import { current, emit, on, store } from '../../store.js';
import { colours, pictureColours } from '../../theme.js';
import { setStacks, stacksOf, treeOf, unitOf, WEIGHS } from './wish.js';
import { isGeneric, placeOf, weightText } from './words.js';

/** @type {{sight: object, view: any, layout: any, key: string}|null} what the canvas shows */
let shown = null;
let since = 0;

/** @returns {any} the layout on the canvas, if it is of what is open */
export const shownTree = () => (shown && shown.sight === current() ? shown : null);

/** @param {import('../../sight.js').Sight} sight */
export function icicleView(sight) {
  const scale = devicePixelRatio || 1;
  const box = byId('icicle');
  const { zoom, x0, x1 } = stacksOf(sight);
  return { zoom, x0, x1, top: Math.round(box.scrollTop * scale), width: Math.max(1, Math.round(byId('icicle-frame').clientWidth * scale)), height: Math.max(1, Math.round(box.clientHeight * scale)), scale };
}

/** @param {import('../../sight.js').Sight} sight @returns {'category'|'stack'} */
export const colouredBy = (sight) => (sight.stacking === 'category' ? 'category' : 'stack');

/** @param {import('../../sight.js').Sight} sight */
function request(sight) {
  return { picture: 'stacks', ...treeOf(sight), view: icicleView(sight), by: colouredBy(sight), colours: { ...pictureColours(sight), ...colours().state }, selected: stacksOf(sight).selected };
}

/** @param {import('../../sight.js').Sight} sight @param {any} wish */
const keyOf = (sight, wish) => `${store.active?.id} ${sight.labels} ${JSON.stringify(sight.filter)} ${JSON.stringify(wish)}`;
const soon = framed(paint);
/** The expression may choose something else under the same text. */
let matches = 0;

/** Asks for a frame that shows the present wish. */
export function scheduleTree() {
  since = cause();
  soon();
}

/** @returns {boolean} whether the canvas shows the present wish */
function isPictureCurrent() {
  const sight = current();
  return sight !== null && shown?.sight === sight && shown.key === `${matches} ${keyOf(sight, request(sight))}`;
}

function paint() {
  const sight = current();
  if (!sight || store.view !== 'stacks' || byId('stacks').hidden) return;
  byId('icicle-frame').style.height = `${byId('icicle').clientHeight}px`;
  if (isPictureCurrent()) return;
  const from = since;
  sight.client.latest('stacks', async () => {
    const wish = request(sight);
    const asked = `${matches} ${keyOf(sight, wish)}`;
    const [picture, layout] = await Promise.all([sight.client.draw(wish), sight.client.ask({ ask: 'tree_layout', ...treeOf(sight), view: wish.view })]);
    return { wish, picture, layout, key: asked };
  }, ({ wish, picture, layout, key: asked }) => {
    if (current() !== sight || !layout) return;
    const { view } = wish;
    const canvas = /** @type {HTMLCanvasElement} */ (byId('stacks-canvas'));
    if (canvas.width !== view.width || canvas.height !== view.height) Object.assign(canvas, { width: view.width, height: view.height });
    canvas.getContext('2d', { alpha: false })?.putImageData(new ImageData(picture.pixels, view.width, view.height), 0, 0);
    shown = { sight, view, layout, key: asked };
    byId('icicle-all').style.height = `${Math.ceil(layout.height / view.scale)}px`;
    setLabels(sight, view, layout);
    measureSince('vramscope:stacks', from);
    emit('tree');
    scheduleTree();
  });
}

/** Figures of the code font at 12 px, the widest there is, and the air in a box. */
const LETTER_PX = 7.3;
const FIGURE_PX = 6.8;
const AIR_PX = 10;

/**
 * The longest text that fits: a number whole or not at all.
 * @param {any} label
 * @param {number} width
 * @param {string} weight
 * @returns {HTMLElement|null}
 */
function labelOf(label, width, weight) {
  const room = width - AIR_PX;
  const place = placeOf(label);
  const line = label.line ? `:${label.line}` : '';
  const fits = (/** @type {string} */ text, more = 0) => text.length * LETTER_PX + more <= room;
  const small = weight.length * FIGURE_PX + 8;
  if (fits(`${label.name} ${place}`, small)) return el('span', null, `${label.name} `, el('em', null, place), el('small', null, weight));
  if (fits(`${label.name} ${place}`)) return el('span', null, `${label.name} `, el('em', null, place));
  const own = isGeneric(label) && place ? [place, line] : [`${label.name} ${line}`, label.name];
  const text = own.find((each) => each && fits(each));
  if (text) return el('span', null, text, fits(text, small) ? el('small', null, weight) : null);
  // Names may be cut, lines may not.
  return !isGeneric(label) && room > 5 * LETTER_PX ? el('span', null, label.name) : null;
}

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {any} view
 * @param {any} layout
 */
function setLabels(sight, view, layout) {
  const unit = unitOf(sight);
  const px = (/** @type {number} */ value) => value / view.scale;
  const nodes = layout.labels.flatMap((/** @type {any} */ label) => {
    const root = label.level === 0 && layout.key === null;
    const named = root ? { ...label, name: WEIGHS[stacksOf(sight).weigh][0] } : label;
    const node = labelOf(named, px(label.width), weightText(label.total, unit));
    if (!node) return [];
    Object.assign(node.style, { left: `${px(label.x)}px`, top: `${px(label.y)}px`, width: `${px(label.width)}px` });
    node.dataset.node = String(label.id);
    return [node];
  });
  byId('icicle-labels').replaceChildren(...nodes);
  const none = layout.blocks === 0;
  byId('stacks-empty').hidden = !none;
  if (none) setText(byId('stacks-empty'), stacksOf(sight).changes.length ? 'Nothing is left: undo a step above.' : sight.expression || sight.filter ? 'No allocation of the filter counts here.' : `Nothing is ${WEIGHS[stacksOf(sight).weigh][0]}.`);
  byId('stacks-canvas').setAttribute('aria-label', `Icicle of ${plural(layout.blocks, 'allocation')}, ${weightText(layout.total, unit)} ${WEIGHS[stacksOf(sight).weigh][0]}, in ${plural(layout.nodes, 'frame')}. Arrow keys move between frames, Enter zooms; the call tree below mirrors the picture.`);
}

/** @param {any} place of a probe @param {import('../../sight.js').Sight} sight */
export function runText(place, sight) {
  const [frames, weight] = place.run;
  return `${formatCount(frames)} frames too narrow to draw, ${weightText(Math.round(weight), unitOf(sight))} in all, ${formatShare(weight / Math.max(1, shown?.layout.total ?? 1))}`;
}

/** @param {number|null} zoom shows a frame as wide as the picture; null: everything */
export function zoomTo(zoom) {
  setStacks({ zoom, x0: 0, x1: 1 });
}

/**
 * @param {number} factor below 1 zooms in
 * @param {number} at share of the picture that stays where it is
 */
export function zoomAcross(factor, at = 0.5) {
  const sight = current();
  if (!sight) return;
  const { x0, x1 } = stacksOf(sight);
  const width = Math.min(1, Math.max((x1 - x0) * factor, 1e-9));
  const left = Math.min(Math.max(x0 + (x1 - x0 - width) * at, 0), 1 - width);
  setStacks({ x0: left, x1: left + width });
}

/** @param {number} by of the shown width, to the right */
export function panAcross(by) {
  const sight = current();
  if (!sight) return;
  const { x0, x1 } = stacksOf(sight);
  const width = x1 - x0;
  const left = Math.min(Math.max(x0 + by * width, 0), 1 - width);
  setStacks({ x0: left, x1: left + width });
}

export function initPicture() {
  byId('icicle').addEventListener('scroll', scheduleTree);
  on('chosen', () => { matches += 1; });
  for (const topic of /** @type {const} */ (['active', 'view', 'options', 'range', 'moment', 'cursor', 'theme', 'labels', 'filter', 'figures', 'chosen'])) on(topic, scheduleTree);
  new ResizeObserver(scheduleTree).observe(byId('icicle'));
}
