// Tables of a comparison: by category, by stack, by identity, by rank. One row at a time has the focus; arrow keys move it.
import { categoryName, categorySwatch, colourOf } from '../../categories.js';
import { el } from '../../dom.js';
import { bytesSpan, exactBytes, formatBytes, formatBytesGroup, formatCount, listTexts, place } from '../../format.js';

/** @param {number} bytes @param {string} [text] of its size */
export function signedSpan(bytes, text = formatBytes(Math.abs(bytes))) {
  return el('b', { 'data-bytes': bytes, title: exactBytes(bytes) }, bytes === 0 ? '0' : `${bytes < 0 ? '\u2212' : '+'}${text}`);
}

/** A bar from a common zero: less to the left, more to the right. @param {number} bytes @param {number} most @param {string} category */
export function bar(bytes, most, category) {
  const inner = el(`span.${bytes < 0 ? 'less' : 'more'}.c-${category}`);
  inner.style.width = `${most ? (Math.abs(bytes) / most) * 100 : 0}%`;
  return el('div.delta', { 'aria-hidden': 'true' }, inner);
}

/** @param {string} name */
const categoryTag = (name) => el('span.tag', null, categorySwatch(colourOf(name)), colourOf(name) === 'unknown' && name !== 'unknown' ? name : categoryName(name));

/** @param {number[]} values signed */
const sizes = (values) => listTexts(values.map(Math.abs));

/**
 * @param {HTMLElement} table whose rows take the focus one at a time
 * @param {(index: number) => void} run Enter or a click on a row
 */
export function roving(table, run) {
  const rows = /** @type {HTMLElement[]} */ ([...table.querySelectorAll('tbody tr')]);
  for (const [index, row] of rows.entries()) {
    row.tabIndex = index === 0 ? 0 : -1;
    row.addEventListener('click', (event) => {
      if (!(event.target instanceof Element && event.target.closest('button'))) run(index);
    });
    row.addEventListener('keydown', (event) => {
      if (event.target !== row) return;
      const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key];
      if (event.key === 'Enter' || event.key === ' ') run(index);
      else if (to === undefined) return;
      else if (rows[to]) {
        for (const each of rows) each.tabIndex = each === rows[to] ? 0 : -1;
        rows[to].focus();
      }
      event.preventDefault();
      event.stopPropagation();
    });
  }
  return table;
}

/** @param {any[]} categories */
export function categoryTable(categories) {
  const most = Math.max(1, ...categories.map((each) => Math.abs(each.bytes)));
  const texts = sizes(categories.flatMap((each) => [each.a_bytes, each.b_bytes, each.bytes]));
  return el('table', { 'data-role': 'by-category' }, el('thead', null, el('tr', null, el('th', null, 'Category'), el('th.num', null, 'A'), el('th.num', null, 'B'), el('th.num', null, 'Change'), el('th', null, el('span.visually-hidden', null, 'Change as a bar')))),
    el('tbody', null, ...categories.map((each, index) => el('tr', { 'data-category': each.name }, el('td', null, categoryTag(each.name)), el('td.num', null, bytesSpan(each.a_bytes, texts[index * 3])), el('td.num', null, bytesSpan(each.b_bytes, texts[index * 3 + 1])),
      el('td.num', null, signedSpan(each.bytes, texts[index * 3 + 2])), el('td.bar-cell', null, bar(each.bytes, most, colourOf(each.name)))))));
}

const HOW = { stack: null, moved: 'lines moved', line: 'called another way', function: 'same function', only_a: 'only in A', only_b: 'only in B' };

/**
 * @param {any[]} rows
 * @param {(row: any, side: 'a'|'b') => void} show
 */
export function stackTable(rows, show) {
  const most = Math.max(1, ...rows.map((row) => Math.abs(row.bytes)));
  const texts = sizes(rows.flatMap((row) => [row.bytes, row.a_bytes, row.b_bytes]));
  const go = (/** @type {any} */ row, /** @type {'a'|'b'} */ side) => row[`${side}_stack`] === null ? null : el('button.button.small.quiet', { type: 'button', 'data-show': side, 'aria-label': `Show ${row.name} in ${side.toUpperCase()}`, title: `Show in ${side.toUpperCase()}`, onclick: () => show(row, side) }, side.toUpperCase());
  const table = el('table.picks', { 'data-role': 'by-stack' }, el('thead', null, el('tr', null, el('th.num', null, 'Change'), el('th', null, el('span.visually-hidden', null, 'Change as a bar')), el('th.num', null, 'A \u2192 B'), el('th.num', null, 'Blocks'), el('th', null, 'Category'), el('th', null, 'Made at'), el('th', null, 'Show in'))),
    el('tbody', null, ...rows.map((row, index) => el('tr', { 'data-match': row.match }, el('td.num', null, signedSpan(row.bytes, texts[index * 3])), el('td.bar-cell', null, bar(row.bytes, most, colourOf(row.category))),
      el('td.num', { title: `${exactBytes(row.a_bytes)} \u2192 ${exactBytes(row.b_bytes)}` }, `${texts[index * 3 + 1]} \u2192 ${texts[index * 3 + 2]}`), el('td.num', null, `${formatCount(row.a_count)} \u2192 ${formatCount(row.b_count)}`),
      el('td', null, categoryTag(row.category)), el('td.grow', null, el('div.with-how', null, place({ name: row.name, at: row.at || null }), how(row))), el('td.ab-cell', null, go(row, 'a'), go(row, 'b'))))));
  return roving(table, (index) => show(rows[index], rows[index].a_bytes >= rows[index].b_bytes && rows[index].a_stack !== null ? 'a' : 'b'));
}

/** @param {any} row */
function how(row) {
  const text = HOW[/** @type {'stack'} */ (row.match)];
  return text ? el('span.how', null, text) : null;
}

/**
 * @param {any} changes
 * @param {(row: any, side: 'a'|'b') => void} show
 */
export function changesTable(changes, show) {
  const rows = changes.by_stack.filter((/** @type {any} */ row) => row.new.count + row.released.count > 0);
  const parts = /** @type {const} */ (['new', 'released', 'still']);
  const texts = sizes(rows.flatMap((/** @type {any} */ row) => parts.map((part) => row[part].bytes)));
  const cell = (/** @type {any} */ lot, /** @type {string} */ text) => el('td.num', { title: `${exactBytes(lot.bytes)} in ${formatCount(lot.count)} blocks` }, lot.count ? `${text} \u00d7${formatCount(lot.count)}` : '\u2013');
  const table = el('table.picks', { 'data-role': 'changes' }, el('thead', null, el('tr', null, el('th.num', null, 'New'), el('th.num', null, 'Released'), el('th.num', null, 'Still there'), el('th', null, 'Category'), el('th', null, 'Made at'))),
    el('tbody', null, ...rows.map((/** @type {any} */ row, /** @type {number} */ index) => el('tr', null, ...parts.map((part, at) => cell(row[part], texts[index * 3 + at])), el('td', null, categoryTag(row.category)), el('td.grow', null, place({ name: row.name, at: row.at || null }))))));
  return roving(table, (index) => show({ ...rows[index], a_stack: rows[index].stack, b_stack: rows[index].stack }, rows[index].new.bytes >= rows[index].released.bytes ? 'b' : 'a'));
}

/**
 * @param {any} ranks
 * @param {(index: number) => void} compareWithMedian
 */
export function rankTable(ranks, compareWithMedian) {
  const peaks = formatBytesGroup(ranks.rows.map((/** @type {any} */ row) => row.peak_bytes));
  const reserved = formatBytesGroup(ranks.rows.map((/** @type {any} */ row) => row.reserved_bytes));
  const most = Math.max(1, ...ranks.rows.map((/** @type {any} */ row) => row.peak_bytes));
  const table = el('table.picks', { 'data-role': 'ranks' }, el('thead', null, el('tr', null, el('th', null, 'Rank'), el('th.num', null, 'Peak'), el('th', null, el('span.visually-hidden', null, 'Peak as a bar')), el('th.num', null, 'Reserved'), el('th.num', null, 'To the median'), el('th', null, el('span.visually-hidden', null, 'Verdict')))),
    el('tbody', null, ...ranks.rows.map((/** @type {any} */ row, /** @type {number} */ index) => {
      const meter = el('div.meter');
      meter.style.width = `${(row.peak_bytes / most) * 100}%`;
      return el('tr', { title: 'Compare with the median rank', 'data-outlier': row.outlier || null }, el('td.truncate', null, row.name), el('td.num', null, bytesSpan(row.peak_bytes, peaks[index])), el('td.bar-cell', null, meter), el('td.num', null, bytesSpan(row.reserved_bytes, reserved[index])), el('td.num', null, signedSpan(row.difference_bytes)),
        el('td', null, row.outlier ? el('b.is-warning', null, 'out of line') : ranks.median === index ? 'median' : ''));
    })));
  return roving(table, compareWithMedian);
}
