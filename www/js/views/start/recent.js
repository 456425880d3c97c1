// Files opened lately, by name only: the page cannot open them again by itself, but says which they were.
import { byId, el } from '../../dom.js';
import { remember, remembered } from '../../settings.js';
import { on, store } from '../../store.js';

const MOST = 6;

/** @returns {string[]} the last one first */
function names() {
  try {
    const list = JSON.parse(remembered('recent') || '[]');
    return Array.isArray(list) ? list.filter((name) => typeof name === 'string').slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** @param {string[]} list */
function keep(list) {
  remember('recent', list.length ? JSON.stringify(list.slice(0, MOST)) : null);
  show();
}

function show() {
  const list = names();
  byId('recent').hidden = list.length === 0;
  byId('recent').replaceChildren(el('span.soft', null, 'Opened lately'), ...list.map((name) => el('button.text-link.truncate', {
    type: 'button', title: `${name}: choose it again, the page keeps only its name`, onclick: () => byId('file-input').click(),
  }, name)), el('button.button.small.quiet', { type: 'button', onclick: () => {
    keep([]);
    byId('drop-zone').querySelector('input')?.focus();
  } }, 'Forget these names'));
}

/** @type {WeakSet<object>} */
const noted = new WeakSet();

export function initRecent() {
  show();
  on('files', () => {
    const fresh = store.files.filter((file) => file.state === 'ready' && !file.sample && !noted.has(file));
    if (!fresh.length) return;
    for (const file of fresh) noted.add(file);
    const added = fresh.map(({ name }) => name);
    keep([...added, ...names().filter((name) => !added.includes(name))]);
  });
}
