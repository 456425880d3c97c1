// The filter's expression: what it chooses is counted, outlined and listed by every view.
import { current, emit } from './store.js';

/** @param {string} text the expression in force; empty: nothing is chosen */
export function setExpression(text) {
  const sight = current();
  if (!sight || sight.expression === text) return;
  sight.expression = text;
  emit('matches');
}

/** Narrows what is chosen, as a click on a category, a bar or a stack does. @param {string} term of the filter's language */
export function addTerm(term) {
  const sight = current();
  if (sight) setExpression(sight.expression ? `${sight.expression} ${term}` : term);
}
