// Frames and weights of the tree in words.
import { CATEGORIES, categoryName, categorySwatch } from '../../categories.js';
import { el } from '../../dom.js';
import { bytesSpan, exactBytes, formatBytes, formatCount, formatShare, swatch } from '../../format.js';

/** @typedef {{id: number, level: number, name: string, file: string, line: number, kind: string, total: number, chosen: number, own: number, blocks: number, slots: [number, number], open: boolean|null}} Shown */
/** The colour slot that stands for several. */
export const SEVERAL = 255;
/** Names that say nothing without their file. */
const GENERIC = /^(forward|backward|wrapper|wrapped|inner|<module>|<lambda>|__call__|__init__|_call_impl|_wrapped_call_impl|run|main|step|call|apply|to|decorate_context|_fn|fn|f)$/;

/** @param {Shown} shown @returns {boolean} */
export const isGeneric = (shown) => GENERIC.test(shown.name);

/** @param {Shown} shown @returns {string} "file.py:47" */
export const placeOf = (shown) => (shown.file ? (shown.line ? `${shown.file}:${shown.line}` : shown.file) : '');

/** @param {number} weight @param {'bytes'|'us'|'events'} unit */
export function weightText(weight, unit) {
  if (unit === 'bytes') return formatBytes(weight);
  // A byte that lives a second counts one byte-second.
  return unit === 'us' ? `${formatBytes(Math.round(weight / 1e6))}·s` : `${formatBytes(weight)}·events`;
}

/** @param {number} weight @param {'bytes'|'us'|'events'} unit */
export function exactWeight(weight, unit) {
  return unit === 'bytes' ? exactBytes(weight) : unit === 'us' ? `${formatCount(weight)} byte-microseconds` : `${formatCount(weight)} bytes × events`;
}

/** @param {number} weight @param {'bytes'|'us'|'events'} unit */
export function weightSpan(weight, unit) {
  return unit === 'bytes' ? bytesSpan(weight) : el('span', { title: exactWeight(weight, unit) }, weightText(weight, unit));
}

/** @param {Shown} shown @param {'bytes'|'us'|'events'} unit @returns {string} what of it the filter chooses */
export const matchingText = ({ chosen, total }, unit) => (chosen ? `${weightText(chosen, unit)}, ${formatShare(chosen / Math.max(1, total))}` : 'none');

/** @param {number} slot of a category */
export function categoryTag(slot) {
  return slot === SEVERAL ? el('span.muted', null, 'several') : el('span.tag', null, categorySwatch(CATEGORIES[slot]), categoryName(CATEGORIES[slot]));
}

/** @param {number} slot of a line of code @param {any[]} legend */
export function lineTag(slot, legend) {
  if (slot === SEVERAL) return el('span.muted', null, 'several');
  const entry = slot < 7 ? legend.find((each) => each.slot === slot) : null;
  return el('span.tag', null, swatch(slot), entry ? el('span.truncate', { title: `${entry.name} ${entry.at}` }, entry.name) : 'all other lines');
}
