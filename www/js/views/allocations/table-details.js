// Beside the table: what is pinned, else the row that the keys are on.
import { byId, el } from '../../dom.js';
import { formatBytes, formatCount, plural } from '../../format.js';
import { momentOf } from '../../sight.js';
import { current, on, store } from '../../store.js';
import { allocationSections } from '../allocation-details.js';
import { momentFor } from './rows.js';

/** @type {any} what the keys are on, when it is known */
let looked = null;
let shown = '';
/** @type {any} */
let shownOf = null;

/** @param {any} row an allocation that the keys came to, or a group */
export function lookAt(row) {
  const sight = current();
  if (!sight || row?.id === undefined) {
    looked = null;
    update();
    return;
  }
  sight.client.latest('table-details', () => sight.client.ask({ ask: 'allocation', device: sight.device, id: row.id, moment: momentFor(row), stacking: sight.stacking }), (details) => {
    if (current() !== sight) return;
    looked = details;
    update();
  });
}

/** @param {import('../../sight.js').Sight} sight */
function empty(sight) {
  const { probe } = sight;
  const moment = momentOf(sight);
  const facts = [['Moment', moment === 0 ? 'before the first event' : `after event ${formatCount(moment - 1)}`], ...(probe ? [['Requested', formatBytes(probe.requested_bytes)], ['Alive', plural(probe.alive, 'allocation')]] : [])];
  return el('section', null, el('h2.eyebrow', null, el('span', null, 'Nothing selected')),
    el('p.soft.small.hint', null, 'Click a row, or move to it with ↑ and ↓. A click or Enter pins it.'),
    el('dl.facts', null, ...facts.flatMap(([name, value]) => [el('dt', null, name), el('dd', null, value)])));
}

function update() {
  const sight = current();
  if (!sight || store.view !== 'allocations') return;
  const { selection } = sight;
  const pinned = selection?.kind === 'allocation' ? selection.details : null;
  const details = pinned || looked;
  const key = details ? `${Boolean(pinned)} ${details.id}` : `empty ${momentOf(sight)} ${sight.probe?.alive}`;
  if (key === shown && details === shownOf) return;
  [shown, shownOf] = [key, details];
  const panel = byId('allocations-details');
  panel.replaceChildren(...(details ? allocationSections(details, Boolean(pinned), 'allocations') : [empty(sight)]));
  panel.scrollTop = 0;
}

export function initTableDetails() {
  for (const topic of /** @type {const} */ (['active', 'filter'])) on(topic, () => {
    looked = null;
    shown = '';
    update();
  });
  for (const topic of /** @type {const} */ (['selection', 'view', 'cursor', 'labels'])) on(topic, update);
}
