// What is alive at the moment looked at, by stack: the table that mirrors the picture.
import { categoryName, categorySwatch } from '../../categories.js';
import { byId, el, icon } from '../../dom.js';
import { bytesSpan, formatBytes, formatBytesGroup, formatCount, formatShare, place, plural } from '../../format.js';
import { addCommands } from '../../commands.js';
import { current, on, store } from '../../store.js';
import { term } from '../../tooltip.js';
import { showStack } from '../pin.js';

const ROWS = 200;
/** @type {boolean|null} null: the height of the window decides */
let wanted = null;
let asked = '';

/** @returns {boolean} */
const isOpen = () => wanted ?? matchMedia('(min-height: 950px)').matches;

/** @param {import('../../sight.js').Sight} sight */
function momentOf(sight) {
  return sight.selection ? sight.selection.moment : sight.overview.peak.moment;
}

function update() {
  const sight = current();
  if (!sight || !store.active) return;
  const moment = momentOf(sight);
  const key = `${store.active.id} ${sight.device} ${moment} ${JSON.stringify(sight.filter)} ${sight.stacking} ${sight.labels}`;
  if (key === asked) {
    toggle();
    return;
  }
  asked = key;
  sight.client.latest('alive', () => sight.client.ask({ ask: 'alive', device: sight.device, moment, limit: ROWS }), (answer) => {
    if (answer && current() === sight && key === asked) build(sight, moment, answer);
  });
}

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {number} moment
 * @param {any} answer
 */
function build(sight, moment, answer) {
  const atPeak = moment === sight.overview.peak.moment;
  const when = sight.moments < 2 ? 'at this moment' : atPeak ? 'at the peak' : moment === 0 ? 'before the first event' : `after event ${formatCount(moment - 1)}`;
  const header = el('button.drawer-head', { type: 'button', id: 'alive-toggle', title: 'Open or close the table', onclick: () => { wanted = !isOpen(); toggle(); } },
    icon('down'), el('b', { id: 'alive-title' }, `Alive ${when}, by stack`), el('span.muted', null, `${plural(answer.count, 'allocation')}, ${formatBytes(answer.bytes)}`), el('span.push.muted.only-closed.hide-narrow', null, 'Open the table ', el('kbd', null, 'L')));
  const texts = formatBytesGroup(answer.rows.map((/** @type {any} */ row) => row.bytes));
  const most = Math.max(1, ...answer.rows.map((/** @type {any} */ row) => row.bytes));
  const byCategory = sight.stacking === 'category' && Boolean(answer.rows[0]?.category);
  const rows = answer.rows.map((/** @type {any} */ row, /** @type {number} */ index) => {
    const meter = el(byCategory ? `div.meter.c-${row.category}` : `div.meter.s-${row.slot}`);
    meter.style.width = `${(row.bytes / most) * 100}%`;
    const pick = () => void showStack(row, moment);
    return el('tr', { tabindex: 0, onclick: pick, onkeydown: (/** @type {KeyboardEvent} */ event) => rowKey(event, pick) },
      el('td.num', null, bytesSpan(row.bytes, texts[index])), el('td.num.muted', null, formatShare(row.bytes / Math.max(1, answer.bytes))), el('td.num', null, formatCount(row.count)), byCategory ? el('td', { title: 'That of most of its bytes' }, el('span.tag', null, categorySwatch(row.category), categoryName(row.category))) : null, el(`td.grow${row.own ? '.own' : ''}`, null, place(row)), el('td.meter-cell', null, meter));
  });
  const { rest } = answer;
  if (rest && rest.count > 0) rows.push(el('tr.rest', null, el('td.num', null, bytesSpan(rest.bytes)), el('td.num.muted', null, formatShare(rest.bytes / Math.max(1, answer.bytes))), el('td.num', null, formatCount(rest.count)), el('td.muted', { colspan: byCategory ? 3 : 2 }, `${plural(rest.rows, 'more stack')} not listed`)));
  byId('alive').replaceChildren(header, el('div.drawer-body', { id: 'alive-body' },
    el('table.picks', null, el('thead', null, el('tr', null, el('th.num', null, 'Bytes'), el('th.num', null, term('of_requested')), el('th.num', null, term('blocks')), byCategory ? el('th', null, 'Category') : null, el('th', null, term('made')), el('th', null, el('span.visually-hidden', null, 'Share as a bar')))), el('tbody', null, ...rows))));
  toggle();
}

/**
 * @param {KeyboardEvent} event
 * @param {() => void} pick
 */
export function rowKey(event, pick) {
  const row = /** @type {HTMLElement} */ (event.currentTarget);
  const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
  if (event.key === 'Enter' || event.key === ' ') pick();
  else if (next) /** @type {HTMLElement} */ (next).focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function toggle() {
  const open = isOpen();
  byId('alive').toggleAttribute('data-open', open);
  document.getElementById('alive-toggle')?.setAttribute('aria-expanded', String(open));
  const body = document.getElementById('alive-body');
  if (body) body.hidden = !open;
}

export function initAlive() {
  on('active', update);
  on('selection', update);
  on('filter', update);
  on('options', update);
  matchMedia('(min-height: 950px)').addEventListener('change', toggle);
  addCommands([{ title: 'Open or close the table of what is alive', group: 'Timeline', keys: ['KeyL'], shown: ['L'], run: () => {
    if (!store.active || store.view !== 'timeline') return false;
    wanted = !isOpen();
    toggle();
    return true;
  } }]);
}
