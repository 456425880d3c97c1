// The column beside the blocks: what is chosen or under the pointer, or else why a request failed, the moment's figures, and what pins what.
import { byId, el, icon } from '../../dom.js';
import { bytesSpan, columnUnit, exactBytes, formatBytes, formatCount, formatShare, limitText, place, plural, shortPath } from '../../format.js';
import { current, on, store } from '../../store.js';
import { momentOf } from '../../sight.js';
import { term } from '../../tooltip.js';
import { allocationSections, stackSection } from '../allocation-details.js';
import { rowKey } from '../timeline/alive.js';
import { hovered } from './block-gestures.js';
import { scrollBlocks, shownBlocks } from './blocks.js';
import { chooseSegment, chosenBlock, isChosen, unchoose } from './choose.js';
import { blocksSection } from './block-table.js';
import { blockSection, factList, segmentSections } from '../layer-details.js';

const MOST_PINNED = 30;
/** What the column shows now, so that it is built once for each. */
let shown = '';
/** @type {WeakMap<object, Map<number, any>>} stacks of requests that failed */
const stacks = new WeakMap();

const letGo = () => el('div.row-actions', null, el('button.button.small', { type: 'button', title: 'Let go  Esc', onclick: unchoose }, icon('close'), 'Let go'));

/**
 * @param {import('./choose.js').Found} found
 * @param {boolean} chosen
 */
function blockSections({ segment, block, allocation }, chosen) {
  const table = chosen ? [blocksSection(segment, block?.address)] : [];
  const actions = chosen ? letGo() : null;
  if (allocation) return [...allocationSections({ ...allocation, block_bytes: block?.bytes ?? allocation.block_bytes, rounding_bytes: block?.rounding_bytes ?? allocation.rounding_bytes }, chosen, 'state'), ...segmentSections({ ...segment, stack: null }, 'around it'), ...table];
  const words = chosen ? 'chosen' : 'under the pointer';
  if (block) return [blockSection(block, segment, words, actions), ...segmentSections(segment, 'around it'), ...table];
  return [...segmentSections(segment, words, actions), ...table];
}

/**
 * The request that failed, against what was free.
 * @param {any} state
 * @param {import('../../sight.js').Sight} sight
 */
function oomSections(state, sight) {
  const { oom, total } = state;
  const { requested_bytes: wanted, largest_free_bytes: largest, limit_low_bytes: low, limit_high_bytes: high } = oom;
  return [el('section', null,
    el('h2.eyebrow.is-error', null, icon('error'), el('span', null, 'Request that failed')),
    el('p.figure', { 'data-bytes': wanted, title: exactBytes(wanted) }, formatBytes(wanted)),
    el('p.muted.exact', null, exactBytes(wanted)),
    estimated(state),
    factList([
      ['Asked by', oom.name ? place(oom) : null],
      [term('limit'), limitText(low, high)],
      [term('live'), bytesSpan(total.allocated_bytes)],
      [term('pending'), pendingText(total)],
      [term('inside', 'Free inside'), el('span', null, bytesSpan(oom.free_bytes), oom.free_bytes >= wanted && !oom.fits ? ', enough if it were one piece' : '')],
      [term('largest'), el('span', null, el('b', null, bytesSpan(largest)), `, ${formatShare(largest / Math.max(1, wanted))} of the request`, oom.fits ? '; large enough, yet refused' : '')],
      [term('fragmentation'), total.fragmentation === null ? null : el('span', null, total.fragmentation.toFixed(2), el('span.muted', null, ' (1 − largest ÷ free)'))],
      [term('card', 'Free on the card'), oom.device_free_bytes === null ? null : bytesSpan(oom.device_free_bytes)],
    ])), ...(stackOf(sight, oom.stack) || [])];
}

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {number|null} id
 * @returns {HTMLElement[]|null} null until it is known
 */
function stackOf(sight, id) {
  if (id === null || id === undefined) return null;
  const known = stacks.get(sight) || new Map();
  stacks.set(sight, known);
  if (known.has(id)) return known.get(id) ? [stackSection(known.get(id), null, 'Asked by')] : null;
  known.set(id, null);
  void sight.client.ask({ ask: 'stack', device: sight.device, id }).then((answer) => {
    known.set(id, answer?.stack || null);
    shown = '';
    update();
  });
  return null;
}

/** Nothing is said where nothing waits. @param {any} figures */
function pendingText({ pending_bytes: bytes, pending_blocks: count }) {
  return bytes > 0 ? el('span', null, bytesSpan(bytes), ` in ${plural(count, 'block')}`) : null;
}

/** @param {any} state @returns {HTMLElement|null} why sizes are not exact */
function estimated(state) {
  return state.exact ? null : el('p.small.is-warning', null, icon('warning'), ' Sizes of blocks are estimated here.', state.exact_reason ? ` ${state.exact_reason}` : '');
}

/** @param {any} state */
function momentSection(state) {
  const { total, action } = state;
  const number = (/** @type {number|null} */ bytes) => (bytes === null || bytes === undefined ? '–' : bytesSpan(bytes));
  return el('section', null,
    el('h2.eyebrow', null, el('span', null, state.only_moment ? 'At this moment' : state.moment === 0 ? 'Before the first event' : `After event ${formatCount(state.event)}`), action ? el('span.of', null, String(action).replace(/_/g, ' ')) : null),
    estimated(state),
    factList([
      [term('requested'), number(state.requested_bytes)], [term('allocated'), number(state.allocated_bytes)], [term('active'), number(state.active_bytes)], [term('reserved'), number(state.reserved_bytes)], [term('inactive_split'), state.inactive_split_bytes === undefined ? null : number(state.inactive_split_bytes)],
      [term('pending'), pendingText(total)], [term('rounding'), number(total.rounding_bytes)], [term('fragmentation'), total.fragmentation === null ? null : total.fragmentation.toFixed(2)],
      [term('outside'), state.outside?.count > 0 ? `${formatBytes(state.outside.bytes)} in ${plural(state.outside.count, 'block')}` : null],
    ]),
    el('p.soft.small', null, 'Point at a block, or press an arrow key. A click pins it.'));
}

/** The table that mirrors the picture. @param {any} state */
function groupsSection(state) {
  const { groups } = state;
  if (!groups.length) return null;
  const most = Math.max(...groups.map((/** @type {any} */ each) => each.reserved_bytes));
  const { unit, text } = columnUnit(most);
  const cell = (/** @type {number} */ bytes) => el('td.num', { title: exactBytes(bytes), 'data-bytes': bytes }, text(bytes));
  return el('section', null, el('h3', null, term('group'), el('span.unit', null, unit)),
    el('table.tight', null,
      el('thead', null, el('tr', null, ...[term('reserved'), term('live', 'Live'), term('free'), term('largest', 'Largest free'), term('fragmentation', 'Fragm.')].map((word) => el('th.num', { scope: 'col' }, word)))),
      ...groups.map((/** @type {any} */ group) => el('tbody', null,
        el('tr', null, el('th.group-row', { colspan: 5, scope: 'rowgroup' }, el('button.link', { type: 'button', title: 'Scroll to it', onclick: () => scrollToGroup(group.key) }, group.label))),
        el('tr', null, cell(group.reserved_bytes), cell(group.allocated_bytes), cell(group.free_bytes), cell(group.largest_free_bytes), el('td.num', null, group.fragmentation === null ? '–' : group.fragmentation.toFixed(2))),
        group.pending_bytes > 0 ? el('tr', null, el('td.muted', { colspan: 5 }, term('pending'), ': ', pendingText(group))) : null))));
}

/** @param {string} key of a group */
function scrollToGroup(key) {
  const seen = shownBlocks();
  const group = seen?.layout.groups.find((/** @type {any} */ each) => each.key === key);
  const sight = current();
  if (group && seen) scrollBlocks((group.y + seen.view.top) / seen.view.scale);
  else if (sight) scrollBlocks(0);
}

/** @param {any} state @param {import('../../sight.js').Sight} sight */
function pinnedSection(state, sight) {
  const { pinned } = state;
  if (!pinned || !pinned.segments) return null;
  const { rows } = pinned;
  const most = Math.max(...rows.map((/** @type {any} */ row) => row.bytes));
  const { unit, text } = columnUnit(most);
  const cell = (/** @type {number} */ bytes, shape = '') => el(`td.num${shape}`, { title: exactBytes(bytes), 'data-bytes': bytes }, text(bytes));
  const holders = (/** @type {any} */ row) => row.blocks.map((/** @type {any} */ each) => `${formatBytes(each.bytes)}, ${each.name}${each.at ? ` at ${each.at}` : ''}`).join('\n');
  return el('section', null, el('h3', null, el('span', null, 'What keeps half-empty segments'), el('span.unit', null, unit)),
    el('p.soft.small', null, el('b', null, bytesSpan(pinned.live_bytes)), ` of live blocks in ${plural(pinned.segments, 'segment')} keep `, el('b', null, bytesSpan(pinned.free_bytes)), ' from going back to the driver.'),
    el('table.picks', null, el('thead', null, el('tr', null, el('th.num', null, term('held_free')), el('th.num', null, term('by_live')), el('th.num', null, 'Segment'), el('th.grow', { title: 'Where the largest live block in it was made' }, term('made')))),
      el('tbody', null, ...rows.slice(0, MOST_PINNED).map((/** @type {any} */ row) => {
        const pick = () => chooseSegment(row.segment);
        return el('tr', { tabindex: 0, 'aria-selected': row.segment === sight.blocks.segment ? 'true' : null, title: `Live in it\n${holders(row)}`, onclick: pick, onkeydown: (/** @type {KeyboardEvent} */ event) => rowKey(event, pick) },
          cell(row.free_bytes), cell(row.live_bytes), cell(row.bytes, '.muted'), el('td.grow', null, el('span.code.truncate', null, row.blocks[0] ? shortPath(row.blocks[0].at || row.blocks[0].name) : '–')));
      }))),
    rows.length > MOST_PINNED ? el('p.muted.small', null, `and ${formatCount(rows.length - MOST_PINNED)} more segments`) : null);
}

/** @param {import('../../sight.js').Sight} sight */
function gone(sight) {
  const details = sight.selection?.kind === 'allocation' ? sight.selection.details : null;
  const text = !details ? 'This segment does not exist at this moment.' : momentOf(sight) < details.start_moment ? 'Not allocated yet at this moment.' : momentOf(sight) >= details.end_moment ? `Freed at event ${formatCount(details.end_moment - 1)}.` : 'It lies in no segment that the file tells of.';
  return el('section', null, el('h2.eyebrow', null, el('span', null, 'Chosen'), el('span.of', null, 'not there now')), el('p.soft', null, text), letGo());
}

/** @returns {{key: string, make: () => (HTMLElement|null)[]}|null} null: what is chosen is being asked for */
function content() {
  const sight = current();
  const seen = shownBlocks();
  const state = seen?.state;
  if (!sight || !seen || !state) return { key: 'nothing', make: () => [el('section', null, el('p.soft', null, 'The allocator’s state is not available.'))] };
  const { stamp } = seen;
  const chosen = chosenBlock();
  if (!chosen && isChosen(sight)) return null;
  const found = chosen ? chosen.found : hovered();
  if (found) return { key: `block ${found.segment.address} ${found.block?.address} ${found.allocation?.id} ${chosen !== null} ${stamp}`, make: () => blockSections(found, chosen !== null) };
  const rest = () => [state.oom ? oomSections(state, sight)[0] : momentSection(state), groupsSection(state), pinnedSection(state, sight), ...(state.oom ? oomSections(state, sight).slice(1) : [])];
  if (chosen) return { key: `gone ${stamp}`, make: () => [gone(sight), ...rest()] };
  return { key: `moment ${stamp}`, make: rest };
}

function update() {
  if (store.view !== 'state') return;
  const wanted = content();
  if (!wanted || wanted.key === shown) return;
  const { key, make } = wanted;
  shown = key;
  const panel = byId('state-details');
  const { scrollTop } = panel;
  const before = panel.dataset.kind;
  panel.dataset.kind = key.split(' ')[0];
  panel.replaceChildren(...make().filter((node) => node !== null));
  panel.scrollTop = before === panel.dataset.kind && before === 'moment' ? scrollTop : 0;
}

export function initStateDetails() {
  for (const topic of /** @type {const} */ (['blocks', 'hover', 'selection', 'view', 'active', 'figures'])) on(topic, update);
}
