// What allocations hold: names and swatches of categories, in the order of the picture from the bottom.
import { el } from './dom.js';

/** By colour slot; the last stands for every name that the user gave. */
export const CATEGORIES = /** @type {const} */ (['parameter', 'optimizer_state', 'gradient', 'activation', 'input', 'temporary', 'other', 'unknown', 'own']);
/** @typedef {typeof CATEGORIES[number]} Category */

/** @param {string} category @returns {string} as a label says it */
export function categoryName(category) {
  return category === 'own' ? 'Named by you' : category[0].toUpperCase() + category.slice(1).replace('_', ' ');
}

/** @param {string} category */
export function categorySwatch(category) {
  return el(`span.swatch.c-${colourOf(category)}`, { 'aria-hidden': 'true' });
}

/**
 * The categories that the recording has, and what they are called there.
 * @param {import('./sight.js').Sight} sight
 * @returns {{slot: number, category: Category, name: string}[]} from the bottom of the picture
 */
export function categoriesOf(sight) {
  const { present = [], own = [] } = sight.composition || {};
  return present.map((/** @type {number} */ slot) => ({ slot, category: CATEGORIES[slot], name: slot === 8 && own.length === 1 ? own[0].name : categoryName(CATEGORIES[slot]) }));
}

/** @param {string} key of a part in a bar or a line @returns {string} the category whose colour it has */
export function colourOf(key) {
  if (key === 'retained' || key === 'cycles') return 'other';
  return CATEGORIES.some((category) => category === key) ? key : 'unknown';
}
