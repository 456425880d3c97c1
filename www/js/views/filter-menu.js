// The filter in the app bar: a menu of streams and pools, and what is in force as chips that can be taken off.
import { byId, el, icon } from '../dom.js';
import { filterText, isPool, loadChoices, poolOf, setFilter } from '../filter.js';
import { formatBytes, plural } from '../format.js';
import { attachMenu, closeMenu, refreshMenu } from '../menu.js';
import { current, on } from '../store.js';

/**
 * @param {string} label
 * @param {any} entry
 * @param {boolean} chosen
 * @param {() => void} pick
 */
function row(label, entry, chosen, pick) {
  return el('button.item', { type: 'button', 'aria-current': chosen, onclick: () => { closeMenu(); pick(); } }, label,
    el('span', null, `peak ${formatBytes(entry.peak_bytes)}, ${plural(entry.allocations, 'allocation')}`));
}

function rows() {
  const sight = current();
  if (!sight?.choices) return [];
  const { filter, choices } = sight;
  const { stream, kind, pool } = filter || {};
  const without = (/** @type {object} */ rest) => void setFilter({ ...rest });
  return [
    el('button.item', { type: 'button', 'aria-current': stream === undefined && kind === undefined && pool === undefined, onclick: () => { closeMenu(); void setFilter(null); } }, 'Everything'),
    ...(choices.streams.length > 1 ? [el('hr'), ...choices.streams.map((/** @type {any} */ each) => row(`Stream ${each.stream}`, each, stream === each.stream, () => without(stream === each.stream ? { kind, pool } : { kind, pool, stream: each.stream })))] : []),
    ...(choices.pools.length > 1 ? [el('hr'), ...choices.pools.map((/** @type {any} */ each) => {
      const chosen = filter !== null && isPool(filter, each);
      return row(each.label, each, chosen, () => without(chosen ? { stream } : { stream, kind: each.kind, pool: each.pool }));
    })] : []),
  ];
}

function update() {
  const sight = current();
  const { choices = null, filter = null } = sight || {};
  byId('filter-menu').hidden = !choices || (choices.streams.length < 2 && choices.pools.length < 2);
  const chip = (/** @type {string|null} */ text, /** @type {() => void} */ off) => (text === null ? null : el('span.chip', null, text, el('button.button.quiet.icon-only.small', { type: 'button', 'aria-label': `Show more than ${text}`, title: 'Take off', onclick: off }, icon('close'))));
  const chips = filter ? [
    chip(poolOf(filter, choices), () => void setFilter({ stream: filter.stream })),
    chip(filter.stream === undefined ? null : `Stream ${filter.stream}`, () => void setFilter({ kind: filter.kind, pool: filter.pool })),
  ] : [];
  byId('filter-chips').replaceChildren(...chips.filter((node) => node !== null));
  byId('filter-menu').title = filter && choices ? `Shown: ${filterText(filter, choices)}` : 'Show one stream or one pool only';
  refreshMenu(byId('filter-menu'), rows);
}

export function initFilterMenu() {
  attachMenu(byId('filter-menu'), rows, 'Show one stream or pool');
  on('active', () => {
    update();
    void loadChoices();
  });
  on('filter', update);
}
