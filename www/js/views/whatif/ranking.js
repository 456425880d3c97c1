// The settings that were tried, best first, with the recorded run as the baseline. One row is chosen.
import { byId, el, keepChildren, setText } from '../../dom.js';
import { bytesSpan, exactBytes, formatBytes, formatCount, formatShare, listTexts, plural, splitUnit } from '../../format.js';
import { term } from '../../tooltip.js';
import { signedSpan } from '../compare/tables.js';
import { RECORDED, cancel, choose, isBusy } from './runs.js';
import { chosenRow, fateOf, limitWords, ranked, toneOf } from './words.js';

/** @typedef {import('./runs.js').Row} Row */
/** @typedef {import('./runs.js').WhatIf} WhatIf */

export const rankingCard = () => el('article.card.whatif-main.ranking', { 'aria-labelledby': 'ranking-title' },
  el('header', null, el('h2', { id: 'ranking-title' }, 'The usual settings, ranked by reserved peak'), el('span.push.muted', { 'data-role': 'whatif-done' }), el('button.button.small', { type: 'button', id: 'whatif-cancel', title: 'Stop simulating  X', hidden: true, onclick: () => void cancel() }, 'Cancel')),
  el('table.picks', { 'data-role': 'ranking' }, el('thead', null, el('tr', null, el('th', null, 'Setting'), el('th.num', null, term('reserved', 'Reserved peak')), el('th.num', null, 'Change'), el('th.rank-cell', { id: 'rank-head' }), el('th.num', null, term('taken')), el('th.fate', null, 'Out of memory'))), el('tbody', { id: 'ranking-rows' })));

/** @param {Row|null} row */
const keyOf = (row) => row?.key ?? RECORDED;

/** @param {string} key */
function makeRow(key) {
  const node = el('tr', { 'data-key': key, tabindex: '-1', onclick: () => choose(key), onkeydown: (/** @type {KeyboardEvent} */ event) => moved(event, node, key) },
    el('td.setting'), el('td.num'), el('td.num'), el('td.rank-cell', null, el('div.rank-bar', { 'aria-hidden': 'true' }, el('span'), el('s'), el('i'))), el('td.num'), el('td.fate'));
  return node;
}

/** @param {KeyboardEvent} event @param {HTMLElement} node @param {string} key */
function moved(event, node, key) {
  const rows = /** @type {HTMLElement[]} */ ([...byId('ranking-rows').children]);
  const to = { ArrowDown: rows.indexOf(node) + 1, ArrowUp: rows.indexOf(node) - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (event.key === 'Enter' || event.key === ' ') choose(key);
  else if (to === undefined || event.altKey) return;
  else if (rows[to]) {
    for (const row of rows) row.tabIndex = row === rows[to] ? 0 : -1;
    rows[to].focus();
  }
  event.preventDefault();
  event.stopPropagation();
}

/** @param {WhatIf} of */
export function updateRanking(of) {
  const { basis } = of;
  const rows = ranked(of);
  const peaks = rows.map((row) => (row ? row.found?.reserved_peak_bytes ?? 0 : basis.reserved_peak_bytes));
  const changes = rows.map((row) => Math.abs((row?.found?.reserved_peak_bytes ?? basis.reserved_peak_bytes) - basis.reserved_peak_bytes));
  const [floor, ...texts] = listTexts([basis.allocated_peak_bytes ?? 0, ...peaks, ...changes]);
  const most = Math.max(1, ...rows.map((row) => row?.found?.reserved_peak_high_bytes ?? 0), basis.reserved_peak_bytes) * 1.02;
  const nodes = keepChildren(byId('ranking-rows'), rows.map(keyOf), makeRow);
  const chosen = keyOf(chosenRow(of));
  for (const [index, row] of rows.entries()) update(of, /** @type {HTMLTableRowElement} */ (nodes.get(keyOf(row))), row, { texts: [texts[index], texts[rows.length + index]], most, chosen: keyOf(row) === chosen });
  const tabbed = [...nodes.values()].some((node) => node.tabIndex === 0);
  if (!tabbed) /** @type {HTMLElement} */ (nodes.get(chosen) ?? nodes.get(RECORDED)).tabIndex = 0;
  setText(byId('ranking-title'), `${of.rows.every(({ usual }) => usual) ? 'The usual settings' : 'Settings'}, ranked by reserved peak`);
  setText(byId('rank-head'), basis.allocated_peak_bytes === null ? '' : `Line at ${floor} = allocated, the floor`);
  const tried = of.rows.filter((row) => row.state !== 'stopped');
  const done = tried.filter((row) => row.state === 'done' || row.state === 'failed').length;
  const under = tried.reduce((sum, row) => sum + (row.state === 'done' ? 1 : row.progress), 0);
  setText(/** @type {Node} */ (document.querySelector('[data-role=whatif-done]')), !tried.length ? '' : `${formatCount(done)} of ${formatCount(tried.length)} done${done < tried.length && isBusy(of) ? `, ${Math.floor((under / tried.length) * 100)}\u00a0%` : ''}`);
  byId('whatif-cancel').hidden = !isBusy(of);
  const fates = basis.oom_event !== null || of.rows.some((row) => row.found?.oom);
  byId('ranking-rows').closest('table')?.classList.toggle('no-fate', !fates);
}

/** @param {WhatIf} of @param {HTMLTableRowElement} node @param {Row|null} row @param {{texts: [string, string], most: number, chosen: boolean}} shown */
function update(of, node, row, { texts: [text, changeText], most, chosen }) {
  const { basis } = of;
  const found = row?.found;
  const stamp = JSON.stringify([text, changeText, most, chosen, row?.state, Math.floor((row?.progress ?? 0) * 100), row?.orders, toneOf(of, row)]);
  if (node.dataset.stamp === stamp) return;
  node.dataset.stamp = stamp;
  node.setAttribute('aria-selected', String(chosen));
  node.dataset.tone = toneOf(of, row);
  const [setting, peak, change, bar, taken, fate] = [...node.cells];
  setting.replaceChildren(el(row ? 'b.code' : 'b', null, row ? row.settings || 'PyTorch\u2019s defaults' : 'as recorded'), ...(row && limitWords(of, row) ? [el('small.muted', null, ` ${limitWords(of, row)}`)] : []), ...(!row && basis.settings ? [el('small.muted.code', null, ` ${basis.settings}`)] : []));
  setting.title = row?.why ?? (row ? '' : 'The recording itself: what PyTorch did');
  const bytes = row ? found?.reserved_peak_bytes : basis.reserved_peak_bytes;
  if (bytes === undefined) {
    peak.replaceChildren(el('span.muted', null, row?.state === 'running' ? `${Math.floor(progressOfFirst(row) * 100)}\u00a0%` : { waiting: 'waits', stopped: 'not tried', failed: 'failed', running: '', done: '' }[row?.state ?? 'stopped']));
    for (const cell of [change, taken, fate]) cell.replaceChildren();
    bar.classList.add('is-empty');
    return;
  }
  const [low, high] = [found?.reserved_peak_low_bytes ?? bytes, found?.reserved_peak_high_bytes ?? bytes];
  peak.replaceChildren(bytesSpan(bytes, text), ...(low === high ? [] : [el('small.muted', { title: `${exactBytes(low)} to ${exactBytes(high)}, over ${plural(found?.orders ?? 1, 'order')} of addresses` }, `${splitUnit(sameUnit(low, text))[0]} to ${splitUnit(sameUnit(high, text))[0]}`)]));
  const delta = bytes - basis.reserved_peak_bytes;
  change.replaceChildren(row ? signedSpan(delta, changeText) : el('b', null, 'baseline'), ...(row && delta !== 0 ? [el('small.muted', null, `${delta < 0 ? '\u2212' : '+'}${formatShare(Math.abs(delta) / Math.max(1, basis.reserved_peak_bytes))}`)] : []));
  bar.classList.remove('is-empty');
  const [span, spread, floor] = /** @type {HTMLElement[]} */ ([...(bar.firstElementChild?.children ?? [])]);
  span.style.width = `${(bytes / most) * 100}%`;
  spread.hidden = low === high;
  spread.style.left = `${(low / most) * 100}%`;
  spread.style.width = `${((high - low) / most) * 100}%`;
  const allocated = row ? found?.allocated_peak_bytes : basis.allocated_peak_bytes;
  floor.hidden = !allocated;
  floor.style.left = `${((allocated ?? 0) / most) * 100}%`;
  bar.title = allocated ? `Allocated at its peak: ${exactBytes(allocated)}` : '';
  const settings = row ? row.settings : basis.settings;
  taken.replaceChildren(/expandable_segments:True/.test(settings) ? '\u2013' : formatCount(row ? found?.segments_allocated ?? 0 : basis.segments_allocated));
  if (!row) fate.replaceChildren(basis.oom_event === null ? 'none' : `event ${formatCount(basis.oom_event)}`);
  else {
    const { word, text: told, tone } = fateOf(of, row);
    fate.replaceChildren(el(tone ? `b.is-${tone}` : 'span', { title: told }, word));
  }
}

/** @param {Row} row @returns {number} of the first order of addresses, which has its number at its end */
const progressOfFirst = (row) => Math.min(1, row.progress * Math.max(1, row.orders[1]));

/** @param {number} bytes @param {string} like */
function sameUnit(bytes, like) {
  const unit = splitUnit(like)[1];
  const size = { GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10 }[unit];
  return size ? `${formatCount(bytes / size)}\u00a0${unit}` : formatBytes(bytes);
}
