// The blocks of the segment around what is chosen, by address: the table that mirrors its row of the picture.
import { el } from '../../dom.js';
import { columnUnit, exactBytes, formatCount, place } from '../../format.js';
import { current } from '../../store.js';
import { term } from '../../tooltip.js';
import { rowKey } from '../timeline/alive.js';
import { shownBlocks, stateView } from './blocks.js';
import { chooseBlock } from './choose.js';

const WORDS = /** @type {Record<string, string>} */ ({ free: 'Free', pending: 'Awaiting free' });
/** What was asked for last: a block chosen in the table leaves it as it is. */
let known = { key: '', found: /** @type {any} */ (null) };

/**
 * @param {any} segment
 * @param {string|undefined} chosen address of a block
 */
export function blocksSection(segment, chosen) {
  const section = el('section', { 'data-role': 'segment-blocks' });
  const sight = current();
  const key = `${shownBlocks()?.stamp} ${segment.address}`;
  const fill = () => known.found && section.replaceChildren(el('h3', null, el('span', null, 'Blocks of this segment'), el('span.unit', null, units(known.found).unit)), table(segment, known.found, chosen), rest(known.found));
  if (known.key === key) fill();
  else if (sight) {
    void sight.client.ask({ ask: 'state_blocks', device: sight.device, view: stateView(sight), address: segment.address }).then((found) => {
      known = { key, found };
      fill();
    });
  }
  return section;
}

/** @param {any} found */
const units = (found) => columnUnit(Math.max(1, ...found.rows.map((/** @type {any} */ row) => row.bytes)));

/** @param {any} found */
const rest = ({ count, rows }) => (count > rows.length ? el('p.muted.small', null, `and ${formatCount(count - rows.length)} more blocks`) : '');

/** @param {any} segment @param {any} found @param {string|undefined} chosen */
function table(segment, found, chosen) {
  const { text } = units(found);
  return el('table.picks', null, el('thead', null, el('tr', null, el('th.num', null, term('block', 'Bytes')), el('th', null, 'State'), el('th.grow', null, term('made')))),
    el('tbody', null, ...found.rows.map((/** @type {any} */ row) => {
      const pick = () => void chooseBlock(segment.address, row);
      return el('tr', { tabindex: 0, title: `${row.address}, ${exactBytes(row.bytes)}`, 'aria-selected': String(row.address === chosen), onclick: pick, onkeydown: (/** @type {KeyboardEvent} */ event) => rowKey(event, pick) },
        el('td.num', { 'data-bytes': row.bytes }, text(row.bytes)), el('td', null, WORDS[row.state] || 'Live'), el('td.grow', null, row.name ? place(row) : '\u2013'));
    })));
}
