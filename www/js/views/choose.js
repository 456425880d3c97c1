// What is chosen in the allocator's state: an allocation (pinned in the timeline, too), a free piece, or a whole segment.
import { byId } from '../dom.js';
import { current, emit, on, store } from '../store.js';
import { momentOf } from '../sight.js';
import { scrollBlocks, setBlocks, shownBlocks, stateView } from './blocks.js';
import { letGo, pinAllocation } from './pin.js';

/** @typedef {{segment: any, block: any, allocation: any}} Found the answer to `state_probe` */
/** @type {{sight: object, key: string, found: Found|null}|null} what is chosen, as it is at the moment shown; found null: it is not there now */
let chosen = null;
const HEAD_PX = 40;

/** @param {import('../sight.js').Sight} sight what is chosen, as a key; empty: nothing */
function keyNow(sight) {
  const { selection, blocks } = sight;
  const moment = momentOf(sight);
  const grown = `${store.active?.check.done} ${JSON.stringify(sight.filter)}`;
  if (selection?.kind === 'allocation') return `allocation ${selection.id} ${moment} ${grown}`;
  return blocks.segment ? `segment ${blocks.segment} ${blocks.address} ${moment} ${grown}` : '';
}

/** @returns {{found: Found|null}|null} null: nothing is chosen, or it is being asked for */
export function chosenBlock() {
  const sight = current();
  return sight && chosen && chosen.sight === sight && chosen.key === keyNow(sight) ? chosen : null;
}

/** @param {import('../sight.js').Sight} sight @returns {boolean} */
export function isChosen(sight) {
  return keyNow(sight) !== '';
}

/** @param {import('../sight.js').Sight} sight what is chosen, as `state_place` wants it */
function target(sight) {
  const { selection, blocks } = sight;
  if (selection?.kind === 'allocation') return { allocation: selection.id };
  return blocks.address ? { address: blocks.address } : { segment: blocks.segment };
}

/**
 * Where something lies when nothing is scrolled or zoomed.
 * @param {import('../sight.js').Sight} sight
 * @param {object} what
 */
async function placeAndProbe(sight, what) {
  const { client, device } = sight;
  const flat = { ...stateView(sight), zoom: 1, left: 0, top: 0 };
  const place = await client.ask({ ask: 'state_place', device, view: flat, ...what });
  if (!place) return null;
  const top = Math.max(0, Math.floor(place.y));
  return client.ask({ ask: 'state_probe', device, view: { ...flat, top }, x: place.x + place.width / 2, y: place.y - top + place.height / 2 });
}

/** Asks anew what is chosen, when the choice or the moment has changed. */
function refresh() {
  const sight = current();
  if (!sight || store.view !== 'state' || !shownBlocks()) return;
  const key = keyNow(sight);
  if (key === '' || (chosen?.sight === sight && chosen.key === key)) return;
  sight.client.latest('chosen', async () => {
    const asked = keyNow(sight);
    if (asked === '') return null;
    const segment = sight.selection?.kind === 'allocation' ? null : sight.blocks.segment;
    let found = await placeAndProbe(sight, target(sight));
    if (!found && segment) found = await placeAndProbe(sight, { segment });
    if (found && segment && !sight.blocks.address) found = { ...found, block: null, allocation: null };
    return { sight, key: asked, found };
  }, (answer) => {
    if (answer) chosen = answer;
    emit('blocks');
  });
}

/** @param {Found} found pins what was under the pointer */
export async function choose(found) {
  const sight = current();
  if (!sight) return;
  const { segment, block, allocation } = found;
  if (allocation) {
    await pinAllocation(allocation.id, momentOf(sight), allocation);
    chosen = { sight, key: keyNow(sight), found };
  } else {
    Object.assign(sight.blocks, { segment: segment.address, address: block ? block.address : null });
    sight.selection = null;
    chosen = { sight, key: keyNow(sight), found };
  }
  emit('selection');
}

/** @param {string} address of a segment */
export function chooseSegment(address) {
  const sight = current();
  if (!sight) return;
  Object.assign(sight.blocks, { segment: address, address: null });
  sight.selection = null;
  emit('selection');
  void reveal({ segment: address });
}

/** @returns {boolean} whether something was chosen */
export function unchoose() {
  const sight = current();
  if (!sight || !isChosen(sight)) return false;
  Object.assign(sight.blocks, { segment: null, address: null });
  chosen = null;
  if (!letGo()) emit('selection');
  return true;
}

/** @param {Found} found @returns {boolean} whether it is the one that is chosen already */
export function isSame(found) {
  const sight = current();
  if (!sight) return false;
  const { selection, blocks } = sight;
  if (found.allocation) return selection?.kind === 'allocation' && selection.id === found.allocation.id;
  return !selection && blocks.segment === found.segment.address && blocks.address === (found.block?.address ?? null);
}

/** Scrolls as little as possible so that it is in sight. @param {object} what */
export async function reveal(what) {
  const sight = current();
  if (!sight) return;
  const view = stateView(sight);
  const place = await sight.client.ask({ ask: 'state_place', device: sight.device, view, ...what });
  if (!place || current() !== sight) return;
  const { scale } = view;
  const y = place.y / scale, height = place.height / scale;
  const box = byId('blocks');
  if (y - HEAD_PX < box.scrollTop) scrollBlocks(Math.max(0, y - HEAD_PX));
  else if (y + height + 8 > box.scrollTop + box.clientHeight) scrollBlocks(y + height + 8 - box.clientHeight);
  if (sight.blocks.zoom > 1) await revealAcross(sight, what, view, place);
}

/**
 * @param {import('../sight.js').Sight} sight
 * @param {object} what
 * @param {any} view
 * @param {any} place
 */
async function revealAcross(sight, what, view, place) {
  const columns = shownBlocks()?.layout.columns || 1;
  const column = view.width / columns;
  const inside = place.x - Math.floor(place.x / column) * column;
  if (place.x >= 0 && place.x + Math.min(place.width, column / 2) <= view.width && inside < column) return;
  const flat = await sight.client.ask({ ask: 'state_place', device: sight.device, view: { ...view, zoom: 1, left: 0 }, ...what });
  if (!flat) return;
  const at = ((flat.x % column) + flat.width / 2) / column;
  setBlocks({ left: at - 0.5 / sight.blocks.zoom });
}

/** @param {'left'|'right'|'up'|'down'} towards the next block; the first in sight when none is chosen */
export async function neighbour(towards) {
  const sight = current();
  const seen = shownBlocks();
  if (!sight || !seen) return;
  const { client, device } = sight;
  const view = stateView(sight);
  const block = chosenBlock()?.found?.block || chosenBlock()?.found?.segment;
  if (!block) {
    const row = seen.layout.rows.find((/** @type {any} */ each) => each.y >= 0) || seen.layout.rows[0];
    if (!row) return;
    const found = await client.ask({ ask: 'state_probe', device, view: seen.view, x: Math.max(0, row.x) + 1, y: row.y + row.height / 2 });
    if (found && current() === sight) await choose(found);
    return;
  }
  const next = await client.ask({ ask: 'state_neighbour', device, view, address: block.address, towards });
  if (!next || next.address === null || current() !== sight) return;
  const what = next.allocation === null ? { address: next.address } : { allocation: next.allocation };
  const found = await placeAndProbe(sight, what);
  if (!found || current() !== sight) return;
  await choose(found);
  await reveal(what);
}

export function initChoose() {
  for (const topic of /** @type {const} */ (['blocks', 'selection', 'moment'])) on(topic, refresh);
  on('view', () => {
    const sight = current();
    if (sight && store.view === 'state' && sight.selection?.kind === 'allocation') void reveal({ allocation: sight.selection.id });
  });
}
