// The call tree below the picture: the same nodes as rows that open and close. Only rows in sight are built.
import { announce, byId, el, setText } from '../../dom.js';
import { formatCount, formatShare } from '../../format.js';
import { framed } from '../../frame.js';
import { current, emit, on, store } from '../../store.js';
import { shownTree, zoomTo } from './picture.js';
import { select } from './select.js';
import { marksMatches, setStacks, stacksOf, treeOf, unitOf, WEIGHS } from './wish.js';
import { categoryTag, exactWeight, placeOf, weightSpan } from './words.js';

const SPARE_ROWS = 8;
/** What each column is sorted by, and what it is called. @type {[import('./wish.js').RowColumn, string][]} */
const HEAD = [['name', 'Function'], ['total', 'Total'], ['share', 'Share'], ['own', 'Self'], ['blocks', 'Blocks'], ['category', 'Category']];
/** Columns in which the first by name is looked for first. */
const UP_FIRST = ['name', 'category'];
/** How often what the filter chooses has changed. */
let matches = 0;
/** @type {{count: number, selected: number|null, shown: any[], from: number, sight: object, key: string}|null} */
let rows = null;
let lastSelected = /** @type {number|null} */ (null);

const rowPx = () => parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row')) || 24;

/** @param {import('../../sight.js').Sight} sight @param {number} from @param {number} count @param {boolean} [reveal] */
function ask(sight, from, count, reveal = false) {
  const { flipped, selected, sort } = stacksOf(sight);
  return sight.client.ask({ ask: 'tree_rows', ...treeOf(sight), flipped: [...flipped], from, count, selected, reveal, sort });
}

/** @param {import('../../sight.js').Sight} sight @returns {string} what rows are of, and in what order */
function wishOf(sight) {
  const { selected, sort } = stacksOf(sight);
  return JSON.stringify([store.active?.id, treeOf(sight), sight.filter, sight.labels, matches, selected, sort, marksMatches(sight), sight.stacking]);
}

/** @param {import('../../sight.js').Sight} sight @returns {string} the same, and which of them are in sight */
function keyOf(sight) {
  const box = byId('tree');
  return `${wishOf(sight)} ${[...stacksOf(sight).flipped]} ${Math.floor(box.scrollTop / rowPx())} ${box.clientHeight}`;
}

const soon = framed(update);

function update() {
  const sight = current();
  if (!sight || store.view !== 'stacks' || !shownTree()) return;
  updateHead(stacksOf(sight).sort);
  // Asked together with the picture of another tree; when that has come, they are mostly there.
  const key = keyOf(sight);
  if (rows?.key === key && rows.sight === sight) return;
  sight.client.latest('tree-rows', async () => {
    const box = byId('tree');
    const before = wishOf(sight);
    const { selected, flipped } = stacksOf(sight);
    const fresh = selected !== lastSelected && selected !== null;
    lastSelected = selected;
    const count = Math.ceil(box.clientHeight / rowPx()) + 2 * SPARE_ROWS;
    let from = Math.max(0, Math.floor(box.scrollTop / rowPx()) - SPARE_ROWS);
    let answer = await ask(sight, from, count, fresh);
    if (!answer) return null;
    for (const id of answer.opened) flipped.has(id) ? flipped.delete(id) : flipped.add(id);
    if (fresh && answer.selected !== null) {
      byId('tree-all').style.height = `${answer.count * rowPx()}px`;
      const y = answer.selected * rowPx();
      const inside = box.clientHeight - rowPx();
      if (y < box.scrollTop) box.scrollTop = y;
      else if (y + rowPx() > box.scrollTop + inside) box.scrollTop = y + rowPx() - inside;
      from = Math.max(0, Math.floor(box.scrollTop / rowPx()) - SPARE_ROWS);
      answer = await ask(sight, from, count);
    }
    // It may have opened rows and scrolled; what was wished for meanwhile it does not answer.
    return answer && { ...answer, from, sight, key: wishOf(sight) === before ? keyOf(sight) : '' };
  }, (answer) => {
    if (!answer || current() !== sight) return;
    rows = answer;
    build(sight, answer);
  });
}

/** @param {import('../../sight.js').Sight} sight @param {any} answer */
function build(sight, answer) {
  const { selected, weigh, form } = stacksOf(sight);
  const unit = unitOf(sight);
  const whole = Math.max(1, shownTree()?.layout.total ?? 1);
  byId('tree-all').style.height = `${answer.count * rowPx()}px`;
  byId('tree').setAttribute('aria-rowcount', String(answer.count + 1));
  const matching = marksMatches(sight);
  showMatching(matching);
  const share = (/** @type {any} */ shown) => el('div.num.matching', { role: 'gridcell', title: exactWeight(shown.chosen, unit) }, shown.chosen ? formatShare(shown.chosen / Math.max(1, shown.total)) : none());
  const none = () => el('span.muted', null, '–');
  const body = byId('tree-window');
  body.style.transform = `translateY(${answer.from * rowPx()}px)`;
  body.replaceChildren(...answer.shown.map((/** @type {any} */ shown, /** @type {number} */ index) => {
    const root = shown.level === 0 && form !== 'sandwich';
    const twist = el('span.twist', { 'aria-hidden': 'true' }, shown.open === null ? '' : shown.open ? '▾' : '▸');
    if (shown.open !== null) twist.addEventListener('click', (event) => { event.stopPropagation(); flip(shown.id); });
    const side = Math.abs(shown.level) === 1 && form === 'sandwich' ? el('span.muted.side', null, shown.level < 0 ? 'called by' : 'calls') : null;
    const name = el('span.place', { title: root ? null : `${shown.name}\n${placeOf(shown)}` }, twist, side, el('span.fn', null, root ? WEIGHS[weigh][0] : shown.name), el('span.at', null, placeOf(shown)));
    name.style.paddingLeft = `${Math.min(Math.abs(shown.level), 24) * 14}px`;
    return el(`div.tree-row.${shown.kind}${matching && !shown.chosen ? '.faded' : ''}`, {
      role: 'row', id: `node-${shown.id}`, 'data-node': shown.id, 'aria-level': Math.abs(shown.level) + 1, 'aria-rowindex': answer.from + index + 2, 'aria-selected': String(shown.id === selected), 'aria-expanded': shown.open === null ? null : String(shown.open),
      onclick: () => void select(shown.id), ondblclick: () => zoomTo(shown.level === 0 ? null : shown.id),
    }, el('div', { role: 'gridcell' }, name), el('div.num', { role: 'gridcell' }, weightSpan(shown.total, unit)), el('div.num.muted', { role: 'gridcell' }, formatShare(shown.total / whole)), matching ? share(shown) : null, el('div.num', { role: 'gridcell' }, shown.own > 0 ? weightSpan(shown.own, unit) : none()), el('div.num', { role: 'gridcell' }, formatCount(shown.blocks)), el('div', { role: 'gridcell' }, categoryTag(shown.slots[0])));
  }));
  const there = selected !== null && answer.shown.some((/** @type {any} */ shown) => shown.id === selected);
  if (there) byId('tree').setAttribute('aria-activedescendant', `node-${selected}`);
  else byId('tree').removeAttribute('aria-activedescendant');
}

/** @param {number} id opens or closes a row */
function flip(id) {
  const sight = current();
  if (!sight) return;
  const { flipped } = stacksOf(sight);
  flipped.has(id) ? flipped.delete(id) : flipped.add(id);
  soon();
}

/** @param {number} index selects the row at a place */
async function go(index) {
  const sight = current();
  if (!sight || !rows) return;
  const at = Math.min(Math.max(index, 0), rows.count - 1);
  const known = rows.shown[at - rows.from] ?? (await ask(sight, at, 1))?.shown[0];
  if (known && current() === sight) await select(known.id);
}

/** @param {KeyboardEvent} event */
function keydown(event) {
  const sight = current();
  if (!sight || !rows || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = rows.selected ?? -1;
  const row = rows.shown[at - rows.from];
  const page = Math.max(1, Math.floor(byId('tree').clientHeight / rowPx()) - 2);
  /** @type {Record<string, () => unknown>} */
  const acts = {
    ArrowDown: () => go(at + 1), ArrowUp: () => (at > 0 ? go(at - 1) : focusHead()), Home: () => go(0), End: () => go(rows ? rows.count - 1 : 0), PageDown: () => go(at + page), PageUp: () => go(at - page),
    ArrowRight: () => (row?.open === false ? flip(row.id) : row?.open ? go(at + 1) : null),
    ArrowLeft: () => (row?.open ? flip(row.id) : row ? parentOf(row) : null),
    Enter: () => row && zoomTo(row.level === 0 ? null : row.id),
  };
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  void act();
}

/** @param {any} row selects what it belongs to */
async function parentOf(row) {
  const sight = current();
  const details = sight && (await sight.client.ask({ ask: 'tree_node', ...treeOf(sight), id: row.id }));
  if (details && current() === sight && row.level !== 0) await select(details.parent);
}

const heads = () => /** @type {HTMLElement[]} */ ([...byId('tree-head').querySelectorAll('button')]);

/** The head that Tab reaches. */
const focusHead = () => heads().find((head) => head.tabIndex === 0)?.focus();

/** @param {import('./wish.js').RowColumn} column the other way round if rows are sorted by it already */
function sortBy(column) {
  const sight = current();
  if (!sight) return;
  const { sort } = stacksOf(sight);
  const down = sort.column === column ? !sort.down : !UP_FIRST.includes(column);
  setStacks({ sort: { column, down } });
  announce(`Sorted by ${HEAD.find(([id]) => id === column)?.[1]}, ${down ? 'descending' : 'ascending'}`);
}

/** @param {import('./wish.js').Stacks['sort']} sort */
function updateHead({ column, down }) {
  const all = heads();
  const held = all.includes(/** @type {any} */ (document.activeElement));
  for (const head of all) {
    const cell = /** @type {HTMLElement} */ (head.parentElement);
    const is = cell.dataset.by === column;
    if (is) cell.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    else cell.removeAttribute('aria-sort');
    setText(/** @type {Node} */ (head.lastChild), is ? (down ? ' ↓' : ' ↑') : '');
    if (!held) head.tabIndex = is ? 0 : -1;
  }
}

/** @param {KeyboardEvent} event moves among the heads; Enter and the space bar press them */
function headKey(event) {
  const all = heads();
  const at = all.indexOf(/** @type {any} */ (event.target));
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
  if (event.key === 'ArrowDown') byId('tree').focus();
  else if (to !== undefined) {
    if (!all[to]) return;
    for (const head of all) head.tabIndex = head === all[to] ? 0 : -1;
    all[to].focus();
  } else if (event.key !== 'Enter' && event.key !== ' ') return;
  event.stopPropagation();
  if (event.key.length > 1 && event.key !== 'Enter') event.preventDefault();
}

/** @param {boolean} matching with a column of what the filter chooses */
const showMatching = (matching) => void byId('tree').toggleAttribute('data-matching', matching);

export function initTable() {
  byId('tree-head').replaceChildren(...HEAD.map(([column, title], index) => el(index > 0 && index < 5 ? 'div.num' : 'div', { role: 'columnheader', 'data-by': column },
    el('button', { type: 'button', title: 'Press to sort', onclick: () => sortBy(column) }, title, el('span', { 'aria-hidden': 'true' })))));
  byId('tree-head').children[HEAD.findIndex(([column]) => column === 'share')].after(el('div.num.matching', { role: 'columnheader', title: 'The part of its bytes that the filter chooses' }, 'Matching'));
  byId('tree-head').addEventListener('keydown', headKey);
  const box = byId('tree');
  box.addEventListener('scroll', soon);
  box.addEventListener('keydown', keydown);
  on('tree', soon);
  on('options', soon);
  on('chosen', () => { matches += 1; });
  on('active', () => { rows = null; lastSelected = null; });
  new ResizeObserver(soon).observe(box);
}
