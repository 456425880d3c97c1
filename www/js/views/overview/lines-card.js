// The lines responsible: of what is retained, or of the peak. A row leads to one of its allocations in the timeline.
import { categoryName, categorySwatch, colourOf } from '../../categories.js';
import { el } from '../../dom.js';
import { bytesSpan, formatBytesGroup, formatCount, formatShare, listTexts, place } from '../../format.js';
import { term } from '../../tooltip.js';
import { showAllocation, showStack } from '../pin.js';

/** @typedef {import('../../sight.js').Sight} Sight */

/** @param {() => void} run @returns {Record<string, unknown>} a row that can be chosen by mouse and by keyboard */
const chosenBy = (run) => ({ tabindex: 0, title: 'Show in the timeline', onclick: run, onkeydown: (/** @type {KeyboardEvent} */ event) => {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  event.preventDefault();
  run();
} });

/** @param {string} shape @param {number} part of one */
function meter(shape, part) {
  const node = el(`div.meter.${shape}`);
  node.style.width = `${Math.max(0, Math.min(1, part)) * 100}%`;
  return node;
}

/**
 * @param {string} title
 * @param {HTMLElement[]} heads
 * @param {HTMLElement[]} rows
 * @param {string} empty
 */
function card(title, heads, rows, empty) {
  return el('article.card.stacks-card', { 'aria-labelledby': 'stacks-title' },
    el('header', null, el('h2', { id: 'stacks-title' }, title)),
    rows.length ? el('table.picks', null, el('thead', null, el('tr', null, ...heads)), el('tbody', null, ...rows)) : el('p.soft', null, empty));
}

/** @param {Sight} sight */
export function linesCard(sight) {
  const lines = sight.filter ? null : sight.report?.lines;
  if (!lines?.rows.length) return largest(sight);
  // Where only frees have stacks, what is alive is told by them; the cause has its own lines.
  const byFrees = sight.overview.stacks.some((/** @type {any} */ row) => row.of_free);
  return byFrees && lines.rows.some((/** @type {any} */ row) => !row.at) ? largest(sight) : responsible(sight, lines);
}

/** @param {Sight} sight @param {any} lines of the report */
function responsible(sight, lines) {
  const texts = listTexts(lines.rows.map((/** @type {any} */ row) => row.bytes));
  const most = Math.max(1, ...lines.rows.map((/** @type {any} */ row) => row.bytes));
  const alike = new Set(lines.rows.map((/** @type {any} */ row) => colourOf(row.category))).size < 2;
  const moment = sight.report.bar?.moment ?? sight.overview.peak.moment;
  const rows = lines.rows.map((/** @type {any} */ row, /** @type {number} */ index) => el('tr', chosenBy(() => void showAllocation('timeline', row.allocation, moment)),
    el('td.num', null, bytesSpan(row.bytes, texts[index])), el('td.num', null, formatCount(row.count)),
    alike ? null : el('td.kind', null, el('span.tag', null, categorySwatch(row.category), categoryName(row.category))),
    el('td.grow', null, place({ name: row.name, at: row.at || null })),
    alike ? el('td.line-meter', null, meter(`c-${colourOf(row.category)}`, row.bytes / most)) : null));
  const heads = [el('th.num', null, lines.bytes_label || 'Bytes'), el('th.num', null, term('blocks')), ...(alike ? [] : [el('th', null, 'Category')]), el('th', null, term('made', 'Innermost line of your code')), ...(alike ? [el('th', null, el('span.visually-hidden', null, 'Share as a bar'))] : [])];
  return card(lines.title || 'Largest lines', heads, rows, '');
}

/** Before there is a report, and of a part. @param {Sight} sight */
function largest(sight) {
  const { stacks, alive_at_peak: alive } = sight.overview;
  const texts = formatBytesGroup(stacks.map((/** @type {any} */ row) => row.bytes));
  const most = Math.max(1, ...stacks.map((/** @type {any} */ row) => row.bytes));
  const rows = stacks.map((/** @type {any} */ row, /** @type {number} */ index) => el('tr', chosenBy(() => void showStack(row)),
    el('td.num', null, bytesSpan(row.bytes, texts[index])), el('td.num', null, formatCount(row.count)), el('td.num.muted', null, formatShare(row.bytes / Math.max(1, alive.bytes))),
    el('td.short-meter', null, meter(`s-${row.slot}`, row.bytes / most)), el(`td.grow${row.own ? '.own' : ''}`, null, place(row))));
  const heads = [el('th.num', null, 'Bytes'), el('th.num', null, term('blocks')), el('th.num', null, term('of_requested')), el('th', null, el('span.visually-hidden', null, 'Share as a bar')), el('th', null, term('made'))];
  return card(sight.moments > 1 ? 'Largest stacks at the peak' : 'Largest stacks', heads, rows, `Nothing was alive ${sight.moments > 1 ? 'at the peak' : 'then'}.`);
}
