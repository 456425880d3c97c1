// What the filter chooses: how many of what is alive, a walk through all of them, and nothing else shown if that is wished.
import { addCommands } from '../../commands.js';
import { byId, el, icon, setText } from '../../dom.js';
import { setOnly } from '../../expression.js';
import { exactBytes, formatBytes, formatCount, plural } from '../../format.js';
import { measureSince } from '../../input.js';
import { setRange } from '../../sight.js';
import { current, on, store } from '../../store.js';
import { pinAllocation, setMoment } from '../pin.js';

const told = el('output', { id: 'filter-told', for: 'filter-input', 'aria-live': 'polite' });
/** Steps come one after the other, however fast the keys do. */
let steps = Promise.resolve();
/** @type {{index: number, of: number, expression: string}|null} which of them is pinned */
let at = null;

/** @param {'next'|'previous'} towards */
export const go = (towards) => void (steps = steps.then(() => step(towards)));

/** Pins the next allocation found after the one that is pinned. @param {'next'|'previous'} towards */
async function step(towards) {
  const sight = current();
  if (!sight || sight.fault || !sight.expression.trim()) return;
  const { expression: expr, marks } = sight;
  const from = sight.selection?.kind === 'allocation' ? sight.selection.id : null;
  const next = await sight.client.ask({ ask: 'filter_next', device: sight.device, expr, marks, from, towards });
  if (!next || next.id === null || current() !== sight) return;
  await pinAllocation(next.id, next.moment);
  await setMoment(next.moment);
  if (current() !== sight || sight.expression !== expr) return;
  revealBytes(sight);
  at = { ...next, expression: expr };
  show();
}

/** Scrolls the bytes so that the middle of what is pinned is in sight. @param {import('../../sight.js').Sight} sight */
function revealBytes({ selection, range }) {
  const details = selection?.kind === 'allocation' ? selection.details : null;
  if (!details || typeof details.offset_bytes !== 'number') return;
  const middle = details.offset_bytes + details.requested_bytes / 2;
  const half = (range.y1 - range.y0) / 2;
  if (middle < range.y0 || middle > range.y1) setRange({ y0: middle - half, y1: middle + half });
}

function show() {
  const sight = current();
  const found = sight?.matches ?? null;
  const chosen = sight !== null && sight.expression.trim() !== '';
  byId('matches').hidden = !chosen;
  if (!sight || at?.expression !== sight.expression) at = null;
  for (const id of ['filter-previous', 'filter-next']) /** @type {HTMLButtonElement} */ (byId(id)).disabled = !found?.count;
  const only = byId('filter-only');
  only.setAttribute('aria-pressed', String(sight?.only ?? false));
  /** @type {HTMLButtonElement} */ (only).disabled = !sight?.only && !found;
  setText(told, found ? summary(found) : '');
  told.title = found ? `${exactBytes(found.alive.bytes)} here. Over the whole recording ${plural(found.count, 'allocation')} of ${plural(found.stacks, 'stack')}; at the peak ${formatCount(found.alive_at_peak.count)} with ${formatBytes(found.alive_at_peak.bytes)}` : '';
}

/** @param {import('../../expression.js').Matches} found */
function summary({ count, alive }) {
  if (!count) return 'No allocation matches';
  const here = `${formatCount(alive.count)} of ${formatCount(alive.of)} alive here · ${formatBytes(alive.bytes)}`;
  return at ? `Match ${formatCount(at.index + 1)} of ${formatCount(at.of)} · ${here}` : here;
}

export function initMatches() {
  /** @param {string} id @param {string} label @param {string} keys @param {string} picture @param {'next'|'previous'} towards */
  const button = (id, label, keys, picture, towards) => el('button.button.quiet.icon-only.small', { id, type: 'button', 'aria-label': label, title: `${label}  ${keys}`, onclick: () => go(towards) }, icon(picture));
  const toggle = () => {
    const sight = current();
    if (!sight || !store.active || (!sight.only && !sight.expression.trim())) return false;
    void setOnly(!sight.only);
    return true;
  };
  byId('matches').append(told, button('filter-previous', 'Previous match', 'Shift Enter', 'prev', 'previous'), button('filter-next', 'Next match', 'Enter', 'next', 'next'),
    el('button.button.small', { id: 'filter-only', type: 'button', 'aria-pressed': 'false', title: 'Leave out what the filter does not choose, everywhere', onclick: toggle }, 'Show only these'));
  let since = 0, asked = '';
  on('matches', () => {
    const sight = current();
    if (sight && sight.expression !== asked) [asked, since] = [sight.expression, performance.now()];
    else if (sight && since && (sight.fault || sight.matches?.expr === asked)) {
      measureSince('vramscope:search', since, { expression: asked });
      since = 0;
    }
    show();
  });
  for (const topic of /** @type {const} */ (['active', 'filter'])) on(topic, show);
  addCommands([{ title: 'Show only what the filter chooses', group: 'Page', keys: ['Shift+KeyO'], shown: ['Shift O'], run: toggle }]);
  show();
}
