// The column on the right: what is pinned, or else what is under the pointer.
import { categoryName, categorySwatch } from '../../categories.js';
import { byId, el, icon } from '../../dom.js';
import { bytesSpan, exactBytes, formatBytes, formatCount, place, plural, swatch } from '../../format.js';
import { current, on, store } from '../../store.js';
import { allocationSections, stackSection } from '../allocation-details.js';
import { poolSections, segmentSections } from '../layer-details.js';
import { periodSection } from './periods.js';
import { term } from '../../tooltip.js';
import { letGo, pinAllocation } from '../pin.js';
import { momentText } from './readout.js';

/** What the column shows now, so that it is built once for each. */
let shown = '';
/** @type {any} the answer that it was built from, where something is pinned */
let shownOf = null;
let scrolled = false;

/** @param {any} selection a request that could not be served */
function failedRequest(selection) {
  const { failed } = selection.row;
  const facts = [
    ['Failed at', `event ${formatCount(failed.event)}`], ['Requested then', bytesSpan(failed.requested_at)], ['Reserved then', bytesSpan(failed.reserved_at)],
    [term('card', 'Free on the card'), bytesSpan(failed.device_free_bytes)], ['Asked by', place(failed)],
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

/** What the row is coloured by. @param {any} row */
function colour(row) {
  const facts = (/** @type {string} */ name, /** @type {HTMLElement} */ mark, /** @type {string} */ text) => [el('dt', null, name), el('dd', null, el('span.tag', null, mark, text))];
  if (current()?.stacking !== 'category') return facts('Colour', swatch(row.slot), row.slot < 7 ? 'its own' : 'shared with other stacks');
  return row.category ? facts('Category', categorySwatch(row.category), `${categoryName(row.category)}, most of its bytes`) : [];
}

/** @param {any} selection */
function stackOnly(selection) {
  const { row, moment } = selection;
  if (row.failed) return failedRequest(selection);
  const sight = current();
  const when = sight && sight.moments < 2 ? 'at this moment' : sight && moment === sight.overview.peak.moment ? 'at the peak' : moment === 0 ? 'before the first event' : `after event ${formatCount(moment - 1)}`;
  return [
    el('section', null,
      el('h2.eyebrow', null, el('span', null, 'Stack'), el('span.of', null, 'pinned')),
      el('p.figure', null, bytesSpan(row.bytes)),
      el('p.muted.exact', null, `in ${plural(row.count, 'block')} ${when}`),
      el('dl.facts', null, ...colour(row), el('dt', null, row.of_free ? term('made', 'Freed at') : term('made')), el('dd', null, place({ ...row, of_free: false }))),
      el('div.row-actions', null, el('button.button.small', { type: 'button', title: 'Let go  Esc', onclick: letGo }, icon('close'), 'Let go'))),
    stackSection(selection.stack, row.stack === null ? 'Blocks of several stacks share this line.' : null, row.of_free ? 'Stack of their frees' : 'Stack'),
  ];
}

/** @param {import('../../sight.js').Sight} sight */
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
  if (!sight || store.view === 'state') return;
  const { selection, probe } = sight;
  const under = probe?.allocation;
  const layer = probe?.segment ? `segment ${probe.segment.address} ${probe.segment.start_moment}` : probe?.pool ? `pool ${JSON.stringify(probe.pool)}` : '';
  const period = selection ? null : sight.period;
  const key = period ? `period ${period.name} ${period.each.first_event}` : selection ? `${selection.kind} ${selection.kind === 'allocation' ? selection.id : selection.row.stack} ${selection.moment}` : under && !layer ? `under ${under.id}` : layer || `empty ${probe?.moment} ${probe ? momentText(sight, probe) : ''}`;
  const of = selection?.kind === 'allocation' ? selection.details : null;
  if (key === shown && of === shownOf) return;
  [shown, shownOf] = [key, of];
  const panel = byId('details');
  if (period) panel.replaceChildren(periodSection(period));
  else if (selection?.kind === 'stack') panel.replaceChildren(...stackOnly(selection));
  else if (selection) panel.replaceChildren(...allocationSections(selection.details, true, 'timeline'));
  else if (under && !layer) panel.replaceChildren(...allocationSections(under, false, 'timeline'));
  else if (probe?.segment) panel.replaceChildren(...segmentSections(probe.segment, 'under the pointer'));
  else if (probe?.pool) panel.replaceChildren(...poolSections(probe.pool));
  else panel.replaceChildren(empty(sight));
  // Even to ask where it is scrolled to would lay out what was just built.
  if (scrolled) panel.scrollTop = 0;
}

export function initDetails() {
  byId('details').addEventListener('scroll', () => (scrolled = byId('details').scrollTop > 0), { passive: true });
  on('active', () => {
    shown = '';
    update();
  });
  on('cursor', update);
  on('period', update);
  on('selection', update);
  on('view', update);
  // Sizes of blocks are exact now.
  on('figures', () => {
    shown = '';
    const { selection } = current() || {};
    if (selection?.kind === 'allocation') void pinAllocation(selection.id, selection.moment);
    else update();
  });
}
