// The columns of the table: what they are called, how wide they are, and what stands in their cells.
import { CATEGORIES, categoryName, categorySwatch } from '../../categories.js';
import { el } from '../../dom.js';
import { bytesSpan, columnUnit, exactBytes, formatBytes, formatCount, formatDuration, place, plural } from '../../format.js';
import { remember, rememberedJson } from '../../settings.js';

/** @typedef {{size: (bytes: number) => string}} Units how sizes are written in this table */
/** @typedef {{id: string, title: string, what: string, width: string, num?: boolean, cell: (row: any, units: Units) => Node|string}} Column */

/** Less sure rules are named as guesses, as in the details. */
const PROBABLE = 0.65;
const NONE = '–';

/** @param {any} row */
function category(row) {
  const own = CATEGORIES[row.slot] === 'own';
  const sure = own || row.confidence === null || row.confidence >= PROBABLE || row.category === 'unknown';
  const name = own ? row.category : sure ? categoryName(row.category) : `probably ${categoryName(row.category).toLowerCase()}`;
  return el('span.tag', { title: row.rule ? `${row.rule} (${row.confidence.toFixed(2)})` : null }, categorySwatch(CATEGORIES[row.slot]), el('span.truncate', null, name));
}

/** @param {any} row @param {Units} units */
function block(row, units) {
  const exact = row.bytes !== null;
  return el('span', { 'data-bytes': row.block_bytes, title: exact ? exactBytes(row.block_bytes) : `About ${exactBytes(row.block_bytes)}, estimated by rounding` }, exact ? '' : 'about ', units.size(row.block_bytes));
}

/** @param {any} row */
function lived(row) {
  const text = row.lived_us === null ? plural(row.lived_events, 'event') : formatDuration(row.lived_us);
  return el('span', { title: row.alive_at_end ? `${plural(row.lived_events, 'event')}, and alive at the end of the recording` : plural(row.lived_events, 'event') }, row.alive_at_end ? `≥\u00a0${text}` : text);
}

/** @param {string|null} text */
const code = (text) => el(text ? 'span.code.soft' : 'span.muted', { title: text }, text || NONE);

/** @type {Column[]} */
export const COLUMNS = [
  { id: 'size', title: 'Size', what: 'Bytes that were requested', width: '92px', num: true, cell: (row, units) => bytesSpan(row.requested_bytes, units.size(row.requested_bytes)) },
  { id: 'block', title: 'Block', what: 'Bytes of the block that it lies in', width: '124px', num: true, cell: block },
  { id: 'rounding', title: 'Rounding', what: 'Bytes of the block that nobody asked for', width: '92px', num: true, cell: (row) => (row.block_bytes > row.requested_bytes ? bytesSpan(row.block_bytes - row.requested_bytes) : el('span.muted', { 'data-bytes': 0 }, NONE)) },
  { id: 'category', title: 'Category', what: 'What it holds', width: '122px', cell: category },
  { id: 'site', title: 'Made at', what: 'The innermost line that is neither torch nor C++', width: 'minmax(170px, 1fr)', cell: (row) => (row.name ? place(row) : el('span.muted', null, NONE)) },
  { id: 'operator', title: 'Operator', what: 'The outermost operator inside that line', width: 'minmax(84px, 0.35fr)', cell: (row) => code(row.operator) },
  { id: 'alloc', title: 'Alloc event', what: 'The event that made it', width: '86px', num: true, cell: (row) => (row.alloc_event === null ? el('span.muted', { title: 'It was there before recording began' }, 'before') : formatCount(row.alloc_event)) },
  { id: 'free', title: 'Free event', what: 'The event that completed its free', width: '86px', num: true, cell: (row) => (row.free_event === null ? el('span.muted', { title: 'Alive at the end of the recording' }, NONE) : formatCount(row.free_event)) },
  { id: 'lived', title: 'Lived', what: 'From its alloc to its free', width: '96px', num: true, cell: lived },
  { id: 'stream', title: 'Stream', what: 'The stream that it was made on', width: '60px', num: true, cell: (row) => el(row.stream === '0' ? 'span' : 'span.code.truncate', { title: row.stream }, row.stream) },
  { id: 'pool', title: 'Pool', what: 'The pool that served it', width: '92px', cell: (row) => el('span', { title: row.pool }, row.pool) },
  { id: 'phase', title: 'Phase', what: 'What the program did when it was made', width: '92px', cell: (row) => (row.phase ? categoryName(row.phase) : el('span.muted', null, NONE)) },
  { id: 'step', title: 'Step', what: 'The step that made it', width: '68px', num: true, cell: (row) => (row.step === null ? el('span.muted', null, NONE) : formatCount(row.step + 1)) },
  { id: 'address', title: 'Address', what: 'Where it begins', width: '132px', cell: (row) => code(row.address) },
];
const USUAL = ['size', 'category', 'site', 'operator', 'alloc', 'free', 'lived', 'stream'];

/** @type {Set<string>} */
let chosen = new Set(known());

/** @returns {string[]} */
function known() {
  const kept = rememberedJson('columns');
  const there = (Array.isArray(kept) ? kept : []).filter((id) => COLUMNS.some((column) => column.id === id));
  return there.length ? there : USUAL;
}

/** @returns {Column[]} those that are shown */
export const shownColumns = () => COLUMNS.filter((column) => chosen.has(column.id));

/** @param {Column[]} columns @returns {number} pixels that they need at least, with what lies between them */
export function leastWidth(columns) {
  return columns.reduce((sum, { width }) => sum + Number(/(\d+)px/.exec(width)?.[1]) + 8, 28);
}

/** @param {string} id @returns {boolean} whether it is shown now: one column at least stays */
export function toggleColumn(id) {
  if (!chosen.has(id)) chosen.add(id);
  else if (chosen.size > 1) chosen.delete(id);
  keep();
  return chosen.has(id);
}

export function usualColumns() {
  chosen = new Set(USUAL);
  keep();
}

/** Without storage the choice lasts as long as the page. */
function keep() {
  remember('columns', JSON.stringify([...chosen]));
}

/** @param {number} most the largest allocation @returns {Units} one unit for all that can be read in it */
export function unitsFor(most) {
  const { unit, text } = columnUnit(most);
  const least = { GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10, B: 1 }[unit] || 1;
  return { size: (bytes) => {
    const own = formatBytes(bytes);
    return bytes < 0.05 * least || own.endsWith(`\u00a0${unit}`) ? own : `${text(bytes)}\u00a0${unit}`;
  } };
}
