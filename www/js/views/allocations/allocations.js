// The table of allocations: which, in what order, in which groups; its tool bar, its empty state and its commands.
import { addCommands, pair } from '../../commands.js';
import { announce, byId, el, icon, setText } from '../../dom.js';
import { setExpression } from '../../expression.js';
import { setFilter } from '../../filter.js';
import { bytesSpan, plural } from '../../format.js';
import { framed } from '../../frame.js';
import { attachMenu, closeMenu } from '../../menu.js';
import { current, on, store } from '../../store.js';
import { letGo, showIn } from '../pin.js';
import { COLUMNS, shownColumns, toggleColumn, usualColumns } from './columns.js';
import { initTableAddress } from './address.js';
import { copyTable, exportDialog } from './export.js';
import { focusHead, initHead, updateHead } from './head.js';
import { findRow, initRows, moves, render, setLargest, showRows } from './rows.js';
import { forgetBars, initSizes, showSizes, STEPS } from './sizes.js';
import { initTableDetails, lookAt } from './table-details.js';
import { GROUPS, OFS, inOrder, question, setTable, tableOf } from './view.js';
import { ofSentence, ofText } from './words.js';

/** What is shown: of which allocations, in what order, and with what is known of them. matches: how often the filter has changed */
const shown = { of: '', order: '', all: '', matches: 0, checks: 0 };
/** @type {any} the last answer to `table_sizes` */
let sizes = null;

/** Asks for what is wanted now, as far as it is another. */
const update = framed(() => {
  const sight = current();
  if (!sight || !store.active || store.view !== 'allocations') return;
  updateToolbar(sight);
  updateHead();
  const of = JSON.stringify([store.active.id, sight.filter, shown.matches, question(sight, 'table')]);
  const order = `${of} ${JSON.stringify(inOrder(sight))}`;
  const known = `${sight.labels} ${shown.checks}`;
  const all = `${order} ${known} ${tableOf(sight).open.join()}`;
  if (all === shown.all) return render();
  const [same, counted] = [order === shown.order, sizes !== null && of === shown.of];
  if (!counted) forgetBars();
  Object.assign(shown, { of, order, all });
  // Sizes do not depend on order, labels or blocks. They come before the rows, whose unit follows from them.
  if (!counted) askSizes(sight, of);
  showRows(all, same);
});

/** @param {import('../../sight.js').Sight} sight @param {string} of */
function askSizes(sight, of) {
  sizes = null;
  sight.client.latest('table-sizes', () => sight.client.ask(question(sight, 'table_sizes', { steps: STEPS })), (answer) => {
    if (!answer || current() !== sight || shown.of !== of) return;
    sizes = answer;
    showSizes(answer);
    showEmpty(sight);
    setLargest(answer.largest_bytes);
  });
}

/** @param {import('../../sight.js').Sight} sight */
function updateToolbar(sight) {
  const { of, group } = tableOf(sight);
  const [verb, when] = ofText(sight, of);
  byId('table-of-name').replaceChildren(`${verb} `, el('b', null, when));
  setText(byId('table-group-name'), GROUPS[group]);
  setText(byId('table-columns-name'), `${shownColumns().length} of ${COLUMNS.length}`);
}

/** What removed everything, and how to undo it. @param {import('../../sight.js').Sight} sight */
function showEmpty(sight) {
  const box = byId('allocations-empty');
  box.hidden = sizes.count > 0;
  byId('allocations-rows').hidden = sizes.count === 0;
  if (sizes.count > 0) return;
  const { expression, filter } = sight;
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) => el('button.button.small', { type: 'button', onclick }, icon('close'), text);
  if (sizes.of_count > 0) {
    box.replaceChildren(el('p', null, el('b', null, 'No allocation matches.'), ` ${plural(sizes.of_count, 'allocation')} ${sizes.of_count === 1 ? 'is' : 'are'} ${ofSentence(sight)}; `, el('code', null, expression), ' removes all of them. The largest is ', bytesSpan(sizes.largest_bytes), '.'), button('Remove the filter', () => setExpression('')));
  } else {
    box.replaceChildren(el('p', null, el('b', null, 'There is no allocation here.'), ` None is ${ofSentence(sight)}${filter ? ' in the stream or pool that is shown' : ''}.`),
      filter ? button('Show all streams and pools', () => void setFilter(null)) : tableOf(sight).of === 'all' ? el('span') : button('Show all allocations', () => setTable({ of: 'all' })));
  }
}

/** @param {boolean} current @param {string} text @param {string} note @param {() => void} run */
function item(current, text, note, run) {
  return el('button.item', { type: 'button', 'aria-current': current, onclick: () => { closeMenu(); run(); } }, text, el('span', null, note));
}

function ofRows() {
  const sight = current();
  return sight ? OFS.map((of) => {
    const [verb, when] = ofText(sight, of);
    const [text, ...note] = when.split(', ');
    return item(tableOf(sight).of === of, `${verb} ${text}`, note.join(', '), () => setTable({ of, open: [] }));
  }) : [];
}

function groupRows() {
  const sight = current();
  return sight ? Object.entries(GROUPS).map(([group, text]) => item(tableOf(sight).group === group, text, '', () => groupBy(group))) : [];
}

/** @param {string} group */
function groupBy(group) {
  setTable({ group, open: [] });
  announce(group ? `Grouped by ${GROUPS[group]}` : 'Not grouped');
}

/** The menu stays open while columns are chosen. */
function columnRows() {
  const now = new Set(shownColumns());
  const rows = COLUMNS.map((column) => el('button.item.tick', {
    type: 'button', role: 'menuitemcheckbox', 'aria-checked': String(now.has(column)), 'data-column': column.id, onclick: (/** @type {MouseEvent} */ event) => {
      /** @type {HTMLElement} */ (event.currentTarget).setAttribute('aria-checked', String(toggleColumn(column.id)));
      columnsChanged();
    },
  }, column.title, el('span', null, column.what)));
  return [...rows, el('hr'), el('button.item', { type: 'button', onclick: () => { usualColumns(); closeMenu(); columnsChanged(); } }, 'The usual columns')];
}

/** Rows are built anew: they have other cells. */
function columnsChanged() {
  shown.checks += 1;
  update();
}

/** @param {() => unknown} act only on this view */
const here = (act) => () => {
  if (!store.active || store.view !== 'allocations') return false;
  return act() !== false;
};

/** The next of some, around. @param {string[]} all @param {string} now */
const next = (all, now) => all[(all.indexOf(now) + 1) % all.length];

/** The pinned allocation in another view. @param {'timeline'|'state'} view */
const show = (view) => here(() => {
  const { selection } = current() || {};
  if (selection?.kind !== 'allocation') return false;
  void showIn(view, selection.details);
  return true;
});

function commands() {
  const group = 'Allocations';
  /** @param {string} title @param {string[]} shown @param {string[]} keys @param {() => unknown} run */
  const one = (title, shown, keys, run) => ({ title, group, keys, shown, run: here(run) });
  /** @param {string} listed @param {[string, string, string, () => unknown][]} halves */
  const two = (listed, ...halves) => pair(group, listed, halves.map(([title, key, shown, run]) => [title, [key], shown, here(run)]));
  addCommands([
    ...two('Previous, next row', ['Previous row', 'ArrowUp', '↑', () => (moves.atTop() ? focusHead() : moves.by(-1))], ['Next row', 'ArrowDown', '↓', () => moves.by(1)]),
    ...two('Page up, page down', ['Page up', 'PageUp', 'PgUp', () => moves.page(-1)], ['Page down', 'PageDown', 'PgDn', () => moves.page(1)]),
    ...two('First, last row', ['First row', 'Home', 'Home', moves.first], ['Last row', 'End', 'End', moves.last]),
    ...two('Open, close a group', ['Open a group', 'ArrowRight', '→', () => moves.open(true)], ['Close a group', 'ArrowLeft', '←', () => moves.open(false)]),
    one('Pin the row, open the group', ['Enter'], ['Enter', 'NumpadEnter'], moves.enter),
    one('Let go', ['Esc'], ['Escape'], letGo),
    { title: 'Show the pinned allocation in the timeline', group, keys: ['KeyG'], shown: ['G'], run: show('timeline') },
    { title: 'Show the pinned allocation in the allocator’s state', group, keys: ['Shift+KeyG'], shown: ['Shift G'], run: show('state') },
    one('Group by the next column', ['B'], ['KeyB'], () => groupBy(next(Object.keys(GROUPS), tableOf(/** @type {any} */ (current())).group))),
    one('Next choice of allocations', ['V'], ['KeyV'], () => setTable({ of: /** @type {any} */ (next(OFS, tableOf(/** @type {any} */ (current())).of)), open: [] })),
    one('Copy the table as CSV', ['Shift Y'], ['Shift+KeyY'], () => void copyTable()),
    one('Export the table', ['Shift X'], ['Shift+KeyX'], () => exportDialog(sizes?.count ?? 0)),
  ]);
}

export function initAllocations() {
  initTableAddress();
  initHead();
  initRows(lookAt);
  initSizes(() => sizes && store.view === 'allocations' && showSizes(sizes));
  initTableDetails();
  commands();
  attachMenu(byId('table-of'), ofRows, 'Which allocations');
  attachMenu(byId('table-group'), groupRows, 'Group by');
  attachMenu(byId('table-columns'), columnRows, 'Columns');
  byId('table-copy').addEventListener('click', () => void copyTable());
  byId('table-export').addEventListener('click', () => exportDialog(sizes?.count ?? 0));
  for (const topic of /** @type {const} */ (['active', 'view', 'filter', 'labels', 'diagnosis', 'range', 'cursor', 'moment', 'table', 'options'])) on(topic, update);
  on('chosen', () => {
    shown.matches += 1;
    update();
  });
  // Sizes of blocks are exact now.
  on('figures', columnsChanged);
  on('selection', () => {
    const { selection } = current() || {};
    if (store.view !== 'allocations') return;
    if (selection?.kind === 'allocation') findRow(selection.id);
    else render();
  });
}
