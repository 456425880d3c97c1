// The filter's expression: what it chooses is counted, outlined and listed by every view.
import { setFilter } from './filter.js';
import { momentOf } from './sight.js';
import { current, emit, on, store } from './store.js';

/**
 * @typedef {{from: number, to: number, negated: boolean, text: string}} Part a condition or a group, in characters of the expression
 * @typedef {{error: string, at: number, length: number}} Fault
 * @typedef {{count: number, bytes: number, of: number}} Alive
 * @typedef {{count: number, bytes: number, stacks: number, alive_at_peak: Alive, alive: Alive, first: number|null, terms: Part[], expr: string}} Matches expr: of which expression
 */

/** @param {string} text the expression in force; empty: nothing is chosen */
export function setExpression(text) {
  const sight = current();
  if (!sight || sight.expression === text) return;
  sight.expression = text;
  sight.parts = [];
  if (!text.trim()) Object.assign(sight, { matches: null, fault: null, only: false });
  emit('matches');
  void refresh();
}

/** Narrows what is chosen, as a click on a category, a bar or a stack does. @param {string} term of the filter's language */
export function addTerm(term) {
  const sight = current();
  if (sight) setExpression(sight.expression.trim() ? `${sight.expression.trim()} ${term}` : term);
}

/** Shows only what is chosen, or everything again. @param {boolean} only */
export async function setOnly(only) {
  const sight = current();
  if (!sight || sight.only === only) return;
  sight.only = only;
  emit('matches');
  await setFilter(sight.filter);
  await refresh();
}

/**
 * What a question or a picture says of the expression; nothing without one, or with a faulty one.
 * @param {import('./sight.js').Sight} sight
 */
export function chosenBy(sight) {
  return sight.expression.trim() && !sight.fault ? { expr: sight.expression, marks: sight.marks } : {};
}

/** Asks what the expression means, then, if it means something, what it chooses. */
export async function refresh() {
  const sight = current();
  if (!sight) return;
  const { client, device, expression: expr, marks } = sight;
  const isStill = () => sight.expression === expr && sight.marks === marks;
  if (!expr.trim()) {
    if (sight.filter?.expr) await setFilter(sight.filter);
    return;
  }
  // Not `ask`: it takes an answer with an error for none.
  const read = await latest('read', { ask: 'filter_parts', device, expr, marks });
  if (!isStill()) return;
  Object.assign(sight, read.error ? { fault: read, matches: null } : { fault: null, parts: read.parts });
  if (current() === sight) emit('matches');
  if (read.error) return;
  if (sight.only) await setFilter(sight.filter);
  await count();

  /** @param {string} purpose @param {any} question @returns {Promise<any>} */
  function latest(purpose, question) {
    return new Promise((resolve) => client.latest(`filter ${purpose}`, () => client.send('ask', { question }), resolve));
  }
}

/** Counts what is chosen, also at the moment in force. */
export async function count() {
  const sight = current();
  if (!sight || !sight.expression.trim() || sight.fault) return;
  const { client, device, expression: expr, marks } = sight;
  await new Promise((resolve) => client.latest('filter count', () => client.ask({ ask: 'filter', device, expr, marks, moment: momentOf(sight) }), (answer) => {
    if (answer && sight.expression === expr) sight.matches = { ...answer, expr };
    if (answer && current() === sight) emit('matches');
    resolve(null);
  }));
}

/** While the pointer moves, what it passes is not counted. */
const COUNT_AFTER_MS = 80;
let timer = 0;
/** What was chosen when `chosen` was last told. */
let told = '';

export function initExpression() {
  // Pictures and tables wait for nothing but this: that matches were counted changes none of them.
  on('matches', () => {
    const sight = current();
    // Labels and block sizes that come later change what the same text chooses.
    const now = sight ? JSON.stringify([store.active?.id, sight.device, chosenBy(sight), sight.only, sight.labels, store.active?.check.done]) : '';
    if (now === told) return;
    told = now;
    emit('chosen');
  });
  for (const topic of /** @type {const} */ (['active', 'labels', 'check'])) on(topic, () => void refresh());
  for (const topic of /** @type {const} */ (['moment', 'cursor', 'filter'])) {
    on(topic, () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => void count(), COUNT_AFTER_MS);
    });
  }
}
