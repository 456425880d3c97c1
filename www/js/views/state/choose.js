// What is chosen in the allocator's state: an allocation (pinned in the timeline, too), a free piece, or a whole segment.
import { byId } from '../../dom.js';
import { current, emit, on, store } from '../../store.js';
import { momentOf } from '../../sight.js';
import { columnAt, scrollBlocks, setBlocks, shownBlocks, stateView } from './blocks.js';
import { letGo, pinAllocation } from '../pin.js';

/** @typedef {{segment: any, block: any, allocation: any}} Found the answer to `state_probe` */
/** @type {{sight: object, key: string, found: Found|null}|null} what is chosen, as it is at the moment shown; found null: it is not there now */
let chosen = null;
const HEAD_PX = 40;

/** @param {import('../../sight.js').Sight} sight what is chosen, as a key; empty: nothing */
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

/** @param {import('../../sight.js').Sight} sight @returns {boolean} */
export function isChosen(sight) {
  return keyNow(sight) !== '';
}

/** @param {import('../../sight.js').Sight} sight @returns {{allocation?: number, segment?: string|null, address?: string}} what is chosen */
function target(sight) {
  const { selection, blocks } = sight;
  if (selection?.kind === 'allocation') return { allocation: selection.id };
  return blocks.address ? { address: blocks.address } : { segment: blocks.segment };
}

/**
 * What lies at a place that may be out of sight: looked for where nothing is scrolled or zoomed.
 * @param {import('../../sight.js').Sight} sight
 * @param {{allocation?: number, segment?: string|null, address?: string}} what
 * @returns {Promise<Found|null>}
 */
async function placeAndProbe(sight, what) {
  const { client, device } = sight;
  const flat = { ...stateView(sight), zoom: 1, left: 0, top: 0 };
  const { address, ...known } = what;
  const place = await client.ask({ ask: 'state_place', device, view: flat, ...known, ...(address ? { segment: address } : {}) });
  if (!place) return null;
  const top = Math.max(0, Math.floor(place.y));
  const at = (/** @type {number} */ share) => client.ask({ ask: 'state_probe', device, view: { ...flat, top }, x: place.x + Math.min(Math.max(place.width * share, 0.5), place.width - 0.5), y: place.y - top + place.height / 2 });
  if (!address) return at(0.5);
  const { segment } = (await at(0)) || {};
  return segment ? at((Number(BigInt(address) - BigInt(segment.address)) + 1) / segment.bytes) : null;
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
    found = itself(sight, found);
    return { sight, key: asked, found };
  }, (answer) => {
    if (answer) chosen = answer;
    emit('blocks');
  });
}

/**
 * A block thinner than a pixel is hidden by its neighbour; what is known of it is told all the same.
 * @param {import('../../sight.js').Sight} sight
 * @param {Found|null} found
 */
function itself(sight, found) {
  const { selection } = sight;
  if (!found || selection?.kind !== 'allocation' || found.allocation?.id === selection.id) return found;
  return { segment: found.segment, block: null, allocation: selection.details };
}

/** @param {Found} found pins what was under the pointer */
export async function choose(found) {
  const sight = current();
  if (!sight) return;
  const { segment, block, allocation } = found;
  if (allocation) {
    await pinAllocation(allocation.id, momentOf(sight), allocation);
    sight.blocks.address = block ? block.address : null;
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

/** @param {string} segment @param {{address: string, allocation: number|null}} block of it */
export async function chooseBlock(segment, { address, allocation }) {
  const sight = current();
  if (!sight) return;
  if (allocation !== null) {
    await pinAllocation(allocation, momentOf(sight));
    sight.blocks.address = address;
  } else {
    Object.assign(sight.blocks, { segment, address });
    sight.selection = null;
    emit('selection');
  }
  void reveal(allocation === null ? { segment } : { allocation });
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
 * @param {import('../../sight.js').Sight} sight
 * @param {object} what
 * @param {any} view
 * @param {any} place
 */
async function revealAcross(sight, what, view, place) {
  const { column, share } = columnAt(place.x);
  if (share >= 0 && share + Math.min(place.width, column.width / 2) / column.width <= 1) return;
  const flat = await sight.client.ask({ ask: 'state_place', device: sight.device, view: { ...view, zoom: 1, left: 0 }, ...what });
  if (flat) setBlocks({ left: columnAt(flat.x + flat.width / 2).share - 0.5 / sight.blocks.zoom });
}

/** @param {'left'|'right'|'up'|'down'} towards the next block; the first in sight when none is chosen */
export async function neighbour(towards) {
  const sight = current();
  if (!sight || !shownBlocks()) return;
  const { client, device } = sight;
  const view = stateView(sight);
  const now = chosenBlock()?.found;
  // Where it is known to lie; what lies there now, if that has changed; or, when nothing is chosen, the first in sight.
  const known = sight.blocks.address;
  const starts = now ? [known ?? now.block?.address ?? now.segment.address, ...(known && now.block && now.block.address !== known ? [now.block.address] : [])] : [undefined];
  let next = null;
  for (const address of starts) {
    if (!next || next.address === null) next = await client.ask({ ask: 'state_neighbour', device, view, towards, ...(address ? { address } : {}) });
  }
  if (!next || next.address === null || current() !== sight) return;
  const what = next.allocation === null ? { address: next.address } : { allocation: next.allocation };
  const found = await placeAndProbe(sight, what);
  if (!found || current() !== sight) return;
  if (next.allocation === null || found.allocation?.id === next.allocation) await choose(found);
  else await pinAllocation(next.allocation, momentOf(sight));
  sight.blocks.address = next.address;
  await reveal(next.allocation === null ? { segment: found.segment.address } : what);
}

export function initChoose() {
  for (const topic of /** @type {const} */ (['blocks', 'selection', 'moment'])) on(topic, refresh);
  on('view', () => {
    const sight = current();
    if (sight && store.view === 'state' && sight.selection?.kind === 'allocation') void reveal({ allocation: sight.selection.id });
  });
}
