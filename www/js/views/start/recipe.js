// How to record a snapshot: one recipe for each PyTorch and purpose.
import { byId, copyAndSay, el, setText } from '../../dom.js';
import { more } from '../../platform.js';
import { wasm } from '../../wasm.js';
import { withCode } from '../words.js';

const VERSIONS = [
  ['2.11', '2.6 and later'],
  ['2.1', '2.1 to 2.5'],
  ['2.0', '2.0'],
  ['1.13', '1.x'],
];
const PURPOSES = [
  ['steps', 'For a few steps'],
  ['out_of_memory', 'For an OOM'],
  ['leak', 'For a leak'],
  ['ranks', 'Several ranks'],
];

/** @type {HTMLSelectElement} */
let version;
/** @type {HTMLElement} */
let purposes;
let purpose = PURPOSES[0][0];

export function initRecipe() {
  byId('copy-recipe').addEventListener('click', (event) => {
    const label = /** @type {HTMLElement} */ (event.currentTarget).querySelector('span');
    if (label) void copyAndSay(label, byId('recipe').textContent || '');
  });
  byId('recipe-more').addEventListener('click', () => {
    const choice = byId('recipe-choice');
    if (!choice.hasChildNodes()) build(choice);
    choice.hidden = !choice.hidden;
    byId('recipe-more').setAttribute('aria-expanded', String(!choice.hidden));
    if (!choice.hidden) version.focus();
  });
}

/** @param {HTMLElement} choice */
function build(choice) {
  version = /** @type {HTMLSelectElement} */ (el('select.choice', { id: 'recipe-version', onchange: () => void show() }, ...VERSIONS.map(([value, text]) => el('option', { value }, text))));
  purposes = el(
    'span.segmented',
    { role: 'group', 'aria-label': 'What for' },
    ...PURPOSES.map(([name, text]) => el('button', { type: 'button', 'data-purpose': name, 'aria-pressed': String(name === purpose), onclick: () => void choose(name) }, text)),
  );
  choice.append(el('label.with-label', null, 'PyTorch', version), purposes, el('ul.recipe-notes', { id: 'recipe-notes' }));
  void show();
}

/** @param {string} name */
function choose(name) {
  purpose = name;
  for (const button of purposes.querySelectorAll('button')) button.setAttribute('aria-pressed', String(button.dataset.purpose === name));
  return show();
}

async function show() {
  await more();
  const recipe = JSON.parse(wasm().recipe(JSON.stringify({ version: version.value, purpose })));
  byId('recipe').replaceChildren(...coloured(recipe.code));
  setText(byId('recipe-note'), plain(recipe.notes[0] || ''));
  byId('recipe-notes').replaceChildren(...recipe.notes.slice(1).map((/** @type {string} */ note) => el('li', null, ...withCode(note))));
}

/** @param {string} text */
const plain = (text) => text.replaceAll('`', '');

/**
 * Comments stand back.
 * @param {string} code
 * @returns {Iterable<Node|string>}
 */
export function coloured(code) {
  return code.split(/^(#.*)$/m).map((part) => (part.startsWith('#') ? el('span.c', null, part) : part));
}
