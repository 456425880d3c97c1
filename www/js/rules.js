// The user's own rules for categories: kept in this browser, sent to every open file, saved to and read from a file.
import { store } from './store.js';
import { labelled } from './files.js';
import { remember, rememberedJson } from './settings.js';

const MOST = 64;

/** @typedef {{pattern: string, category: string}} Rule a pattern of frames, and a category's name in JSON or the user's own */
/** @typedef {{matched_allocations: number, matched_bytes: number, error: {error: string, at: number}|null}} Applied */

/** @type {Rule[]} */
let rules = rulesOf(rememberedJson('rules'));

/** @returns {Rule[]} */
export const allRules = () => rules;

/** @param {any} value @returns {Rule[]} what of it are rules */
export function rulesOf(value) {
  const list = Array.isArray(value) ? value : Array.isArray(value?.rules) ? value.rules : [];
  const text = (/** @type {unknown} */ each) => (typeof each === 'string' ? each.slice(0, 1000) : '');
  return list.slice(0, MOST).map((/** @type {any} */ each) => ({ pattern: text(each?.pattern), category: text(each?.category) })).filter((/** @type {Rule} */ rule) => rule.pattern && rule.category);
}

/**
 * Puts other rules in force in every open file.
 * @param {Rule[]} wish
 * @returns {Promise<Applied[]>} what they came to in the file that is shown
 */
export async function setRules(wish) {
  rules = wish.slice(0, MOST);
  remember('rules', JSON.stringify(rules));
  const told = await Promise.all(store.files.filter((file) => file.opened).map(async (file) => {
    const answer = await sendRules(file);
    void labelled(file);
    return file === store.active ? answer : null;
  }));
  return told.find((answer) => answer)?.rules ?? [];
}

/** @param {import('./store.js').OpenFile} file */
export function sendRules(file) {
  return file.client.ask({ ask: 'set_rules', rules });
}
