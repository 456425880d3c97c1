// What can be typed next: keys of the language, and values that this file has, in a list under the field.
import { CATEGORIES } from '../../categories.js';
import { el } from '../../dom.js';
import { current, on } from '../../store.js';

/** @typedef {{key: string, what: string, example: string, values: string[]}} Key a row of the language's table, as the worker has it */
/** @type {Key[]} */
let keys = [];
/** @type {{text: string, what: string}[]} */
let options = [];
let active = -1;
/** Characters of the field that a proposal stands for. */
let length = 0;

const list = el('ul.filter-list', { id: 'filter-list', role: 'listbox', 'aria-label': 'Conditions', hidden: true });
/** @type {HTMLInputElement} */
let field;
/** @type {(text: string, length: number) => void} */
let take = () => {};

/** The table of the language. @returns {Key[]} */
export const language = () => keys;

/** @param {string} key @returns {string[]} what may stand behind it in this file */
function valuesOf(key) {
  const sight = current();
  const own = sight?.composition?.own.map((/** @type {any} */ each) => (/[\s,"()]/.test(each.name) ? `"${each.name.replaceAll('"', '\\"')}"` : each.name)) ?? [];
  const { streams = [], pools = [] } = sight?.choices ?? {};
  const known = keys.find((each) => each.key === `${key}:`)?.values ?? [];
  if (key === 'stream') return streams.map((/** @type {any} */ each) => each.stream);
  if (key === 'pool') return [...new Set([...known, ...pools.filter((/** @type {any} */ each) => each.pool.some(Boolean)).map((/** @type {any} */ each) => each.pool.join(':'))])];
  return key === 'category' ? [...(known.length ? known : CATEGORIES), ...own] : known;
}

/** @param {string} text of the field @param {boolean} asked all, if there is nothing yet */
function propose(text, asked) {
  const [, word] = /(?:^|[\s(])-?([^\s(]*)$/.exec(text) || ['', ''];
  const [, key, start] = /^([a-z_]+):(?:[^,]*,)*([^,]*)$/i.exec(word) || [];
  if (key !== undefined) {
    length = start.length;
    return valuesOf(key.toLowerCase()).filter((value) => value !== start && value.toLowerCase().startsWith(start.toLowerCase())).map((value) => ({ text: value, what: '' }));
  }
  length = word.length;
  if (!word && !asked) return [];
  return keys.filter((each) => each.key !== 'word' && each.key !== word && each.key.startsWith(word.toLowerCase())).map((each) => ({ text: each.key, what: each.what }));
}

/** @param {HTMLInputElement} input @param {boolean} asked by a key, not by typing */
export function updateList(input, asked) {
  options = input.selectionStart === input.value.length ? propose(input.value, asked) : [];
  active = -1;
  list.replaceChildren(...options.map(({ text, what }, at) => el('li', {
    id: `filter-option-${at}`, role: 'option', 'aria-selected': 'false',
    // Before the field loses the focus.
    onpointerdown: (/** @type {Event} */ event) => { event.preventDefault(); choose(at); },
  }, el('span.option', null, text), what ? el('span.what', null, what) : null)));
  list.hidden = options.length === 0;
  field.setAttribute('aria-expanded', String(!list.hidden));
  field.removeAttribute('aria-activedescendant');
}

export function closeList() {
  options = [];
  list.hidden = true;
  field.setAttribute('aria-expanded', 'false');
  field.removeAttribute('aria-activedescendant');
}

/** @param {number} at */
function choose(at) {
  const { text } = options[at];
  const key = keys.some((each) => each.key === text);
  take(key && !text.endsWith(':') ? `${text} ` : text, length);
}

/** @param {number} at */
function activate(at) {
  active = at;
  for (const [index, node] of [...list.children].entries()) {
    node.setAttribute('aria-selected', String(index === at));
    if (index === at) node.scrollIntoView({ block: 'nearest' });
  }
  field.setAttribute('aria-activedescendant', `filter-option-${at}`);
}

/** @param {KeyboardEvent} event @param {(text: string, length: number) => void} accept @returns {boolean} whether the list took it */
export function listKey(event, accept) {
  take = accept;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && !event.altKey) {
    if (list.hidden) updateList(field, true);
    if (options.length) activate(active < 0 ? (step > 0 ? 0 : options.length - 1) : (active + step + options.length) % options.length);
  } else if (event.key === 'Escape' && !list.hidden) closeList();
  else if ((event.key === 'Enter' || event.key === 'Tab') && active >= 0 && !list.hidden) choose(active);
  else return false;
  return true;
}

/** @param {HTMLElement} parent @param {HTMLInputElement} input @param {(text: string, length: number) => void} accept */
export function initList(parent, input, accept) {
  [field, take] = [input, accept];
  parent.append(list);
  on('active', () => {
    const sight = current();
    if (sight && !keys.length) void sight.client.ask({ ask: 'filter_keys' }).then((answer) => { if (answer) keys = answer; });
  });
}
