// Another batch, or another length: what of the peak grows with it, and what peaks would be.
import { byId, el } from '../../dom.js';
import { bytesSpan, formatBytes, formatShare } from '../../format.js';
import { rangeText } from './words.js';
import { badge, changeText, estimate, fateText } from './estimates.js';

/** @typedef {import('./runs.js').WhatIf} WhatIf */
/** @typedef {import('./estimates.js').Estimate} Estimate */

const AXES = { batch: 'Batch size', length: 'Sequence length' };

const LIMIT = 'Memory that PyTorch may reserve: what the card has, less what lies outside of PyTorch';
/** Searches begun: only the last goes on. */
let searches = 0;

/** @param {string} id @param {string} label @param {string} hint */
const number = (id, label, hint) => el('label', { for: id, title: hint }, `${label} `, el('input.field', { id, type: 'number', min: '1', max: '1000000', step: '1', inputmode: 'numeric', autocomplete: 'off', title: hint }));

/** @param {WhatIf} of */
export function batchCard(of) {
  return el('article.card.whatif-wide', { 'aria-labelledby': 'batch-title', id: 'whatif-batch' }, el('header', null, el('h2', { id: 'batch-title' }, 'Another batch or length'), badge()),
    el('form.card-fields', { novalidate: true, onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); ask(of); } },
      el('label', { for: 'batch-axis' }, 'What ', el('select.field', { id: 'batch-axis' }, ...Object.entries(AXES).map(([key, name]) => el('option', { value: key }, name)))),
      number('batch-from', 'Recorded', 'What the program ran with when it was recorded. No file tells it.'), number('batch-to', 'Wanted', 'What it should run with'),
      el('button.button.primary', { type: 'submit', title: 'Estimate  Enter in a field' }, 'Estimate'),
      el('label', { for: 'batch-limit', title: LIMIT }, 'or the largest that fits ', el('input.field', { id: 'batch-limit', type: 'number', min: '0', step: 'any', inputmode: 'decimal', autocomplete: 'off', title: LIMIT }), '\u00a0GiB'),
      el('button.button', { type: 'button', id: 'batch-largest', title: 'Search for the largest', onclick: () => void findLargest(of) }, 'Find')),
    el('p.field-fault', { id: 'batch-fault', role: 'alert', hidden: true }),
    el('div', { 'data-role': 'batch-result', id: 'batch-result', 'aria-live': 'polite' }, el('p.soft', null, 'Activations, inputs and temporaries grow with the batch; weights, gradients and optimizer state do not.')));
}

/** @param {string} id @returns {number} 0 if it is none */
function read(id) {
  const field = /** @type {HTMLInputElement} */ (byId(id));
  const value = Number(field.value);
  const fits = Number.isSafeInteger(value) && value >= 1 && value <= 1e6;
  field.setAttribute('aria-invalid', String(!fits));
  return fits ? value : 0;
}

/** @param {WhatIf} of @param {string} [found] what was searched for */
function ask(of, found = '') {
  const [from, to] = [read('batch-from'), read('batch-to')];
  const fault = byId('batch-fault');
  fault.hidden = from > 0 && to > 0;
  fault.textContent = 'Give whole numbers of 1 or more: what was recorded, and what is wanted.';
  if (!fault.hidden) return;
  const axis = /** @type {HTMLSelectElement} */ (byId('batch-axis')).value;
  const asked = `${axis} ${from} ${to}`;
  byId('batch-result').dataset.asked = asked;
  void estimate(of, { [axis]: [from, to] }, (told) => {
    const result = document.getElementById('batch-result');
    if (result && result.dataset.asked === asked) result.replaceChildren(...(found ? [el('p', { 'data-role': 'batch-found' }, el('b', null, found))] : []), ...resultOf(of, told));
  });
}

/** One batch is tried with each question; the largest is then estimated like any other. @param {WhatIf} of */
async function findLargest(of) {
  const [from, gib] = [read('batch-from'), Number(/** @type {HTMLInputElement} */ (byId('batch-limit')).value)];
  const [fault, result] = [byId('batch-fault'), byId('batch-result')];
  fault.hidden = from > 0 && gib > 0 && gib < 1e6;
  fault.textContent = 'Give what was recorded as a whole number, and the memory in GiB.';
  if (!fault.hidden) return;
  const axis = /** @type {HTMLSelectElement} */ (byId('batch-axis')).value;
  const search = (searches += 1);
  result.dataset.asked = `largest ${search}`;
  const question = { ask: 'largest', device: of.sight.device, wish: { [axis]: [from, 0] }, limit_bytes: Math.floor(gib * 2 ** 30) };
  for (let tried = 1; ; tried += 1) {
    result.replaceChildren(el('p', null, `Searching: ${tried} tried`));
    const answer = await of.sight.client.ask(question);
    if (search !== searches || !result.isConnected || result.dataset.asked !== `largest ${search}`) return;
    if (!answer || answer.why_not) return result.replaceChildren(el('p.is-warning', null, answer?.why_not || 'It cannot be searched for.'));
    if (!answer.done) continue;
    if (answer.batch === null) return result.replaceChildren(el('p.is-warning', { 'data-role': 'batch-found' }, `Not even 1 fits in ${gib} GiB.`));
    /** @type {HTMLInputElement} */ (byId('batch-to')).value = String(answer.batch);
    return ask(of, `${answer.batch} is the largest that fits in ${gib} GiB, in the most likely order of addresses${answer.at_least ? '; larger ones were not tried' : ''}.`);
  }
}

/** @param {WhatIf} of @param {Estimate} told @returns {HTMLElement[]} */
function resultOf(of, { why, scenario, found, done }) {
  if (why || !scenario) return [el('p.is-warning', null, why)];
  const { basis } = of;
  const parts = scenario.parts ?? [];
  const most = Math.max(1, ...parts.map((part) => part.scaling_bytes + part.fixed_bytes));
  const bars = parts.map((part, at) => el('tr', null, el('th', { scope: 'row' }, at ? 'estimate' : 'recorded'), el('td.split-cell', null, splitBar(part, most)), el('td.num', null, bytesSpan(part.scaling_bytes)), el('td.num', null, bytesSpan(part.fixed_bytes))));
  const sure = scenario.uncertainty_percent === null ? '' : `, give or take ${formatShare(scenario.uncertainty_percent / 100)}`;
  const sentence = found ? `Peaks at ${scenario.title}: ${rangeText(found.reserved_peak_low_bytes, found.reserved_peak_high_bytes)} reserved (${changeText(found.reserved_peak_bytes, basis.reserved_peak_bytes)}), ${formatBytes(found.allocated_peak_bytes)} allocated${sure}. ${fateText(of, found)}` : 'Simulating the scaled requests';
  return [
    el('p', { 'data-role': 'batch-peaks', 'data-bytes': found ? String(found.reserved_peak_bytes) : undefined, 'data-done': String(done) }, el('b', null, sentence)),
    el('table.split-table', null, el('thead', null, el('tr', null, el('th', null, 'Peak'), el('th', null, el('span.visually-hidden', null, 'Grows and stays')), el('th.num', { title: 'Activations, inputs, temporaries of forward and backward' }, 'Grows'), el('th.num', { title: 'Parameters, gradients, optimizer state, workspaces' }, 'Stays'))), el('tbody', null, ...bars)),
    el('p.soft', null, scenario.assumption),
    el('ul.note-list', null, ...scenario.notes.map((note) => el('li.soft.small', null, note))),
  ];
}

/** @param {{scaling_bytes: number, fixed_bytes: number}} part @param {number} most */
function splitBar(part, most) {
  const bar = el('div.split-bar', { 'aria-hidden': 'true' }, el('span'), el('i'));
  const [stays, grows] = /** @type {HTMLElement[]} */ ([...bar.children]);
  stays.style.width = `${(part.fixed_bytes / most) * 100}%`;
  grows.style.width = `${(part.scaling_bytes / most) * 100}%`;
  return bar;
}
