// The user's own setting: every option that changes where memory goes, and a memory limit. Refused as PyTorch would refuse it.
import { announce, byId, el } from '../../dom.js';
import { exactBytes, formatBytes, limitText } from '../../format.js';
import { readSettings, simulate, tryUsual, whatIf } from './runs.js';

/** @typedef {import('./runs.js').WhatIf} WhatIf */

const LIMIT = 'limit';
const UNITS = { b: 1, bytes: 1, k: 2 ** 10, kib: 2 ** 10, m: 2 ** 20, mib: 2 ** 20, g: 2 ** 30, gib: 2 ** 30, kb: 1e3, mb: 1e6, gb: 1e9 };

/** @param {WhatIf} of */
export function formCard(of) {
  const { options } = readSettings('');
  const recorded = new Map([...of.basis.settings.matchAll(/(\w+):(\[[^\]]*\]|[^,]*)/g)].map(([, key, value]) => [key, value]));
  const rows = options.map(({ key, what, values, default: usual, example }) => {
    const hint = `${what} Values: ${values}. Without it: ${usual}.`;
    const attributes = { id: `setting-${key}`, title: hint, 'aria-describedby': `fault-${key}`, onchange: () => void read(true), oninput: () => void read(false) };
    const field = key === 'expandable_segments' ? el('select.field', attributes, ...['False', 'True'].map((each) => el('option', { selected: each === (recorded.get(key) ?? usual) }, each))) : el('input.field.code', { ...attributes, type: 'text', spellcheck: 'false', autocomplete: 'off', placeholder: usual, value: recorded.get(key) ?? '', 'data-example': example });
    return fieldRow(key, key, hint, field);
  });
  const { limit_low_bytes: low, limit_high_bytes: high } = of.basis;
  const told = high === null ? 'The recording proves no limit.' : `By the recording it was ${limitText(low, high)}; ${exactBytes(high)} are taken.`;
  const hint = `The most that PyTorch may reserve: a size such as 24 GiB, or none. ${told}`;
  const limit = el('input.field', { id: `setting-${LIMIT}`, type: 'text', spellcheck: 'false', autocomplete: 'off', title: hint, 'aria-describedby': `fault-${LIMIT}`, placeholder: high === null ? 'none' : `${formatBytes(high)}, as recorded`, onchange: () => void read(true), oninput: () => void read(false) });
  return el('article.card.whatif-side', { 'aria-labelledby': 'own-title' }, el('header', null, el('h2', { id: 'own-title' }, 'Your own setting')),
    el('form.setting-form', { novalidate: true, onsubmit: submit }, ...rows, fieldRow(LIMIT, 'Memory limit', hint, limit),
      el('p.field-fault', { id: 'fault-other', role: 'alert', hidden: true }),
      el('div.row-actions', null, el('button.button.primary', { type: 'submit', title: 'Simulate  Enter in a field' }, 'Simulate'), el('button.button', { type: 'button', id: 'whatif-usual', title: 'Try the usual ones  U', onclick: () => void tryUsual() }, 'Try the usual ones'))));
}

/** @param {string} key @param {string} name @param {string} hint @param {HTMLElement} field */
const fieldRow = (key, name, hint, field) => el('div.setting-row', null, el(key === LIMIT ? 'label' : 'label.code', { for: `setting-${key}`, title: hint }, name), field, el('p.field-fault', { id: `fault-${key}`, role: 'alert', hidden: true }));

/** @returns {HTMLInputElement[]} */
const fields = () => [...document.querySelectorAll('.setting-form .field')].map((field) => /** @type {HTMLInputElement} */ (field));

/** @param {HTMLInputElement} field */
const keyOf = (field) => field.id.slice('setting-'.length);

/**
 * What the form says.
 * @param {boolean} complain about what is wrong; else only takes back what is not wrong any more
 * @returns {{settings: string, limit_bytes: number|null}|null}
 */
function read(complain) {
  const of = whatIf();
  if (!of) return null;
  const options = fields().filter((field) => keyOf(field) !== LIMIT && field.value.trim());
  const { fault, settings } = readSettings(options.map((field) => `${keyOf(field)}:${field.value.trim()}`).join());
  const limit = limitOf(/** @type {HTMLInputElement} */ (byId(`setting-${LIMIT}`)).value, of.basis.limit_high_bytes);
  /** @type {Map<string, string>} */
  const faults = new Map();
  if (fault) faults.set(fields().some((field) => keyOf(field) === fault[0]) ? fault[0] : 'other', `${fault[0]} ${fault[1]}`);
  if (typeof limit === 'string') faults.set(LIMIT, limit);
  for (const key of [...fields().map(keyOf), 'other']) {
    const note = byId(`fault-${key}`);
    const text = faults.get(key) ?? '';
    if (text && !complain && note.hidden) continue;
    note.hidden = !text;
    note.textContent = text;
    document.getElementById(`setting-${key}`)?.setAttribute('aria-invalid', String(Boolean(text)));
  }
  return faults.size || typeof limit === 'string' ? null : { settings, limit_bytes: limit };
}

/** @param {string} text @param {number|null} recorded @returns {number|null|string} bytes, null for none, or what is wrong with it */
function limitOf(text, recorded) {
  const words = text.trim().toLowerCase().replace(/,/g, '');
  if (!words) return recorded;
  if (words === 'none') return null;
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(words) || [];
  const size = UNITS[/** @type {'gib'} */ (unit)];
  const bytes = Math.round(Number(number) * size);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : 'A size with its unit, such as 24 GiB, or none';
}

/** @param {Event} event */
function submit(event) {
  event.preventDefault();
  const wish = read(true);
  if (wish) {
    simulate(wish.settings, wish.limit_bytes);
    announce(`Simulating ${wish.settings || 'PyTorch\u2019s defaults'}`);
  } else fields().find((field) => field.getAttribute('aria-invalid') === 'true')?.focus();
}

/** @param {WhatIf} of */
export function updateForm(of) {
  const left = of.rows.some((row) => row.usual && row.state === 'stopped');
  /** @type {HTMLButtonElement} */ (byId('whatif-usual')).disabled = !left;
}
