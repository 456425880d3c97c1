// Everything known of one allocation: its size and what rounding adds, its life, where it lies, what was noted with it, its stacks.
import { categoryName, categorySwatch } from '../categories.js';
import { addTerm } from '../expression.js';
import { copyAndSay, el, icon, shorten } from '../dom.js';
import { bytesSpan, exactBytes, formatBytes, formatCount, formatDuration, formatShare, place, plural, swatch } from '../format.js';
import { current } from '../store.js';
import { fitAllocation, letGo, showIn } from './pin.js';
import { patternOf, showRules } from './rules-dialog.js';
import { stackList, stackText } from './stack-list.js';
import { term } from '../tooltip.js';

/** A rule that is less sure than this is named as a guess. */
const PROBABLE = 0.65;

/** @param {any} details */
function alive(details) {
  const from = details.before_recording ? 'before recording began' : `event ${formatCount(details.alloc_event)}`;
  if (details.alive_at_end) return details.before_recording ? 'during the whole recording' : `${from} to the end of the recording`;
  const to = details.free_event ?? details.free_requested_event;
  const events = details.before_recording ? `until event ${formatCount(to)}` : `events ${formatCount(details.alloc_event)} to ${formatCount(to)}`;
  return details.lifetime_us === null ? events : `${events}, ${formatDuration(details.lifetime_us)}`;
}

/** @param {any} details */
function freed(details) {
  if (details.free_requested_event === null || details.free_event === null || details.free_requested_event === details.free_event) return null;
  return `asked for at event ${formatCount(details.free_requested_event)}, completed at ${formatCount(details.free_event)}`;
}

/** @param {any} details */
function poolAndStream(details) {
  const pool = details.private_pool ? `private pool (${details.private_pool.join(', ')})` : details.pool;
  return [pool, `stream ${details.stream}`].filter(Boolean).join(', ');
}

/** The block it lies in. @param {any} details */
function block(details) {
  const { block_bytes: whole, rounding_bytes: lost } = details;
  if (whole === null || whole === undefined) return null;
  const share = whole > 0 && lost > 0 ? `, ${formatShare(lost / whole)}` : '';
  const about = details.block_is_exact ? null : el('span', { title: `Estimated by rounding. ${current()?.figures.unknown_reason || 'The allocator model does not tell.'}` }, 'about ');
  return el('span', null, about, bytesSpan(whole), lost > 0 ? el('span', null, ', rounding adds ', bytesSpan(lost), share) : ', nothing lost by rounding');
}

/** A word of the file may hold anything: objects as JSON. @param {any} value @returns {string|null} */
function words(value) {
  if (value === null || value === undefined || value === '') return null;
  return shorten(typeof value === 'string' ? value : JSON.stringify(value), 400);
}

/** The line that it is coloured by, where it is. @param {any} details */
function line(details) {
  const sight = current();
  const legend = sight?.overview.legend.find((/** @type {any} */ entry) => entry.slot === details.slot);
  const named = details.slot < 7 && legend ? place({ ...legend, of_free: details.stack_of_free }) : null;
  return sight?.stacking === 'category' ? named : el('span.tag', null, swatch(details.slot), named || 'all other stacks');
}

/** What it holds, as far as that is known. @param {any} details */
function category(details) {
  const { category: kind, own_name: own, confidence } = details.category_of || {};
  if (!kind) return null;
  const sure = confidence >= PROBABLE || kind === 'unknown';
  return el('span.tag', null, categorySwatch(own ? 'own' : kind), own || (sure ? categoryName(kind) : `probably ${categoryName(kind).toLowerCase()}`));
}

/** Why. @param {any} details */
function why(details) {
  const { why: words, confidence } = details.category_of || {};
  return words ? el('span', null, `${words} `, el('span.muted', { title: 'How sure the rule is, from 0 to 1' }, `(${confidence.toFixed(2)})`)) : null;
}

/** When. @param {any} details */
function phase(details) {
  if (!details.phase) return null;
  const { step, phase: name } = details.phase;
  return `${step === null ? '' : `step ${formatCount(step + 1)}, `}${name.replace('_', ' ')}`;
}

/** What user code noted on it while it lived. @param {any} details */
function notes(details) {
  const list = details.annotations;
  if (!Array.isArray(list) || !list.length) return null;
  return el('span', null, ...list.flatMap((each, index) => [index ? '; ' : '', words(each) || '']));
}

/**
 * @param {any} details
 * @param {boolean} pinned
 * @param {'timeline'|'state'|'allocations'} where it is shown
 * @returns {HTMLElement[]} sections
 */
export function allocationSections(details, pinned, where) {
  /** @type {[Node|string, Node|string|null][]} */
  const facts = [
    ['Category', category(details)],
    ['Why', why(details)],
    ['Alive', alive(details)],
    ['Phase', phase(details)],
    ['Lifetime', details.alive_at_end || details.lifetime_events === null ? null : plural(details.lifetime_events, 'event')],
    ['Freed', freed(details)],
    [term('rounding', 'Block'), block(details)],
    ['Line', line(details)],
    ['Profiler', words(details.category) === null ? null : `${words(details.category)}, as the profiler recorded it`],
    ['Pool, stream', poolAndStream(details)],
    ['Address', el('span.code', null, details.address)],
    ['Annotated', notes(details)],
    ['Compiled', words(details.compile_context)],
    ['Metadata', words(details.user_metadata)],
    ['Internal', words(details.internal_metadata)],
  ];
  const pattern = patternOf(details.stack || []);
  const others = /** @type {const} */ (['timeline', 'state']).filter((each) => each !== where);
  const forward = details.forward_stack;
  return [
    el('section', null,
      el('h2.eyebrow', null, el('span', null, 'Allocation'), el('span.of', null, pinned ? 'pinned' : 'under the pointer')),
      el('p.figure', { 'data-bytes': details.requested_bytes, title: exactBytes(details.requested_bytes) }, formatBytes(details.requested_bytes)),
      el('p.muted.exact', null, exactBytes(details.requested_bytes)),
      el('dl.facts', null, ...facts.filter(([, value]) => value).flatMap(([name, value]) => [el('dt', null, name), el('dd', null, value)])),
      el('div.row-actions', { 'data-off': !pinned || null },
        ...others.map((other, index) => el('button.button.small', { type: 'button', disabled: !pinned, title: index ? 'Show in the allocator’s state  Shift G' : 'Show in the other view  G', onclick: () => void showIn(other, details) }, icon('jump'), other === 'state' ? 'Show in allocator state' : 'Show in timeline')),
        where === 'allocations' && details.stack_id > 0 ? el('button.button.small', { type: 'button', disabled: !pinned, title: 'Filter by this whole stack', onclick: () => addTerm(`stack:#${details.stack_id}`) }, icon('find'), 'Same stack') : null,
        where === 'timeline' ? el('button.button.small', { type: 'button', disabled: !pinned, title: 'Fit  F', onclick: () => void fitAllocation(details) }, icon('fit'), 'Show its lifetime') : null,
        el('button.button.small', { type: 'button', disabled: !pinned, title: 'Let go  Esc', onclick: letGo }, icon('close'), 'Let go'),
        pattern ? el('button.button.small', { type: 'button', disabled: !pinned, onclick: () => showRules(pattern) }, icon('filter'), 'Make a rule from this stack…') : null)),
    stackSection(details.stack, details.no_stack, details.stack_of_free ? 'Stack of its free' : 'Stack'),
    ...(forward?.length ? [stackSection(forward, null, 'Forward, where this backward allocation comes from')] : []),
  ];
}

/**
 * @param {any[]|null} groups
 * @param {string|null} reason
 * @param {string} [title]
 */
export function stackSection(groups, reason, title = 'Stack') {
  if (!groups || !groups.length) return el('section', null, el('h3', null, title), el('p.soft.small', null, reason || 'No stack was recorded for it.'));
  const word = el('span', null, 'Copy');
  const name = title === 'Stack' ? term('stack', title) : el('span', null, title);
  return el('section', null, el('h3', null, name, el('button.button.quiet.small', { type: 'button', 'aria-label': 'Copy the stack', onclick: () => void copyAndSay(word, stackText(groups)) }, icon('copy'), word)), stackList(groups));
}
