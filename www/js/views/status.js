// The bar at the foot: is the history complete, what kind of stacks, and that nothing leaves the tab.
import { byId, el, icon } from '../dom.js';
import { formatBytes, plural } from '../format.js';
import { current, on, store } from '../store.js';
import { term } from '../tooltip.js';

/** @param {import('../sight.js').Sight} sight */
export function historyText(sight) {
  const { complete, baseline_bytes: before, unmatched_frees: unmatched } = sight.figures.history;
  if (sight.moments < 2) return 'No history: one moment only';
  if (complete) return 'History complete';
  if (before > 0) return `History incomplete: ${formatBytes(before)} were there before`;
  return unmatched > 0 ? `History incomplete: ${plural(unmatched, 'free')} of unknown blocks` : 'History incomplete';
}

function update() {
  const sight = current();
  const file = store.active;
  if (!sight || !file) return;
  const stacks = file.opened.stacks;
  byId('status').replaceChildren(
    el('span', null, icon(sight.figures.history.complete ? 'check' : 'warning'), ' ', term('history', historyText(sight))),
    el('span', null, stacks === 'none' ? 'No stacks in this file' : `Stacks: ${stacks}`),
    el('span', null, icon('lock'), ' Nothing leaves this tab'));
}

export function initStatus() {
  on('active', update);
}
