// Changes that people try: each simulated on request, with what it takes for granted.
import { byId, el } from '../../dom.js';
import { bytesSpan, formatBytes, plural } from '../../format.js';
import { badge, changeText, estimate, fateText } from './estimates.js';

/** @typedef {import('./runs.js').WhatIf} WhatIf */
/** @typedef {import('./estimates.js').Estimate} Estimate */

const CHECKPOINT = 'checkpoint';

/** @param {WhatIf} of */
export function changesCard(of) {
  const card = el('article.card.whatif-wide', { 'aria-labelledby': 'changes-title', id: 'whatif-changes' }, el('header', null, el('h2', { id: 'changes-title' }, 'Changes to the program'), badge(),
    el('button.button.small.push', { type: 'button', id: 'changes-all', title: 'Estimate every change', onclick: () => void card.querySelectorAll('button[data-change]').forEach((button) => /** @type {HTMLElement} */ (button).click()) }, 'Estimate all')),
    el('ul.change-list', { 'data-role': 'changes', id: 'change-list' }));
  void fill(of);
  return card;
}

/** Asks for what there is; again when labels have come. @param {WhatIf} of */
export async function fill(of) {
  const offers = await of.sight.client.ask({ ask: 'estimates', device: of.sight.device });
  const list = document.getElementById('change-list');
  if (!offers || !list) return;
  byId('changes-all').hidden = offers.why_not !== null;
  list.replaceChildren(...(offers.why_not ? [el('li.soft', null, offers.why_not)] : offers.kinds.map((/** @type {any} */ kind) => row(of, kind, offers.modules))));
}

/** @param {WhatIf} of @param {{key: string, title: string, explanation: string}} kind @param {{place: string, calls: number, saved_bytes: number}[]} modules */
function row(of, { key, title, explanation }, modules) {
  const result = el('div.change-result', { 'aria-live': 'polite' });
  const chosen = key === CHECKPOINT && modules.length ? el('select.field', { id: 'change-module', 'aria-label': 'What is checkpointed', title: 'The line that calls the module' }, ...modules.map(({ place, calls, saved_bytes: saved }) => el('option', { value: place }, `${place}, ${plural(calls, 'call')}, ${formatBytes(saved)}`))) : null;
  const button = el('button.button.small', { type: 'button', 'data-change': key, 'aria-label': `Estimate: ${title}`, onclick: () => {
    const module = chosen ? /** @type {HTMLSelectElement} */ (chosen).value : '';
    result.dataset.module = module;
    void estimate(of, { change: key, module }, (told) => {
      if (result.dataset.module === module) result.replaceChildren(...resultOf(of, told));
    });
  } }, 'Estimate');
  return el('li', { 'data-key': key }, el('div', null, el('b', null, title), el('p.soft.small', null, explanation), chosen), result, button);
}

/** @param {WhatIf} of @param {Estimate} told @returns {HTMLElement[]} */
function resultOf(of, { why, scenario, found, done }) {
  if (why || !scenario) return [el('p.soft', { 'data-role': 'change-why', 'data-done': 'true' }, why)];
  if (!found) return [el('p.soft', null, 'Simulating')];
  const from = of.basis.reserved_peak_bytes;
  const text = changeText(found.reserved_peak_bytes, from);
  return [
    el('p', { 'data-role': 'change-peak', 'data-bytes': String(found.reserved_peak_bytes), 'data-done': String(done) }, bytesSpan(found.reserved_peak_bytes), ' reserved at the peak, ', el(found.reserved_peak_bytes < from ? 'b.is-good' : 'b', null, text), `. ${fateText(of, found)}`),
    el('p.soft.small', null, scenario.assumption),
    ...scenario.notes.map((note) => el('p.muted.small', null, note)),
  ];
}
