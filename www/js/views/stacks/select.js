// What is selected in the tree, and what is under the pointer: one for picture, table and details.
import { byId } from '../../dom.js';
import { attachPinch } from '../../fingers.js';
import { current, emit, on, store } from '../../store.js';
import { icicleView, panAcross, shownTree, zoomAcross, zoomTo } from './picture.js';
import { setStacks, stacksOf, treeOf } from './wish.js';

/** @type {{sight: object, details: any}|null} of the selected node */
let selected = null;
/** @type {any} what is under the pointer: a place in the picture */
let hovered = null;
let askedFor = '';
const ROW_PX = 24;

/** @returns {any} details of the selected node, or null */
export const selectedNode = () => {
  const sight = current();
  return sight && selected?.sight === sight && selected.details?.id === stacksOf(sight).selected ? selected.details : null;
};
/** @returns {any} */
export const hoveredPlace = () => hovered;

/** @param {any} place */
export function setHovered(place) {
  const changed = JSON.stringify(place) !== JSON.stringify(hovered);
  hovered = place;
  byId('stacks-canvas').toggleAttribute('data-over', place !== null);
  if (changed) emit('hover');
}

/** @param {number|null} id */
export async function select(id) {
  const sight = current();
  if (!sight) return;
  if (stacksOf(sight).selected !== id) setStacks({ selected: id });
  await refresh();
  if (id !== null) reveal(sight);
}

/** Asks anew for what is selected, when it or the tree has changed. */
async function refresh() {
  const sight = current();
  if (!sight || store.view !== 'stacks') return;
  const { selected: id } = stacksOf(sight);
  const key = `${store.active?.id} ${sight.labels} ${JSON.stringify(sight.filter)} ${shownTree()?.key} ${id} ${JSON.stringify(treeOf(sight))}`;
  if (id === null || key === askedFor) return;
  askedFor = key;
  const details = await sight.client.ask({ ask: 'tree_node', ...treeOf(sight), id });
  if (current() !== sight || askedFor !== key) return;
  selected = { sight, details };
  for (const [at, frame] of details ? details.keys.map((/** @type {number} */ each, /** @type {number} */ index) => [each, details.above[details.keys.length - 1 - index]]) : []) {
    if (frame) stacksOf(sight).names.set(at, frame.line ? `${frame.name} :${frame.line}` : frame.name);
  }
  if (details) stacksOf(sight).names.set(details.key, details.line ? `${details.name} :${details.line}` : details.name);
  emit('hover');
}

/** Scrolls as little as possible so that the selected node is in sight. @param {import('../../sight.js').Sight} sight */
function reveal(sight) {
  const details = selectedNode();
  const tree = shownTree();
  if (!details || !tree) return;
  const box = byId('icicle');
  const y = (details.level - tree.layout.first_level) * ROW_PX;
  if (y < box.scrollTop) box.scrollTop = y;
  else if (y + ROW_PX > box.scrollTop + box.clientHeight) box.scrollTop = y + ROW_PX - box.clientHeight;
}

/** @param {'left'|'right'|'up'|'down'} towards */
export async function neighbour(towards) {
  const sight = current();
  if (!sight) return;
  const { selected: id, zoom } = stacksOf(sight);
  const found = await sight.client.ask({ ask: 'tree_neighbour', ...treeOf(sight), id, towards, inside: zoom });
  if (found && found.id !== null && current() === sight) await select(found.id);
}

/** @param {{x: number, y: number}} at in CSS pixels of the canvas */
export async function placeAt(at) {
  const sight = current();
  if (!sight) return null;
  const view = icicleView(sight);
  return sight.client.ask({ ask: 'tree_probe', ...treeOf(sight), view, x: at.x * view.scale, y: at.y * view.scale });
}

/** Hands on the picture: the pointer looks, click selects, double click zooms, drag and the wheel move. */
export function initHands() {
  const canvas = byId('stacks-canvas');
  /** @type {{x: number, y: number, top: number, moved: boolean}|null} */
  let press = null;
  /** @type {{x: number, y: number}|null} */
  let pointer = null;
  const at = (/** @type {MouseEvent} */ event) => {
    const box = byId('icicle-frame').getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const look = () => {
    const sight = current();
    if (!sight || store.view !== 'stacks' || !pointer) return setHovered(null);
    sight.client.latest('tree-probe', () => (pointer ? placeAt(pointer) : Promise.resolve(null)), (place) => setHovered(pointer ? place : null));
  };
  attachPinch(canvas, (factor, x, dx) => {
    const { left, width } = byId('icicle-frame').getBoundingClientRect();
    zoomAcross(1 / factor, (x - left) / Math.max(1, width));
    panAcross(-dx / Math.max(1, width));
  }, () => { press = null; });
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    canvas.focus({ preventScroll: true });
    if (event.pointerType !== 'touch') canvas.setPointerCapture(event.pointerId);
    press = { ...at(event), top: byId('icicle').scrollTop, moved: false };
  });
  canvas.addEventListener('pointermove', (event) => {
    pointer = at(event);
    if (!press || !(event.buttons & 1)) return look();
    if (!press.moved && Math.hypot(pointer.x - press.x, pointer.y - press.y) <= 5) return;
    press.moved = true;
    byId('icicle').scrollTop = press.top - (pointer.y - press.y);
    panAcross((press.x - pointer.x) / Math.max(1, canvas.clientWidth));
    press.x = pointer.x;
  });
  canvas.addEventListener('pointerup', async (event) => {
    const clicked = press && !press.moved;
    press = null;
    pointer = at(event);
    if (!clicked) return look();
    const place = await placeAt(pointer);
    const sight = current();
    if (!sight) return;
    // Narrow frames: nearer, they can be told apart.
    if (place?.run) return;
    await select(!place ? null : place.id);
  });
  canvas.addEventListener('pointercancel', () => { press = null; });
  canvas.addEventListener('pointerleave', () => { pointer = null; look(); });
  canvas.addEventListener('dblclick', async (event) => {
    const place = await placeAt(at(event));
    if (!place) return;
    zoomTo(place.level === 0 ? null : place.id);
    await select(place.id);
  });
  for (const topic of /** @type {const} */ (['active', 'view'])) on(topic, () => { pointer = null; hovered = null; });
  on('tree', () => { void refresh(); if (pointer && !press) look(); });
}
