// The ranks of one job beside each other: which of the open files they are, their peaks, and who is out of line.
import { el } from '../../dom.js';
import { plural } from '../../format.js';
import { emit } from '../../store.js';
import { wasm } from '../../wasm.js';
import { choose, deviceName, readyFiles } from './sides.js';
import { rankTable } from './tables.js';

/** @typedef {import('./sides.js').Side} Side */
/** @type {boolean|null} whether all are ranks, by the user's word; null: as their names, programs and times say */
let wish = null;
/** @type {WeakMap<object, Promise<string|null>>} the program of each file */
const programs = new WeakMap();

/** @param {unknown} request */
export const compare = (request) => JSON.parse(wasm().compare(JSON.stringify(request)));

/** @param {import('../../store.js').OpenFile} file */
function programOf(file) {
  if (!programs.has(file)) programs.set(file, file.client.ask({ ask: 'program' }));
  return programs.get(file);
}

/** @returns {Side[]} devices that can be ranks: those with events */
function rankSides() {
  return readyFiles().flatMap((file) => file.opened.summary.devices.filter((/** @type {any} */ each) => each.events > 0).map((/** @type {any} */ each) => ({ file, device: each.device, when: /** @type {'peak'} */ ('peak') })));
}

/** @param {Side} side */
async function rankOf(side) {
  const { peak, history } = side.file.opened.summary.devices.find((/** @type {any} */ each) => each.device === side.device);
  return { name: [side.file.name, deviceName(side)].filter(Boolean).join(', '), peak_bytes: peak.requested_bytes, reserved_bytes: peak.reserved_bytes, program: await programOf(side.file), first_time_us: history.first_time_us, last_time_us: history.last_time_us };
}

/** @returns {Promise<HTMLElement|null>} the table, or only the way to it; nothing where there is but one */
export async function ranksCard() {
  const all = rankSides();
  if (all.length < 2) return null;
  const of = await Promise.all(all.map(rankOf));
  const { members, ranks } = compare({ ranks: of, all: wish === true });
  const auto = wish === true ? compare({ ranks: of }).members : members;
  const shown = wish ?? members.length > 1;
  const left = of.filter((_, index) => !members.includes(index)).map((each) => each.name);
  const toggle = el('button.button.small.push', { type: 'button', id: 'compare-ranks', 'aria-pressed': String(shown), title: 'All recordings that are open beside each other, or not', onclick: () => setWish(shown ? false : auto.length > 1 ? null : true) }, 'Compare as ranks');
  if (!shown) return el('div.compare-ranks-off.wide', null, el('span.soft', null, wish === null ? `The ${plural(all.length, 'recording')} that are open do not look like ranks of one job.` : `${plural(all.length, 'recording')} can be compared as ranks.`), toggle);
  return el('article.card.wide', { 'aria-labelledby': 'ranks-title' }, el('header', null, el('h2', { id: 'ranks-title' }, 'As ranks of one job'), el('span.soft', { 'data-role': 'ranks-sentence' }, ranks.sentence), toggle),
    rankTable(ranks, (index) => choose({ a: all[members[ranks.median]], b: all[members[index]] })),
    left.length ? el('p.soft.foot', { 'data-role': 'ranks-left' }, `Not of this job by name, program or time: ${left.join(', ')}. `, el('button.text-link', { type: 'button', id: 'compare-ranks-all', onclick: () => setWish(true) }, 'Count all that is open')) : null);
}

/** @param {boolean|null} to */
function setWish(to) {
  wish = to;
  emit('compare');
}

/** @param {URLSearchParams} parts */
export function writeRanks(parts) {
  if (wish !== null) parts.set('ranks', wish ? '1' : '0');
}

/** @param {URLSearchParams} parts */
export function readRanks(parts) {
  const text = parts.get('ranks');
  wish = text === '1' ? true : text === '0' ? false : null;
}
