// What is compared: a moment of a device of an open file, for A and for B; and what it holds, asked of that file's worker.
import { closeMenu } from '../../menu.js';
import { el } from '../../dom.js';
import { momentOf } from '../../sight.js';
import { current, emit, store } from '../../store.js';
import { momentText } from './marks.js';

/** @typedef {'peak'|'end'|'a'|'b'|'now'|number} When a, b: what is marked; now: the moment shown; a number: that moment */
/** @typedef {{file: import('../../store.js').OpenFile, device: number, when: When}} Side */

/** @type {Record<string, string>} */
const WORDS = { peak: 'peak', end: 'end', a: 'mark A', b: 'mark B', now: 'moment shown' };

/** @type {{a: Side|null, b: Side|null}} as chosen by hand; null: what suggests itself */
export const chosen = { a: null, b: null };
/** @type {{a: Named|null, b: Named|null}} what an address wants whose file is not open yet */
const wanted = { a: null, b: null };
/** @typedef {{file: string, device: number, when: When}} Named a side as an address names it: the file by a number made of what is in it, not by its name */

/** @param {Partial<Record<'a'|'b', Side|null>>} sides */
export function choose(sides) {
  Object.assign(chosen, sides);
  Object.assign(wanted, { a: null, b: null });
  emit('compare');
}

/** Sides whose file is closed are forgotten, those whose file has come are taken. */
function settle() {
  for (const which of /** @type {const} */ (['a', 'b'])) {
    const wish = wanted[which];
    const file = wish && readyFiles().find((each) => digestOf(each) === wish.file);
    if (!file || !file.opened.devices.some((/** @type {any} */ each) => each.device === wish.device)) continue;
    chosen[which] = { file, device: wish.device, when: wish.when };
    wanted[which] = null;
  }
}

/** @returns {boolean} whether an address compares with a file that is not open */
export const isWaiting = () => wanted.a !== null || wanted.b !== null;

/** @returns {boolean} whether a side was chosen, by hand or by an address */
export const isChosen = () => isWaiting() || chosen.a !== null || chosen.b !== null;

/** Of what does not change while a file is checked. @param {import('../../store.js').OpenFile} file @returns {string} by FNV-1a: the same for the same recording, whatever its file is called */
function digestOf(file) {
  const text = JSON.stringify(file.opened.summary.devices.map((/** @type {any} */ { device, events, allocations, segments, peak, history }) => [device, events, allocations, segments, peak.requested_bytes, history.first_time_us, history.last_time_us]));
  let digest = 0x811c9dc5;
  for (const letter of text) digest = Math.imul(digest ^ letter.charCodeAt(0), 0x01000193);
  return (digest >>> 0).toString(16).padStart(8, '0');
}

/** @returns {string} both sides for the address, unless they are what its marks say */
export function sidesText() {
  const pair = sides() ?? chosen;
  if (pair.a?.when === 'a' && pair.b?.when === 'b' && pair.a.file === store.active && pair.b.file === store.active) return '';
  const named = /** @type {const} */ (['a', 'b']).map((which) => {
    const side = pair[which];
    if (wanted[which] || !side) return wanted[which];
    return { file: digestOf(side.file), device: side.device, when: side.when === 'peak' || side.when === 'end' ? side.when : momentOfSide(side) ?? 0 };
  });
  return named.every(Boolean) ? named.map((each) => each && `${each.file}.${each.device}.${typeof each.when === 'number' ? `m${each.when}` : each.when}`).join() : '';
}

/** @param {string} text as `sidesText` writes it; anything else: what suggests itself */
export function readSides(text) {
  const [a, b] = text.split(',').map((part) => {
    const found = /^([0-9a-f]{8})\.(-?\d{1,9})\.(?:(peak|end)|m(\d{1,10}))$/.exec(part);
    return found && { file: found[1], device: Number(found[2]), when: /** @type {When} */ (found[3] || Number(found[4])) };
  });
  Object.assign(chosen, { a: null, b: null });
  Object.assign(wanted, a && b ? { a, b } : { a: null, b: null });
}

export const readyFiles = () => store.files.filter((file) => file.state === 'ready');

/** @param {Side|null} side @returns {Side|null} null: it is closed, or its mark is gone */
const still = (side) => (side && readyFiles().includes(side.file) && momentOfSide(side) !== null ? side : null);

/** @returns {{a: Side, b: Side}|null} null: there is only one thing to look at */
export function sides() {
  settle();
  const [file, other] = readyFiles();
  const sight = current();
  const active = store.active;
  /** @type {Side[]} */
  let two = [];
  if (active && sight && sight.marks.a !== null && sight.marks.b !== null) two = [{ file: active, device: active.device, when: 'a' }, { file: active, device: active.device, when: 'b' }];
  else if (file && other) two = [{ file, device: file.device, when: 'peak' }, { file: other, device: other.device, when: 'peak' }];
  if (isWaiting()) return null;
  const [a, b] = [still(chosen.a) || two[0], still(chosen.b) || two[1]];
  return a && b ? { a, b } : null;
}

/** @param {Side} side @returns {number|null} the moment; -1 where only the worker knows it; null: there is none */
export function momentOfSide({ file, device, when }) {
  const sight = file.sights.get(device);
  const last = file.opened.devices.find((/** @type {any} */ each) => each.device === device).moments - 1;
  if (when === 'end') return last;
  if (typeof when === 'number') return Math.min(when, last);
  if (when === 'peak') return sight ? sight.overview.peak.moment : -1;
  if (!sight) return null;
  return when === 'now' ? momentOf(sight) : sight.marks[when];
}

/** @param {Side} side @returns {string} "GPU 1", where there are several */
export const deviceName = ({ file, device }) => (file.opened.devices.length > 1 ? file.opened.devices.find((/** @type {any} */ each) => each.device === device).label : '');

/** @type {Map<string, Promise<any>>} answers to `holdings` */
const known = new Map();

/** @param {Side} side @returns {Promise<any>} */
export async function holdingsOf(side) {
  const { file, device, when } = side;
  let moment = momentOfSide(side) ?? 0;
  if (moment < 0) moment = (await file.client.ask({ ask: 'overview', device }))?.peak.moment ?? 0;
  const at = when === 'peak' || when === 'end' ? when : 'event';
  const sight = file.sights.get(device);
  const key = JSON.stringify([file.id, device, moment, at, file.diagnosis.labelled, sight?.labels, sight?.filter]);
  if (known.size > 24) known.clear();
  if (!known.has(key)) known.set(key, file.client.ask({ ask: 'holdings', device, moment, at }));
  return known.get(key);
}

/**
 * @param {'a'|'b'} which
 * @returns {Node[]} rows of its menu
 */
export function sideRows(which) {
  const now = sides()?.[which];
  return readyFiles().flatMap((file) => file.opened.devices.flatMap((/** @type {any} */ { device }) => {
    const fixed = now && now.file === file && now.device === device && typeof now.when === 'number' ? [now.when] : [];
    const whens = /** @type {When[]} */ (['peak', 'end', 'a', 'b', 'now', ...fixed]).filter((when) => momentOfSide({ file, device, when }) !== null);
    return whens.map((when) => {
      const side = { file, device, when };
      const moment = momentOfSide(side) ?? 0;
      const is = now && now.file === file && now.device === device && now.when === when;
      return el('button.item', { type: 'button', 'aria-current': is || null, onclick: () => { closeMenu(); choose({ [which]: side }); } },
        el('b.truncate', null, file.name), el('span', null, [deviceName(side), WORDS[when], moment < 0 ? '' : momentText(moment)].filter(Boolean).join(', ')));
    });
  }));
}

/** @param {Side} side @param {any} held */
export function sideText(side, held) {
  return [deviceName(side), WORDS[side.when], momentText(held.moment)].filter(Boolean).join(', ');
}
