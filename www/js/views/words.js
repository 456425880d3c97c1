// Sentences in which backquotes mark code.
import { el } from '../dom.js';

/**
 * @param {string} text
 * @returns {(Node|string)[]}
 */
export function withCode(text) {
  return text.split('`').map((part, index) => (index % 2 ? el('code', null, part) : part));
}
