// Sentences in which backquotes mark code, and two asterisks what is strong.
import { el } from '../dom.js';

/**
 * @param {string} text
 * @returns {(Node|string)[]}
 */
export function withCode(text) {
  return text.split('`').map((part, index) => (index % 2 ? el('code', null, part) : part));
}

/**
 * @param {string} text with `code` and **bold**
 * @returns {(Node|string)[]}
 */
export function marked(text) {
  return text.split('**').map((part, index) => (index % 2 ? el('b', null, ...withCode(part)) : el('span', null, ...withCode(part))));
}
