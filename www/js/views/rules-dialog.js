// "Category rules": what the user knows better than the diagnosis. The first rule that matches decides.
import { CATEGORIES, categoryName } from '../categories.js';
import { addCommands } from '../commands.js';
import { openDialog } from '../dialogs.js';
import { el, icon, setText } from '../dom.js';
import { formatBytes, plural } from '../format.js';
import { allRules, rulesOf, setRules } from '../rules.js';
import { store } from '../store.js';

const APPLY_AFTER_MS = 250;
/** @typedef {import('../rules.js').Rule} Rule */

/** @type {Rule[]} as they stand in the dialog, those that are not complete included */
let draft = [];
let timer = 0;
let list = el('ol.rules');
let told = el('p.soft.small', { role: 'status' });

/** @param {string} text of a category, as it is typed or chosen @returns {string} its name in JSON, or the user's own */
function categoryOf(text) {
  const wanted = text.trim().toLowerCase();
  return CATEGORIES.slice(0, 8).find((category) => categoryName(category).toLowerCase() === wanted) || text.trim();
}

/** @param {string} category */
const textOf = (category) => (CATEGORIES.slice(0, 8).some((each) => each === category) ? categoryName(category) : category);

/** Puts what is complete in force, when the hand rests, and says what it came to. */
function apply() {
  clearTimeout(timer);
  timer = window.setTimeout(async () => {
    const complete = draft.filter((rule) => rule.pattern && rule.category);
    const applied = await setRules(complete);
    for (const [index, row] of [...list.children].entries()) {
      const at = complete.indexOf(draft[index]);
      say(/** @type {HTMLElement} */ (row), at < 0 ? null : applied[at]);
    }
  }, APPLY_AFTER_MS);
}

/** @param {HTMLElement} row @param {import('../rules.js').Applied|null|undefined} applied */
function say(row, applied) {
  const note = /** @type {HTMLElement} */ (row.querySelector('.note'));
  const field = /** @type {HTMLInputElement} */ (row.querySelector('input'));
  field.setAttribute('aria-invalid', String(Boolean(applied?.error)));
  note.classList.toggle('is-error', Boolean(applied?.error));
  setText(note, !applied ? '' : applied.error ? applied.error.error : applied.matched_allocations ? `${plural(applied.matched_allocations, 'allocation')}, ${formatBytes(applied.matched_bytes)} in all` : 'matches nothing here that an earlier rule leaves');
}

/** @param {number} at @param {number} by places further down */
function shift(at, by) {
  const [rule] = draft.splice(at, 1);
  draft.splice(at + by, 0, rule);
  build();
  apply();
  /** @type {HTMLElement|null} */ (list.children[at + by]?.querySelector(by < 0 ? '.up' : '.down'))?.focus();
}

/** @param {Rule} rule @param {number} at */
function row(rule, at) {
  const note = el('p.note.soft', { id: `rule-note-${at}`, role: 'status' });
  const field = (/** @type {'pattern'|'category'} */ part, /** @type {Record<string, unknown>} */ attributes) => el(`input.field${part === 'pattern' ? '.code' : ''}`, {
    type: 'text', autocomplete: 'off', spellcheck: 'false', maxlength: part === 'pattern' ? 1000 : 60, 'aria-describedby': note.id, ...attributes, value: part === 'pattern' ? rule.pattern : textOf(rule.category),
    oninput: (/** @type {Event} */ event) => {
      const { value } = /** @type {HTMLInputElement} */ (event.currentTarget);
      rule[part] = part === 'pattern' ? value : categoryOf(value);
      apply();
    },
  });
  const tool = (/** @type {string} */ shape, /** @type {string} */ label, /** @type {string|Node} */ content, /** @type {() => void} */ act, off = false) => el(`button.button.quiet.icon-only.small.${shape}`, { type: 'button', 'aria-label': `${label} rule ${at + 1}`, title: label, disabled: off, onclick: act }, content);
  return el('li', null,
    field('pattern', { 'aria-label': `Pattern of rule ${at + 1}`, placeholder: 'my_model/head\\.py' }),
    field('category', { 'aria-label': `Category of rule ${at + 1}`, placeholder: 'Category or name', list: 'rule-categories' }),
    tool('up', 'Move up', '↑', () => shift(at, -1), at === 0), tool('down', 'Move down', '↓', () => shift(at, 1), at === draft.length - 1),
    tool('off', 'Delete', icon('close'), () => { draft.splice(at, 1); build(); apply(); }), note);
}

function build() {
  list.replaceChildren(...draft.map(row));
  setText(told, draft.length ? '' : 'No rules yet: categories are as the diagnosis found them.');
}

/** @param {Rule} rule */
function add(rule) {
  draft.push(rule);
  build();
  /** @type {HTMLElement|null} */ (list.lastElementChild?.querySelector(rule.pattern ? 'input:nth-of-type(2)' : 'input'))?.focus();
}

function save() {
  const url = URL.createObjectURL(new Blob([`${JSON.stringify({ rules: allRules() }, null, 2)}\n`], { type: 'application/json' }));
  el('a', { href: url, download: 'category-rules.json' }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** @param {File|undefined} file */
async function load(file) {
  if (!file) return;
  const found = rulesOf(await file.text().then(JSON.parse).catch(() => null));
  if (!found.length) {
    setText(told, `${file.name} holds no rules: each needs a "pattern" and a "category".`);
    return;
  }
  draft = found;
  build();
  apply();
}

/** @param {string} [pattern] of a rule to begin with */
export function showRules(pattern) {
  draft = allRules().map((rule) => ({ ...rule }));
  list = el('ol.rules', { 'aria-label': 'Rules, the first that matches decides' });
  told = el('p.soft.small', { role: 'status' });
  const input = /** @type {HTMLInputElement} */ (el('input.visually-hidden', { type: 'file', id: 'rules-file', accept: '.json,application/json', 'aria-label': 'Choose a file with rules', onchange: () => { void load(input.files?.[0]); input.value = ''; } }));
  openDialog({
    label: 'rules-title', shape: 'rules-dialog',
    content: (close) => [
      el('header.dialog-head', null, el('h2', { id: 'rules-title' }, 'Category rules'), el('button.button.quiet.icon-only.push', { type: 'button', 'aria-label': 'Close', onclick: close }, icon('close'))),
      el('p.soft', null, 'A pattern is looked for in each frame of a stack, as “name file:line”. The first rule that matches decides what the allocation is. Rules stay in this browser.'),
      list, told,
      el('datalist', { id: 'rule-categories' }, ...CATEGORIES.slice(0, 8).map((category) => el('option', { value: categoryName(category) }))),
      el('footer', null,
        el('button.button', { type: 'button', onclick: () => add({ pattern: '', category: '' }) }, 'Add a rule'),
        input, el('button.button.push', { type: 'button', onclick: () => input.click() }, 'Import…'), el('button.button', { type: 'button', onclick: save }, 'Export')),
    ],
  });
  build();
  if (pattern) add({ pattern, category: '' });
  if (store.active) apply();
}

/**
 * The line that a stack's own code stands for, as a pattern.
 * @param {any[]} groups of frames
 * @returns {string} empty: none
 */
export function patternOf(groups) {
  const frames = groups.filter((group) => group.kind === 'own' || group.kind === 'library').flatMap((group) => group.frames);
  const frame = frames.find((each) => each.file && each.line > 0);
  return frame ? `${frame.file.slice(frame.file.lastIndexOf('/') + 1)}:${frame.line}`.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').concat('$') : '';
}

export function initRules() {
  addCommands([{ title: 'Category rules', group: 'Page', keys: ['Shift+KeyC'], shown: ['Shift C'], run: () => showRules() }]);
}
