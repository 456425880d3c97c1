// The picture of the allocator's state: asked for with its layout and figures in one go, of which only the latest counts.
import { byId, setText } from '../../dom.js';
import { chosenBy } from '../../expression.js';
import { framed } from '../../frame.js';
import { cause, measureSince } from '../../input.js';
import { current, emit, on, store } from '../../store.js';
import { momentOf } from '../../sight.js';
import { colours, pictureColours } from '../../theme.js';
import { layoutLabels } from './block-labels.js';

/**
 * @typedef {object} Shown what the canvas shows
 * @property {import('../../sight.js').Sight} sight
 * @property {any} view the one it was drawn for
 * @property {any} layout
 * @property {any} state figures of the moment
 * @property {string} stamp what these figures are of: file, device, moment, filter
 */
/** @type {Shown|null} */
let shown = null;
let shownKey = '';
let since = 0;

/** @returns {Shown|null} what is on the canvas, if it is of what is open */
export function shownBlocks() {
  return shown && shown.sight === current() ? shown : null;
}

/** The state view, as questions and pictures want it. @param {import('../../sight.js').Sight} sight */
export function stateView(sight) {
  const scale = devicePixelRatio || 1;
  const box = byId('blocks');
  const frame = byId('blocks-frame');
  const { group, sort, zoom, left, top } = sight.blocks;
  return {
    moment: momentOf(sight), group, sort, stacking: sight.stacking, columns: null, zoom, left, top: Math.round(top * scale),
    width: Math.max(1, Math.round(frame.clientWidth * scale)), height: Math.max(1, Math.round(box.clientHeight * scale)), scale,
  };
}

/** @param {import('../../sight.js').Sight} sight */
function request(sight) {
  const { selection, blocks } = sight;
  const allocation = selection?.kind === 'allocation' ? selection.id : null;
  return {
    picture: 'state', ...chosenBy(sight), device: sight.device, view: stateView(sight), colours: { ...pictureColours(sight), ...colours().state }, labels: sight.labels,
    selected: allocation, segment: allocation === null ? blocks.segment : null,
  };
}

/** @param {import('../../sight.js').Sight} sight @param {any} wish */
const keyOf = (sight, wish) => `${store.active?.id} ${store.active?.check.done} ${JSON.stringify(sight.filter)} ${JSON.stringify(wish)}`;

const soon = framed(paint);

/** Asks for a frame that shows the present moment, place and selection. */
export function scheduleBlocks() {
  since = cause();
  soon();
}

function paint() {
  const sight = current();
  if (!sight || store.view !== 'state' || byId('state').hidden) return;
  byId('blocks-frame').style.height = `${byId('blocks').clientHeight}px`;
  shift();
  if (keyOf(sight, request(sight)) === shownKey) return;
  const from = since;
  sight.client.latest('state', () => fetchAll(sight), (found) => {
    if (current() !== sight || !found) return;
    take(sight, found);
    measureSince('vramscope:state', from);
    emit('blocks');
    if (keyOf(sight, request(sight)) !== shownKey) scheduleBlocks();
  });
}

/**
 * Picture, layout and figures of the same moment; null: there is no such device any more.
 * @param {import('../../sight.js').Sight} sight
 */
async function fetchAll(sight) {
  const wish = request(sight);
  const { client, device } = sight;
  // As it is now: the filter may change while the answers are on their way.
  const key = keyOf(sight, wish);
  const stamp = `${store.active?.id} ${device} ${wish.view.moment} ${store.active?.check.done} ${JSON.stringify(sight.filter)}`;
  const [picture, layout, state] = await Promise.all([
    client.draw(wish),
    client.ask({ ask: 'state_layout', device, view: wish.view, selected: wish.selected, segment: wish.segment }),
    client.ask({ ask: 'state', device, moment: wish.view.moment }),
  ]);
  return layout ? { wish, key, stamp, picture, layout, state } : null;
}

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {{wish: any, key: string, stamp: string, picture: any, layout: any, state: any}} found
 */
function take(sight, { wish, key, stamp, picture, layout, state }) {
  const { view } = wish;
  const canvas = /** @type {HTMLCanvasElement} */ (byId('state-canvas'));
  if (canvas.width !== view.width || canvas.height !== view.height) Object.assign(canvas, { width: view.width, height: view.height });
  canvas.getContext('2d', { alpha: false })?.putImageData(new ImageData(picture.pixels, view.width, view.height), 0, 0);
  shown = { sight, view, layout, state, stamp };
  shownKey = key;
  byId('blocks-all').hidden = false;
  byId('blocks-all').style.height = `${Math.ceil(layout.height / view.scale)}px`;
  byId('blocks-empty').hidden = layout.groups.length > 0;
  if (!layout.groups.length) setText(byId('blocks-empty'), sight.filter ? 'No segment of this part exists at this moment.' : 'Nothing is reserved at this moment: the allocator holds no segment.');
  layoutLabels(sight, shown);
  shift();
}

/** Until the new picture comes, the old one moves with the hand. */
function shift() {
  const seen = shownBlocks();
  const y = seen ? seen.view.top / seen.view.scale - seen.sight.blocks.top : 0;
  for (const id of ['state-canvas', 'block-labels']) byId(id).style.transform = Math.abs(y) < 0.75 ? '' : `translateY(${y}px)`;
}

/**
 * The column of rows at a place, and where in it the place lies.
 * @param {number} x in device pixels
 * @returns {{column: {left: number, width: number}, share: number}} share of the column's width, below 0 in its gutter
 */
export function columnAt(x) {
  const { layout, view } = shown || { layout: { columns: 1, rows: [] }, view: { width: 1 } };
  const lefts = [...new Set(layout.rows.map((/** @type {any} */ row) => row.x))].sort((a, b) => a - b);
  const gutter = lefts[0] ?? 0;
  const stride = lefts.length > 1 ? lefts[1] - lefts[0] : view.width / layout.columns;
  const width = Math.max(1, view.width - (layout.columns - 1) * stride - gutter);
  const left = gutter + Math.max(0, Math.min(layout.columns - 1, Math.floor(x / stride))) * stride;
  return { column: { left, width }, share: (x - left) / width };
}

/** @param {number} top in CSS pixels */
export function scrollBlocks(top) {
  byId('blocks').scrollTop = top;
}

/**
 * Shows the blocks another way.
 * @param {Partial<import('../../sight.js').Blocks>} wish
 */
export function setBlocks(wish) {
  const sight = current();
  if (!sight) return;
  const { blocks } = sight;
  Object.assign(blocks, wish);
  blocks.zoom = Math.min(Math.max(blocks.zoom, 1), 4096);
  blocks.left = Math.min(Math.max(blocks.left, 0), 1 - 1 / blocks.zoom);
  if (wish.group || wish.sort) scrollBlocks(0);
  emit('options');
}

/**
 * @param {number} factor above 1 zooms in
 * @param {number} [at] the part of the column that stays where it is
 */
export function zoomBlocks(factor, at = 0.5) {
  const sight = current();
  if (!sight) return;
  const { zoom, left } = sight.blocks;
  const to = Math.min(Math.max(zoom * factor, 1), 4096);
  setBlocks({ zoom: to, left: left + at / zoom - at / to });
}

export function initBlocks() {
  const box = byId('blocks');
  box.addEventListener('scroll', () => {
    const sight = current();
    if (!sight || store.view !== 'state') return;
    sight.blocks.top = box.scrollTop;
    scheduleBlocks();
  });
  // A step asks at once: waiting for a frame would be the longest part of it.
  on('moment', () => {
    since = cause();
    paint();
  });
  for (const topic of /** @type {const} */ (['active', 'view', 'cursor', 'selection', 'options', 'theme', 'check', 'figures', 'filter', 'chosen'])) on(topic, scheduleBlocks);
  for (const topic of /** @type {const} */ (['active', 'view'])) {
    on(topic, () => {
      const sight = current();
      if (sight && store.view === 'state') requestAnimationFrame(() => scrollBlocks(sight.blocks.top));
    });
  }
  new ResizeObserver(scheduleBlocks).observe(box);
}
