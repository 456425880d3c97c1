// The head of the table: a press sorts, with Shift by one key more.
import { byId, el, setText } from '../../dom.js';
import { current } from '../../store.js';
import { leastWidth, shownColumns } from './columns.js';
import { setTable, tableOf } from './view.js';

/** Columns in which the small, the early or the first by name is looked for first. */
const UP_FIRST = ['category', 'site', 'operator', 'alloc', 'free', 'stream', 'pool', 'phase', 'step', 'address'];
const MOST_KEYS = 4;
/** The head that Tab reaches. */
let stop = '';

/** @param {string} column @param {boolean} add one key more instead of this alone */
export function sortBy(column, add) {
  const sight = current();
  if (!sight) return;
  const { sort } = tableOf(sight);
  const now = sort.find((key) => key.column === column);
  const key = { column, down: now ? !now.down : !UP_FIRST.includes(column) };
  const rest = sort.filter((each) => each.column !== column);
  if (!add) setTable({ sort: [key] });
  else setTable({ sort: now ? sort.map((each) => (each === now ? key : each)) : [...rest, key].slice(0, MOST_KEYS) });
}

/** Builds the heads of the columns shown, and says how they are sorted. */
export function updateHead() {
  const sight = current();
  if (!sight) return;
  const { sort } = tableOf(sight);
  const columns = shownColumns();
  if (!columns.some((column) => column.id === stop)) stop = (columns.find((column) => column.id === sort[0].column) || columns[0]).id;
  const head = byId('allocations-head');
  const names = columns.map((column) => column.id).join();
  if (head.dataset.columns !== names) {
    head.dataset.columns = names;
    head.replaceChildren(...columns.map(({ id, title, what, num }) => el(`span.head${num ? '.num' : ''}`, { role: 'columnheader', 'data-column': id },
      el('button', { type: 'button', title: `${what}. Press to sort, with Shift by one more column`, onclick: (/** @type {MouseEvent} */ event) => sortBy(id, event.shiftKey) }, el('span', null, title), el('span.arrow', { 'aria-hidden': 'true' })))));
    const grid = byId('allocations-rows');
    grid.style.setProperty('--columns', columns.map((column) => column.width).join(' '));
    grid.style.setProperty('--least', `${leastWidth(columns)}px`);
    grid.setAttribute('aria-colcount', String(columns.length));
  }
  for (const node of /** @type {Iterable<HTMLElement>} */ (head.children)) {
    const at = sort.findIndex((key) => key.column === node.dataset.column);
    const button = /** @type {HTMLElement} */ (node.firstElementChild);
    if (at < 0) node.removeAttribute('aria-sort');
    else node.setAttribute('aria-sort', at > 0 ? 'other' : sort[at].down ? 'descending' : 'ascending');
    setText(/** @type {Node} */ (button.lastChild), at < 0 ? '' : `${sort[at].down ? '↓' : '↑'}${sort.length > 1 ? at + 1 : ''}`);
    button.tabIndex = node.dataset.column === stop ? 0 : -1;
  }
}

/** @param {KeyboardEvent} event moves among the heads */
function move(event) {
  const heads = /** @type {HTMLElement[]} */ ([...byId('allocations-head').querySelectorAll('button')]);
  const at = heads.indexOf(/** @type {HTMLElement} */ (event.target));
  if (at < 0) return;
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: heads.length - 1 }[event.key];
  if (event.key === 'ArrowDown') byId('allocations-rows').focus();
  else if (event.key === 'Enter' || event.key === ' ') sortBy(/** @type {HTMLElement} */ (heads[at].parentElement).dataset.column || '', event.shiftKey);
  else if (to !== undefined && heads[to]) {
    stop = /** @type {HTMLElement} */ (heads[to].parentElement).dataset.column || '';
    updateHead();
    heads[to].focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

/** The keys go to the head. */
export function focusHead() {
  /** @type {HTMLElement|null} */ (byId('allocations-head').querySelector('[tabindex="0"]'))?.focus();
}

export function initHead() {
  byId('allocations-head').addEventListener('keydown', move);
}
