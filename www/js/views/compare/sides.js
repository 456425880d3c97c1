// What is compared: a moment of a device of an open file, for A and for B; and what it holds, asked of that file's worker.
import { closeMenu } from '../../menu.js';
import { el } from '../../dom.js';
import { momentOf } from '../../sight.js';
import { current, store } from '../../store.js';
import { momentText } from './marks.js';

/** @typedef {'peak'|'end'|'a'|'b'|'now'} When a, b: what is marked; now: the moment shown */
/** @typedef {{file: import('../../store.js').OpenFile, device: number, when: When}} Side */

const WORDS = { peak: 'peak', end: 'end', a: 'mark A', b: 'mark B', now: 'moment shown' };

/** @type {{a: Side|null, b: Side|null}} as chosen by hand; null: what suggests itself */
export const chosen = { a: null, b: null };

export const readyFiles = () => store.files.filter((file) => file.state === 'ready');

/** @param {Side|null} side @returns {Side|null} null: it is closed, or its mark is gone */
const still = (side) => (side && readyFiles().includes(side.file) && momentOfSide(side) !== null ? side : null);

/** @returns {{a: Side, b: Side}|null} null: there is only one thing to look at */
export function sides() {
  const [file, other] = readyFiles();
  const sight = current();
  const active = store.active;
  /** @type {Side[]} */
  let two = [];
  if (active && sight && sight.marks.a !== null && sight.marks.b !== null) two = [{ file: active, device: active.device, when: 'a' }, { file: active, device: active.device, when: 'b' }];
  else if (file && other) two = [{ file, device: file.device, when: 'peak' }, { file: other, device: other.device, when: 'peak' }];
  const [a, b] = [still(chosen.a) || two[0], still(chosen.b) || two[1]];
  return a && b ? { a, b } : null;
}

/** @param {Side} side @returns {number|null} the moment; -1 where only the worker knows it; null: there is none */
export function momentOfSide({ file, device, when }) {
  const sight = file.sights.get(device);
  if (when === 'end') return file.opened.devices.find((/** @type {any} */ each) => each.device === device).moments - 1;
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
 * @param {() => void} changed
 * @returns {Node[]} rows of its menu
 */
export function sideRows(which, changed) {
  const now = sides()?.[which];
  return readyFiles().flatMap((file) => file.opened.devices.flatMap((/** @type {any} */ { device }) => {
    const whens = /** @type {When[]} */ (['peak', 'end', 'a', 'b', 'now']).filter((when) => momentOfSide({ file, device, when }) !== null);
    return whens.map((when) => {
      const side = { file, device, when };
      const moment = momentOfSide(side) ?? 0;
      const is = now && now.file === file && now.device === device && now.when === when;
      return el('button.item', { type: 'button', 'aria-current': is || null, onclick: () => { closeMenu(); chosen[which] = side; changed(); } },
        el('b.truncate', null, file.name), el('span', null, [deviceName(side), WORDS[when], moment < 0 ? '' : momentText(moment)].filter(Boolean).join(', ')));
    });
  }));
}

/** @param {Side} side @param {any} held */
export function sideText(side, held) {
  return [deviceName(side), WORDS[side.when], momentText(held.moment)].filter(Boolean).join(', ');
}
