// The column on the right: what is pinned, or else what is under the pointer.
import { byId, copyAndSay, el, icon } from '../dom.js';
import { bytesSpan, exactBytes, formatBytes, formatCount, formatDuration, place, plural, swatch } from '../format.js';
import { current, on } from '../store.js';
import { fitAllocation, letGo } from './pin.js';
import { momentText } from './readout.js';
import { stackList, stackText } from './stack-list.js';
import { term } from '../tooltip.js';

/** What the column shows now, so that it is built once for each. */
let shown = '';

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

/**
 * @param {any} details
 * @param {boolean} pinned
 */
function allocation(details, pinned) {
  const legend = current()?.overview.legend.find((/** @type {any} */ entry) => entry.slot === details.slot);
  const colour = details.slot < 7 && legend ? el('span.tag', null, swatch(details.slot), place(legend)) : el('span.tag', null, swatch(details.slot), 'all other stacks');
  /** @type {[string, Node|string|null][]} */
  const facts = [
    ['Alive', alive(details)],
    ['Lifetime', details.alive_at_end || details.lifetime_events === null ? null : plural(details.lifetime_events, 'event')],
    ['Freed', freed(details)],
    ['Colour', colour],
    ['Pool, stream', poolAndStream(details)],
    ['Address', el('span.code', null, details.address)],
    ['Compiled', details.compile_context],
    ['Metadata', details.user_metadata],
  ];
  return el('section', null,
    el('h2.eyebrow', null, el('span', null, 'Allocation'), el('span.of', null, pinned ? 'pinned' : 'under the pointer')),
    el('p.figure', { 'data-bytes': details.requested_bytes, title: exactBytes(details.requested_bytes) }, formatBytes(details.requested_bytes)),
    el('p.muted.exact', null, exactBytes(details.requested_bytes)),
    el('dl.facts', null, ...facts.filter(([, value]) => value).flatMap(([name, value]) => [el('dt', null, name), el('dd', null, value)])),
    el('div.row-actions', { 'data-off': !pinned || null },
      el('button.button.small', { type: 'button', disabled: !pinned, title: 'Fit  F', onclick: () => void fitAllocation(details) }, icon('fit'), 'Show its lifetime'),
      el('button.button.small', { type: 'button', disabled: !pinned, title: 'Let go  Esc', onclick: letGo }, icon('close'), 'Let go')));
}

/**
 * @param {any[]|null} groups
 * @param {string|null} reason
 */
function stackSection(groups, reason) {
  if (!groups || !groups.length) return el('section', null, el('h3', null, 'Stack'), el('p.soft.small', null, reason || 'No stack was recorded for it.'));
  const word = el('span', null, 'Copy');
  return el('section', null, el('h3', null, term('stack', 'Stack'), el('button.button.quiet.small', { type: 'button', 'aria-label': 'Copy the stack', onclick: () => void copyAndSay(word, stackText(groups)) }, icon('copy'), word)), stackList(groups));
}

/** @param {any} selection a request that could not be served */
function failedRequest(selection) {
  const { failed } = selection.row;
  const facts = [
    ['Failed at', `event ${formatCount(failed.event)}`], ['Requested then', bytesSpan(failed.requested_at)], ['Reserved then', bytesSpan(failed.reserved_at)],
    ['Free on the card', bytesSpan(failed.device_free_bytes)], ['Asked by', place(failed)],
  ];
  return [
    el('section', null,
      el('h2.eyebrow.is-error', null, icon('error'), el('span', null, 'Failed request')),
      el('p.figure', null, bytesSpan(failed.requested_bytes)),
      el('p.muted.exact', null, exactBytes(failed.requested_bytes)),
      el('dl.facts', null, ...facts.flatMap(([name, value]) => [el('dt', null, name), el('dd', null, value)])),
      el('div.row-actions', null, el('button.button.small', { type: 'button', title: 'Let go  Esc', onclick: letGo }, icon('close'), 'Let go'))),
    stackSection(selection.stack, null),
  ];
}

/** @param {any} selection */
function stackOnly(selection) {
  const { row, moment } = selection;
  if (row.failed) return failedRequest(selection);
  const sight = current();
  const when = sight && moment === sight.overview.peak.moment ? 'at the peak' : moment === 0 ? 'before the first event' : `after event ${formatCount(moment - 1)}`;
  return [
    el('section', null,
      el('h2.eyebrow', null, el('span', null, 'Stack'), el('span.of', null, 'pinned')),
      el('p.figure', null, bytesSpan(row.bytes)),
      el('p.muted.exact', null, `in ${plural(row.count, 'block')} ${when}`),
      el('dl.facts', null, el('dt', null, 'Colour'), el('dd', null, el('span.tag', null, swatch(row.slot), row.slot < 7 ? 'its own' : 'shared with other stacks')), el('dt', null, 'Made at'), el('dd', null, place(row))),
      el('div.row-actions', null, el('button.button.small', { type: 'button', title: 'Let go  Esc', onclick: letGo }, icon('close'), 'Let go'))),
    stackSection(selection.stack, row.stack === null ? 'Blocks of several stacks share this line.' : null),
  ];
}

/** @param {import('../sight.js').Sight} sight */
function empty(sight) {
  const { probe } = sight;
  const facts = probe ? [['Moment', momentText(sight, probe)], ['Requested', formatBytes(probe.requested_bytes)], ['Reserved', probe.reserved_bytes === null ? '–' : formatBytes(probe.reserved_bytes)], ['Alive', plural(probe.alive, 'allocation')]] : [];
  return el('section', null,
    el('h2.eyebrow', null, el('span', null, 'Nothing selected')),
    el('p.soft.small.hint', null, 'Point at an allocation, or move the cursor with ← and →. A click or Enter pins it.'),
    el('dl.facts', null, ...facts.flatMap(([name, value]) => [el('dt', null, name), el('dd', null, value)])));
}

function update() {
  const sight = current();
  if (!sight) return;
  const { selection, probe } = sight;
  const under = probe?.allocation;
  const key = selection ? `${selection.kind} ${selection.kind === 'allocation' ? selection.id : selection.row.stack} ${selection.moment}` : under ? `under ${under.id}` : `empty ${probe?.moment} ${probe ? momentText(sight, probe) : ''}`;
  if (key === shown) return;
  shown = key;
  const panel = byId('details');
  if (selection?.kind === 'stack') panel.replaceChildren(...stackOnly(selection));
  else if (selection) panel.replaceChildren(allocation(selection.details, true), stackSection(selection.details.stack, selection.details.no_stack));
  else if (under) panel.replaceChildren(allocation(under, false), stackSection(under.stack, under.no_stack));
  else panel.replaceChildren(empty(sight));
  panel.scrollTop = 0;
}

export function initDetails() {
  on('active', () => {
    shown = '';
    update();
  });
  on('cursor', update);
  on('selection', update);
}
