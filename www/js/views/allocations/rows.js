// The rows of the table: a window of them is asked for and built, however many there are.
import { CATEGORIES, categoryName, categorySwatch } from '../../categories.js';
import { announce, byId, el, icon, keepChildren } from '../../dom.js';
import { bytesSpan, formatCount, formatShare, place, plural } from '../../format.js';
import { framed } from '../../frame.js';
import { momentOf } from '../../sight.js';
import { current } from '../../store.js';
import { letGo, pinAllocation } from '../pin.js';
import { shownColumns, unitsFor } from './columns.js';
import { Tall } from './tall.js';
import { inOrder, question, setTable, tableOf } from './view.js';

/** Rows asked for beyond those in sight, on either side. */
const BESIDE = 60;
/** Rows built beyond those in sight. */
const BUILT = 4;

/** What is known of the table shown. shown: of which table the rows are; version: of its order; at: the row that the keys are on */
const table = { key: '', shown: '', version: 0, from: 0, rows: /** @type {any[]} */ ([]), total: 0, bytes: 1, at: -1, asked: '', find: /** @type {number|null} */ (null), units: unitsFor(0) };
/** @type {Tall} */
let tall;
/** @type {(row: any) => void} hears of the allocation that the keys are on */
let looked = () => {};

const rowHeight = () => parseFloat(getComputedStyle(byId('allocations-body')).getPropertyValue('--row')) || 24;

/** @param {number} at */
const rowAt = (at) => table.rows[at - table.from];

/**
 * Another order or choice: old rows stay in sight until the new ones are there.
 * @param {string} key names it
 * @param {boolean} same it is the same table with other labels, sizes or open groups
 */
export function showRows(key, same) {
  table.key = key;
  const { selection } = current() || {};
  table.find = !same && selection?.kind === 'allocation' ? selection.id : null;
  ask(same ? Math.max(0, tall.range[0] - BESIDE) : 0, !same);
}

/** After the first rows all others are put in order, in ms. */
const REST_MS = 100;

/** @param {number} bytes of the largest allocation in the table */
export function setLargest(bytes) {
  table.units = unitsFor(bytes);
  // Rows that were quicker are written in another unit.
  if (table.shown !== table.key) return;
  table.version += 1;
  render();
}

/** @param {number} from @param {boolean} [anew] goes to the top, or to what is pinned */
function ask(from, anew = false) {
  const sight = current();
  if (!sight) return;
  const { key, find } = table;
  const count = tall.range[1] - tall.range[0] + 2 * BESIDE + 40;
  table.asked = `${key} ${from}`;
  const { open } = tableOf(sight);
  sight.client.latest('table', () => sight.client.ask(question(sight, 'table_rows', { ...inOrder(sight), open, find, from, count })), (answer) => {
    if (!answer || current() !== sight || table.key !== key) return;
    if (table.asked === `${key} ${from}`) table.asked = '';
    table.version += 1;
    Object.assign(table, { shown: key, from: answer.from, rows: answer.rows, total: answer.total, bytes: Math.max(1, answer.bytes) });
    const grid = byId('allocations-rows');
    grid.setAttribute('aria-rowcount', String(answer.total + 1));
    grid.setAttribute('role', tableOf(sight).group ? 'treegrid' : 'grid');
    if (anew) table.at = answer.found ?? -1;
    table.at = Math.min(table.at, answer.total - 1);
    if (anew) tall.top = 0;
    tall.resize(answer.total, rowHeight());
    if (anew && answer.found !== null) tall.go((answer.found + 0.5) * tall.row - tall.sight / 2);
    renderNow(); // in this frame: it was waited for
    // Only what is in sight is in order yet; the rest is by the time somebody scrolls.
    if (!answer.whole) setTimeout(() => table.key === key && sight.client.latest('table-rest', () => sight.client.ask(question(sight, 'table_rows', { ...inOrder(sight), open, from: 0, count: 0 })), () => {}), REST_MS);
  });
}

/** Brings what is pinned into sight, if the table has it. @param {number} id */
export function findRow(id) {
  const at = table.rows.findIndex((row) => row.id === id);
  const [first, end] = tall.range;
  if (at >= 0 && at + table.from >= first && at + table.from < end) render();
  else {
    table.find = id;
    ask(0, true);
  }
}

function renderNow() {
  if (!byId('allocations').checkVisibility()) return;
  const [first, end] = tall.range;
  const { key, version, from, rows, total } = table;
  const [begin, stop] = [Math.max(0, first - BUILT), Math.min(total, end + BUILT)];
  const keys = Array.from({ length: Math.max(0, stop - begin) }, (_, index) => `${rowAt(begin + index) ? version : '-'} ${begin + index}`);
  const nodes = keepChildren(byId('allocations-body'), keys, (name) => build(Number(name.split(' ')[1])));
  const { selection } = current() || {};
  for (const [name, node] of nodes) {
    const at = Number(name.split(' ')[1]);
    node.style.transform = `translateY(${at * tall.row - tall.offset}px)`;
    node.toggleAttribute('data-at', at === table.at);
    node.setAttribute('aria-selected', String(selection?.kind === 'allocation' && rowAt(at)?.id === selection.id));
  }
  const grid = byId('allocations-rows');
  if (table.at >= begin && table.at < stop) grid.setAttribute('aria-activedescendant', `allocations-row-${table.at}`);
  else grid.removeAttribute('aria-activedescendant');
  const whole = begin >= from && stop <= from + rows.length;
  const wanted = Math.max(0, begin - BESIDE);
  if (!whole && table.asked !== `${key} ${wanted}`) ask(wanted);
}

export const render = framed(renderNow);

/** @param {number} at @returns {HTMLElement} */
function build(at) {
  const row = rowAt(at);
  const node = el('div.alloc-row', { role: 'row', id: `allocations-row-${at}`, 'aria-rowindex': at + 2, 'data-row': at });
  if (!row) node.append(el('span.muted', { role: 'gridcell' }, '…'));
  else if (row.group !== undefined) fillGroup(node, row);
  else {
    node.dataset.id = row.id;
    node.append(...shownColumns().map(({ id, num, cell }) => el(`span.cell${num ? '.num' : ''}${id === 'site' && row.own ? '.own' : ''}`, { role: 'gridcell', 'data-column': id }, cell(row, table.units))));
  }
  return node;
}

/** @type {Record<string, (label: string) => string>} how the value of a group is called */
const CALLED = {
  stream: (label) => `Stream ${label}`, step: (label) => (label === 'none' ? 'No step' : `Step ${label}`), phase: (label) => (label === 'none' ? 'No phase' : categoryName(label)),
  pool: (label) => (/^[a-z]+$/.test(label) ? `${categoryName(label)} pool` : label), category: (label) => categoryName(label),
};

/** @param {HTMLElement} node @param {any} row */
function fillGroup(node, row) {
  const sight = current();
  const group = sight ? tableOf(sight).group : '';
  const own = CATEGORIES[row.slot] === 'own';
  const text = CALLED[group] && !own ? CALLED[group](row.label) : row.label;
  const label = row.at === null ? el('span.truncate', { title: text }, text) : place({ name: row.label, at: row.at });
  node.classList.add('group');
  node.dataset.group = row.group;
  node.setAttribute('aria-expanded', String(row.open));
  node.append(el('span.cell', { role: 'gridcell' }, el('span.twist', null, icon(row.open ? 'down' : 'right')), el('b.num', null, bytesSpan(row.bytes, table.units.size(row.bytes))),
    el('span.num.muted', null, formatShare(row.bytes / table.bytes)), el('span.num', null, plural(row.count, 'allocation')), row.slot === null ? null : categorySwatch(CATEGORIES[row.slot]), label));
}

/** @param {string} group @param {boolean} open */
function openGroup(group, open) {
  const sight = current();
  if (!sight) return;
  const rest = tableOf(sight).open.filter((each) => each !== group);
  setTable({ open: open ? [...rest, group] : rest });
}

/** Pins the allocation of a row, or lets go; opens or closes a group. @param {number} at */
function pick(at) {
  const [sight, row] = [current(), rowAt(at)];
  if (!sight || !row) return;
  table.at = at;
  const { selection } = sight;
  if (row.group !== undefined) openGroup(row.group, !row.open);
  else if (selection?.kind === 'allocation' && selection.id === row.id) letGo();
  else void pinAllocation(row.id, momentFor(row));
  render();
}

/** The moment in force if it is alive then, else its first. @param {any} row */
export function momentFor(row) {
  const now = momentOf(/** @type {any} */ (current()));
  const start = row.alloc_event === null ? 0 : row.alloc_event + 1;
  return now >= start && (row.free_event === null || now <= row.free_event) ? now : start;
}

/** @param {number} at moves the keys to a row */
function moveTo(at) {
  if (!table.total) return;
  table.at = Math.min(Math.max(0, at), table.total - 1);
  tall.reveal(table.at);
  render();
  looked(rowAt(table.at));
}

/** What keys do, by name. */
export const moves = {
  by: (/** @type {number} */ rows) => moveTo(table.at < 0 ? tall.range[0] : table.at + rows),
  page: (/** @type {number} */ towards) => moveTo((table.at < 0 ? tall.range[0] : table.at) + towards * Math.max(1, Math.floor(tall.sight / tall.row) - 1)),
  first: () => moveTo(0),
  last: () => moveTo(table.total - 1),
  enter: () => (table.at < 0 ? moveTo(tall.range[0]) : pick(table.at)),
  /** @param {boolean} open @returns {boolean} whether there is a group to open or close */
  open: (open) => {
    const row = rowAt(table.at);
    if (!row || !tableOf(/** @type {any} */ (current())).group) return false;
    if (row.group !== undefined && row.open !== open) openGroup(row.group, open);
    else if (row.group === undefined && !open) moveTo(table.rows.findLastIndex((each, index) => index + table.from < table.at && each.group !== undefined) + table.from);
    else if (row.group !== undefined && open) moveTo(table.at + 1);
    return true;
  },
  /** @returns {boolean} whether the keys are on the first row, or on none */
  atTop: () => table.at <= 0,
};

/** @param {string} text what has changed, for who does not see it */
export function tellRows(text) {
  announce(`${text}, ${formatCount(table.total)} rows`);
}

/** @param {(row: any) => void} onLook */
export function initRows(onLook) {
  looked = onLook;
  const grid = byId('allocations-rows');
  const body = byId('allocations-body');
  tall = new Tall(grid, body);
  grid.addEventListener('scroll', () => {
    tall.scrolled();
    render();
  }, { passive: true });
  new ResizeObserver(() => {
    if (!grid.clientHeight) return;
    tall.resize(table.total, rowHeight());
    render();
  }).observe(grid);
  body.addEventListener('click', ({ target }) => {
    const row = target instanceof Element ? /** @type {HTMLElement|null} */ (target.closest('.alloc-row')) : null;
    // Who marks text to copy it pins nothing.
    if (row && getSelection()?.isCollapsed !== false) pick(Number(row.dataset.row));
  });
}
