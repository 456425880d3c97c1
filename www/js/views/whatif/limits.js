// The smallest memory limit at which every request is served, for each setting; and which cards have that much.
import { byId, el, icon, setText } from '../../dom.js';
import { bytesSpan, formatBytes, listTexts } from '../../format.js';
import { isSmall, searchLimits } from './runs.js';
import { chosenRow, nameOf, ranked } from './words.js';

/** @typedef {import('./runs.js').WhatIf} WhatIf */
/** @typedef {import('./runs.js').Row} Row */

const GIB = 2 ** 30;

export const limitsCard = () => el('article.card.whatif-side', { 'aria-labelledby': 'limits-title', id: 'whatif-limits' }, el('header', null, el('h2', { id: 'limits-title' }, 'Smallest limit that would do')),
  el('table', { 'data-role': 'limits' }, el('thead', null, el('tr', null, el('th', null, 'Setting'), el('th.num', null, 'Every request fits from'))), el('tbody', { id: 'limits-rows' })),
  el('div.row-actions', null, el('button.button.small', { type: 'button', id: 'limits-search', title: 'Search them  L', onclick: () => void searchLimits() }, 'Search the smallest limits')),
  el('p.soft.small.note', null, 'Less than the reserved peak where the allocator gives cached segments back before it gives up. In the most likely order of addresses; others can need a little more or less. Time is not simulated: close to its limit a program is slower.'));

/** @param {WhatIf} of */
export function cardsCard(of) {
  const outside = of.basis.outside_bytes / GIB;
  const field = (/** @type {string} */ id, /** @type {string} */ value, /** @type {string} */ hint) => el('input.field', { id, type: 'text', inputmode: 'decimal', autocomplete: 'off', value, title: hint, oninput: () => updateCards(of) });
  return el('article.card.whatif-wide', { 'aria-labelledby': 'cards-title' }, el('header', null, el('h2', { id: 'cards-title' }, 'Which card would do?'), el('span.soft', { 'data-role': 'cards-need' })),
    el('div.card-fields', null, el('label', null, 'Outside of PyTorch\u2019s allocator ', field('outside-gib', outside.toFixed(2), 'The CUDA context, NCCL, other processes: usually 0.5 to 0.8 GiB'), ' GiB'), el('label', null, 'Your own card ', field('own-gib', '', 'Total capacity as PyTorch\u2019s error message tells it'), ' GiB')),
    el('ul.card-list', { 'data-role': 'cards', id: 'card-list', 'aria-label': 'Cards' }));
}

/** @param {WhatIf} of */
export function updateLimits(of) {
  const rows = [of.base, ...ranked(of).filter((row) => row !== null && row.found && row.limit_bytes === of.basis.limit_high_bytes)].map((row) => /** @type {Row} */ (row));
  const known = rows.filter((row) => row.limit?.bytes);
  const texts = listTexts(known.map((row) => row.limit?.bytes ?? 0));
  const order = (/** @type {Row} */ row) => row.limit?.bytes ?? Infinity;
  if (known.length === rows.length) rows.sort((a, b) => order(a) - order(b));
  byId('limits-rows').replaceChildren(...rows.map((row) => {
    const { limit } = row;
    const at = known.indexOf(row);
    const words = limit?.bytes ? el('b', null, bytesSpan(limit.bytes, texts[at])) : el('span.muted', null, !limit ? '\u2013' : limit.state === 'failed' ? 'none' : limit.state === 'waiting' ? 'waits' : `${Math.floor(limit.progress * 100)}\u00a0%`);
    const shown = row === of.base ? null : row;
    return el('tr', { 'aria-selected': String(shown === chosenRow(of)) }, el(shown ? 'td.code' : 'td', null, nameOf(of, shown)), el('td.num', limit?.state === 'failed' ? { title: 'Some request is not served even without a limit' } : null, words));
  }));
  const left = rows.some((row) => !row.limit);
  byId('limits-search').hidden = !left;
  if (left && isSmall(of) && of.rows.every((row) => row.state !== 'waiting' && row.state !== 'running') && of.rows.some((row) => row.found)) searchLimits();
  updateCards(of);
}

/** @param {string} id @param {boolean} empty whether it can be left empty @returns {number|null} bytes */
function gib(id, empty) {
  const field = /** @type {HTMLInputElement} */ (byId(id));
  const number = Number(field.value.replace(',', '.'));
  const fits = field.value.trim() !== '' && Number.isFinite(number) && number >= 0 && number < 1e5;
  field.setAttribute('aria-invalid', String(!fits && !(empty && !field.value.trim())));
  return fits ? number * GIB : null;
}

/** @param {WhatIf} of */
function updateCards(of) {
  const row = chosenRow(of);
  const need = (row ?? of.base).limit?.bytes ?? null;
  const [outside, own] = [gib('outside-gib', false), gib('own-gib', true)];
  const total = need === null || outside === null ? null : need + outside;
  const words = document.querySelector('[data-role=cards-need]');
  if (words) setText(words, total === null ? (outside === null ? 'How much lies outside is a number of GiB.' : `Search the smallest limit of ${nameOf(of, row)} first.`) : `${nameOf(of, row)} needs ${formatBytes(need ?? 0)} and ${formatBytes(outside ?? 0)} outside: ${formatBytes(total)}`);
  const cards = [...of.basis.cards, ...(own === null ? [] : [{ name: 'Your own card', usable_gib: own / GIB, own: true }])].sort((a, b) => a.usable_gib - b.usable_gib);
  byId('card-list').replaceChildren(...cards.map(({ name, usable_gib: size, own: mine }) => {
    const fits = total !== null && size * GIB >= total;
    const spare = total === null ? 0 : Math.abs(size * GIB - total);
    return el(`li${mine ? '.own' : ''}`, { title: total === null ? '' : `${formatBytes(spare)} ${fits ? 'to spare' : 'short'}` }, total === null ? el('span.muted', null, '\u2013') : el(`span.${fits ? 'is-good' : 'is-error'}`, null, icon(fits ? 'check' : 'close'), fits ? ' yes' : ' no'), el('span.truncate', null, name), el('span.num.muted', null, `${size.toFixed(2)}\u00a0GiB`));
  }));
}
