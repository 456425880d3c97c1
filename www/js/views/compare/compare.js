// Compare: what changed from A to B, and by how much. Each side is asked of its own worker; the comparison is made on the page.
import { addAddressPart } from '../../address.js';
import { announce, byId, copyAndSay, el, icon } from '../../dom.js';
import { setDevice } from '../../files.js';
import { formatBytesGroup, formatShare, plural } from '../../format.js';
import { framed } from '../../frame.js';
import { attachMenu, closeMenu } from '../../menu.js';
import { more } from '../../platform.js';
import { current, emit, on, setActive, store } from '../../store.js';
import { showStack } from '../pin.js';
import { paintCurves, showCurves } from './curves.js';
import { initMarks } from './marks.js';
import { compare, ranksCard, readRanks, writeRanks } from './ranks.js';
import { holdingsOf, isChosen, isWaiting, readSides, readyFiles, sideRows, sides, sidesText, sideText } from './sides.js';
import { categoryTable, changesTable, lineTable } from './tables.js';

/** @typedef {import('./sides.js').Side} Side */

/** Rows by line of code at first, and how many more each time. */
const ROWS = 60;
const MORE_ROWS = 1000;
let limit = ROWS;
/** @type {'step'|'event'|'time'} */
let align = 'step';
/** Counts what was asked for: only the last answer is shown. */
let asked = 0;

/** @type {Set<string>} lines that are open, and stacks below them */
const open = new Set();
let openOf = '';

/** @param {'a'|'b'} which @param {Side} side @param {any} held */
function choice(which, side, held) {
  const button = el('button.select', { type: 'button', id: `compare-${which}`, 'aria-expanded': 'false', title: `What ${which.toUpperCase()} is` }, el(`span.ab.${which}`, null, which.toUpperCase()), el('b.truncate', null, side.file.name), el('span', null, sideText(side, held)), icon('down'));
  attachMenu(button, () => sideRows(which), `What ${which.toUpperCase()} is`);
  return button;
}

function alignMenu() {
  const button = el('button.select', { type: 'button', id: 'compare-align', 'aria-expanded': 'false' }, 'Align by ', el('b', null, align), icon('down'));
  attachMenu(button, () => /** @type {const} */ (['step', 'event', 'time']).map((each) => el('button.item', { type: 'button', 'aria-current': each === align || null, onclick: () => { closeMenu(); align = each; emit('compare'); } }, each)), 'Align by');
  return button;
}

/** @param {Record<'a'|'b', Side>} pair @returns {(row: any, side: 'a'|'b') => void} shows a row's stack in its own file */
const shower = (pair) => (row, which) => void show(pair[which], row, which);

/** @param {Side} side @param {any} row @param {'a'|'b'} which */
async function show(side, row, which) {
  const held = await holdingsOf(side);
  if (store.active !== side.file) setActive(side.file);
  if (side.file.device !== side.device) await setDevice(side.device);
  await showStack({ stack: row[`${which}_stack`], name: row.name, at: row.at, bytes: row[`${which}_bytes`], count: row[`${which}_count`] }, held.moment);
}

function empty() {
  return el('div.card.wide.compare-empty', null, el('h2', null, isWaiting() ? 'This address compares two recordings. Drop the other one.' : readyFiles().length > 1 ? 'Choose two to compare.' : 'One file is open. Drop a second one, or mark two moments with M.'), el('p.soft', null, 'M marks the moment shown as A; M again, at another moment, as B; Shift M clears both. The timeline’s context menu does the same.'),
    el('button.button', { type: 'button', onclick: () => byId('file-input').click() }, 'Open files…'));
}

/** What is said below a table. @param {number} same rows that hold the same @param {number} rest changes that it leaves out */
function footOf(same, rest) {
  const parts = [same ? `${plural(same, 'line')} hold the same` : '', rest ? `${plural(rest, 'smaller change')} not shown` : ''].filter(Boolean);
  const showMore = () => {
    limit += MORE_ROWS;
    emit('compare');
  };
  return parts.length ? el('p.soft.foot', null, `${parts.join('; ')}. `, rest ? el('button.text-link', { type: 'button', id: 'compare-more', onclick: showMore }, 'Show more') : null) : null;
}

/** @param {Record<'a'|'b', Side>} pair @param {Record<'a'|'b', any>} held @param {any} answer @param {any} changes */
function cards(pair, held, answer, changes) {
  const { diff } = answer;
  const [a, b] = formatBytesGroup([diff.a_bytes, diff.b_bytes]);
  const share = diff.a_bytes && diff.total_bytes ? `, ${diff.total_bytes < 0 ? '\u2212' : '+'}${formatShare(Math.abs(diff.total_bytes) / diff.a_bytes)}` : '';
  const [reservedA, reservedB] = formatBytesGroup([held.a.peak.reserved_bytes, held.b.peak.reserved_bytes]);
  const word = el('span', null, 'Copy as Markdown');
  const copy = el('button.button.small.quiet', { type: 'button', id: 'compare-copy', onclick: async () => { await copyAndSay(word, answer.markdown); announce(word.textContent || ''); } }, icon('copy'), word);
  const rows = answer.lines.filter((/** @type {any} */ row) => row.bytes !== 0 || row.count !== 0);
  return [
    el('div.compare-head', null, el('h1.headline', { 'data-role': 'compare-sentence' }, changes ? changes.sentence : diff.sentence), el('p.soft', null, `${a} \u2192 ${b}${share}. ${changes ? '' : `Peak of reserved bytes: ${reservedA} \u2192 ${reservedB}${diff.same_requests ? ', for the same requests' : ''}. `}Stacks are matched by function, file and line, and stand below the line that made them.`), copy),
    el('div.compare-choice', null, choice('a', pair.a, held.a), choice('b', pair.b, held.b)),
    el('article.card.wide.compare-curves', { 'aria-labelledby': 'curves-title' }, el('header', null, el('h2', { id: 'curves-title' }, `Requested bytes, aligned by ${diff.curves.align}`), diff.curves.align === align ? null : el('span.soft', null, align === 'step' ? 'No steps are known in both.' : 'Not both have times.'),
      el('span.legend.push', null, el('span.tag', null, el('span.swatch.line.line-a'), 'A'), el('span.tag', null, el('span.swatch.line.line-b'), 'B, the thicker line')), alignMenu()),
    el('div.chart', { role: 'img', 'aria-label': `Requested bytes of A and of B. ${diff.sentence}` }, el('div.y', { id: 'compare-y' }), el('div.plot', null, el('canvas', { id: 'compare-canvas', 'aria-hidden': 'true' })), el('div.x', { id: 'compare-x' }))),
    el('article.card.compare-categories', { tabindex: 0, 'aria-labelledby': 'by-category-title' }, el('header', null, el('h2', { id: 'by-category-title' }, 'By category')), categoryTable(diff.categories)),
    el('article.card.compare-stacks', { 'aria-labelledby': 'by-stack-title' }, el('header', null, el('h2', { id: 'by-stack-title' }, changes ? 'By stack: new, released, still there' : 'By line of code, largest change first')),
      changes ? changesTable(changes, shower(pair)) : rows.length ? lineTable(rows, held, shower(pair), open) : el('p.soft', null, 'No line of code holds more or less.'),
      changes ? footOf(0, changes.rest_count) : footOf(answer.lines.filter((/** @type {any} */ row) => row.bytes === 0 && row.count === 0).length, answer.rest_lines)),
  ];
}

/** Asks both sides, compares, and shows it. */
async function build() {
  if (store.view !== 'compare' || !store.active) return;
  asked += 1;
  const mine = asked;
  await more();
  if (mine !== asked) return;
  const pair = sides();
  const view = byId('compare');
  const focus = view.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
  if (!pair) {
    const ranks = await ranksCard();
    if (mine === asked) view.replaceChildren(...[empty(), ranks].filter((node) => node !== null));
    return;
  }
  const one = pair.a.file === pair.b.file && pair.a.device === pair.b.device;
  const [a, b] = await Promise.all([holdingsOf(pair.a), holdingsOf(pair.b)]);
  const changes = one && a && b ? await pair.a.file.client.ask({ ask: 'changes', device: pair.a.device, a: a.moment, b: b.moment, limit }) : null;
  const ranks = await ranksCard();
  if (mine !== asked || !a || !b) return;
  const of = [pair.a, pair.b].map(({ file, device }) => `${file.id} ${device}`).join();
  if (of !== openOf) {
    open.clear();
    limit = ROWS;
  }
  openOf = of;
  const answer = compare({ a: { ...a, name: pair.a.file.name }, b: { ...b, name: pair.b.file.name }, align, limit });
  const { scrollTop } = view;
  view.replaceChildren(...[...cards(pair, { a, b }, answer, changes), ranks].filter((node) => node !== null));
  view.scrollTop = scrollTop;
  // What had the focus is built anew; who has moved on meanwhile is left alone.
  if (focus && !focus.isConnected && document.activeElement === document.body) /** @type {HTMLElement[]} */ ([...view.querySelectorAll('[id], [data-key]')]).find((each) => (focus.id ? each.id === focus.id : focus.dataset.key && /** @type {HTMLElement} */ (each).dataset.key === focus.dataset.key))?.focus({ preventScroll: true });
  showCurves(answer.diff.curves);
}

const refresh = framed(() => void build());

export function initCompare() {
  addAddressPart({
    write(parts) {
      const text = marksText();
      if (text) parts.set('cmp', text);
      const both = store.view === 'compare' || isChosen() ? sidesText() : '';
      if (both) parts.set('ab', both);
      if (align !== 'step') parts.set('align', align);
      writeRanks(parts);
    },
    read(parts, sight) {
      readSides(parts.get('ab') || '');
      align = /** @type {const} */ (['event', 'time']).find((each) => each === parts.get('align')) ?? 'step';
      readRanks(parts);
      emit('compare');
      const [a = null, b = null] = (parts.get('cmp') || '').split(',').map((part) => (/^\d{1,10}$/.test(part) && Number(part) < sight.moments ? Number(part) : null));
      if (a === sight.marks.a && b === sight.marks.b) return;
      sight.marks = { a, b };
      emit('matches');
    },
  });
  initMarks();
  for (const topic of /** @type {const} */ (['view', 'active', 'files', 'labels', 'figures', 'filter', 'matches', 'compare'])) on(topic, refresh);
  on('theme', paintCurves);
  new ResizeObserver(framed(paintCurves)).observe(byId('compare'));
}

/** @returns {string} moments of the file shown that are marked, for the address bar */
function marksText() {
  const marks = current()?.marks;
  return marks && marks.a !== null ? [marks.a, marks.b].filter((moment) => moment !== null).join() : '';
}
