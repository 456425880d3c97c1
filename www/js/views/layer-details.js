// Details of what is not an allocation: a segment, a free piece of one, a pool.
import { el } from '../dom.js';
import { poolOf } from '../filter.js';
import { bytesSpan, exactBytes, formatBytes, formatCount, formatShare, swatch } from '../format.js';
import { current } from '../store.js';
import { term } from '../tooltip.js';
import { stackSection } from './allocation-details.js';

/** @param {[Node|string, Node|string|null|undefined][]} facts those that are not known are left out */
export function factList(facts) {
  return el('dl.facts', null, ...facts.filter(([, value]) => value !== null && value !== undefined).flatMap(([name, value]) => [el('dt', null, name), el('dd', null, value)]));
}

/** @param {number|null|undefined} bytes @param {number} [of] */
function part(bytes, of) {
  if (bytes === null || bytes === undefined) return null;
  return el('span', null, bytesSpan(bytes), of && bytes > 0 ? el('span.muted', null, `, ${formatShare(bytes / of)}`) : null);
}

/** @param {any} segment */
function poolName(segment) {
  const { kind, pool } = segment;
  const own = Array.isArray(pool) && pool.some((each) => each !== 0);
  return [kind ? `${kind} pool` : null, own ? `private pool ${pool.join(':')}` : null, segment.stream === null || segment.stream === undefined ? null : `stream ${segment.stream}`].filter(Boolean).join(', ');
}

/**
 * @param {any} segment of `state_probe` or of a timeline's probe
 * @param {string} words what it is to the eye: chosen, under the pointer
 * @param {Node|null} [actions]
 * @returns {HTMLElement[]}
 */
export function segmentSections(segment, words, actions = null) {
  const since = segment.since_moment ?? segment.start_moment;
  const until = segment.end_moment;
  return [
    el('section', null,
      el('h2.eyebrow', null, term('segment', 'Segment'), el('span.of', null, words), segment.pinned ? el('span.tag.is-warning', null, el('span.swatch.framed', { 'aria-hidden': 'true' }), term('pinned')) : null),
      el('p.figure', { 'data-bytes': segment.bytes, title: exactBytes(segment.bytes) }, formatBytes(segment.bytes)),
      el('p.muted.exact', null, exactBytes(segment.bytes)),
      factList([
        [term('group', 'Pool, stream'), poolName(segment) || null],
        [term('live'), part(segment.allocated_bytes, segment.bytes)],
        [term('pending'), segment.pending_bytes > 0 ? part(segment.pending_bytes, segment.bytes) : null],
        [term('free'), part(segment.free_bytes, segment.bytes)],
        [term('largest'), segment.free_bytes > 0 ? part(segment.largest_free_bytes) : null],
        ['Reserved since', since === null || since === undefined ? null : since === 0 ? 'before recording began' : `event ${formatCount(since - 1)}`],
        ['Reserved until', until === undefined ? null : until >= (current()?.moments ?? Infinity) ? 'the end of the recording' : `event ${formatCount(until - 1)}`],
        ['Colour', segment.slot === undefined ? null : el('span.tag', null, swatch(segment.slot), 'of its pool')],
        ['Expandable', segment.expandable ? 'yes: it grows and shrinks by pages' : null],
        ['Address', segment.address ? el('span.code', null, segment.address) : null],
      ]), actions),
    ...(segment.stack?.length ? [stackSection(segment.stack, null, 'Reserved for')] : []),
  ];
}

const STATES = /** @type {Record<string, ['free'|'pending'|'live', string]>} */ ({ free: ['free', 'Free piece'], pending: ['pending', 'Block awaiting free'], allocated: ['live', 'Live block'] });

/**
 * A block without an allocation that is known.
 * @param {any} block
 * @param {any} segment it lies in
 * @param {string} words
 * @param {Node|null} [actions]
 */
export function blockSection(block, segment, words, actions = null) {
  const [word, title] = STATES[block.state] || STATES.allocated;
  return el('section', null,
    el('h2.eyebrow', null, term(word, title), el('span.of', null, words)),
    el('p.figure', { 'data-bytes': block.bytes, title: exactBytes(block.bytes) }, formatBytes(block.bytes)),
    el('p.muted.exact', null, exactBytes(block.bytes)),
    factList([
      ['Requested', block.state === 'free' ? null : part(block.requested_bytes)],
      [term('rounding'), block.rounding_bytes > 0 ? part(block.rounding_bytes, block.bytes) : null],
      ['Of its segment', formatShare(block.bytes / Math.max(1, segment.bytes))],
      ['Address', el('span.code', null, block.address)],
    ]), actions);
}

/** @param {any} pool under the pointer in the timeline */
export function poolSections(pool) {
  const name = poolOf(pool, current()?.choices) || '';
  return [el('section', null,
    el('h2.eyebrow', null, el('span', null, 'Pool'), el('span.of', null, 'under the pointer')),
    el('p.figure', { 'data-bytes': pool.reserved_bytes, title: exactBytes(pool.reserved_bytes) }, formatBytes(pool.reserved_bytes)),
    el('p.muted.exact', null, `${exactBytes(pool.reserved_bytes)} reserved`),
    factList([
      ['Pool', el('span.tag', null, pool.slot === undefined ? null : swatch(pool.slot), name)],
      [term('requested', 'In use'), part(pool.used_bytes, pool.reserved_bytes)],
      ['Not in use', pool.used_bytes === undefined ? null : part(Math.max(0, pool.reserved_bytes - pool.used_bytes), pool.reserved_bytes)],
    ]))];
}
