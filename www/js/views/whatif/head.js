// The sentence: what to set and what it saves, and the line to copy.
import { announce, byId, copyAndSay, el, icon, setText } from '../../dom.js';
import { formatBytes, formatCount, formatShare, listTexts, plural } from '../../format.js';
import { bestOf, chosenRow, fateOf, lineOf, nameOf, rangeText, subject } from './words.js';
import { whatIf } from './runs.js';

/** @typedef {import('./runs.js').WhatIf} WhatIf */

const OLDER = 'The name since PyTorch 2.9. Earlier versions read PYTORCH_CUDA_ALLOC_CONF; it still works.';

export const headline = () => el('div.whatif-main.whatif-head', null, el('h1.headline', { 'data-role': 'whatif-sentence', 'aria-live': 'polite' }), el('p.soft', { 'data-role': 'whatif-why' }), el('p.is-warning', { id: 'whatif-rough', hidden: true }));

export const copyLine = () => el('div.whatif-side.copy-line', null, el('code', { 'data-role': 'whatif-line', title: OLDER }), el('button.button.small', { type: 'button', id: 'whatif-copy', title: 'Copy  Shift Y', onclick: copyShown }, icon('copy'), el('span', null, 'Copy')));

/** @returns {boolean} */
export function copyShown() {
  const of = whatIf();
  const word = document.querySelector('#whatif-copy > span');
  if (!of || !word) return false;
  void copyAndSay(/** @type {HTMLElement} */ (word), lineOf(of, chosenRow(of))).then(() => announce(word.textContent || ''));
  return true;
}

/** @param {WhatIf} of */
function sentence(of) {
  const { basis, rows } = of;
  const best = bestOf(of);
  const found = best?.found;
  const tried = rows.filter((row) => row.found).length;
  if (rows.some((row) => !row.found && (row.state === 'waiting' || row.state === 'running'))) return `Replaying ${plural(basis.requests, 'request')} under ${plural(rows.length, 'setting')}`;
  if (!tried) return of.begun ? 'Stopped before any setting was done.' : `${plural(basis.requests, 'request')} can be replayed under other settings.`;
  if (basis.oom_event !== null) {
    if (!found || found.orders_with_oom === found.orders) return `${tried > 1 ? 'No setting tried' : 'This setting does not avoid'}${tried > 1 ? ' avoids' : ''} the out-of-memory error.`;
    return found.orders_with_oom ? `${subject(of, best)} may avoid the out-of-memory error: it depends on addresses.` : `${subject(of, best)} would avoid the out-of-memory error.`;
  }
  if (!best || !found) return `Nothing tried needs less than the recorded ${formatBytes(basis.reserved_peak_bytes)}.`;
  const [least, most] = [basis.reserved_peak_bytes - found.reserved_peak_high_bytes, basis.reserved_peak_bytes - found.reserved_peak_low_bytes];
  return least > 0 ? `${subject(of, best)} would save ${rangeText(least, most)} of reserved memory.` : `${subject(of, best)} may save up to ${formatBytes(most)} of reserved memory.`;
}

/** @param {WhatIf} of */
function why(of) {
  const { basis } = of;
  const best = bestOf(of);
  const checked = of.sight.figures.model?.agreeing_events;
  const agrees = basis.rough ? '' : `; the model agrees with the recording on all ${formatCount(checked ?? of.sight.moments - 1)} events`;
  const parts = [];
  if (best?.found) {
    const [from, to] = listTexts([basis.reserved_peak_bytes, best.found.reserved_peak_bytes]);
    const change = best.found.reserved_peak_bytes - basis.reserved_peak_bytes;
    parts.push(`${basis.oom_event !== null ? `${subject(of, best)}: reserved peak ` : ''}${from} \u2192 ${to}, ${change < 0 ? '\u2212' : '+'}${formatShare(Math.abs(change) / basis.reserved_peak_bytes)}.`);
    if (basis.oom_event !== null) parts.push(fateOf(of, best).text);
  } else if (of.rows.some((row) => row.found)) parts.push('The recorded settings are the best of those tried.');
  if (best?.found?.orders_with_oom || (basis.oom_event !== null && !best)) parts.push(limitAdvice(of));
  parts.push(`The same ${plural(basis.requests, 'request')} ${of.rows.some((row) => row.found) ? 'were replayed' : 'are replayed'} under each setting${agrees}.`);
  if (basis.is_partial) parts.push('Memory from before the first event keeps its recorded place.');
  if (of.sight.filter) parts.push('What the filter leaves out is replayed, too.');
  return parts.filter(Boolean).join(' ');
}

/** @param {WhatIf} of @returns {string} where model and recording part, and how */
function firstDifference(of) {
  const { difference } = of.sight.figures.model ?? {};
  return of.basis.rough && difference ? `There the recording has ${difference.recorded}, the model ${difference.expected}.` : '';
}

/** What else would do. @param {WhatIf} of */
function limitAdvice(of) {
  const least = [of.base, ...of.rows].filter((row) => row.limit?.bytes).sort((a, b) => (a.limit?.bytes ?? 0) - (b.limit?.bytes ?? 0))[0];
  const had = of.basis.limit_high_bytes;
  if (!least?.limit?.bytes || had === null || least.limit.bytes <= had) return '';
  return `With ${formatBytes(least.limit.bytes - had)} more than it had every request would be served${least === of.base ? ' as recorded' : ` under ${nameOf(of, least)}`}.`;
}

/** @param {WhatIf} of */
export function updateHead(of) {
  const view = byId('whatif');
  setText(/** @type {Node} */ (view.querySelector('[data-role=whatif-sentence]')), `${of.basis.rough ? 'Rough: ' : ''}${sentence(of)}`);
  setText(/** @type {Node} */ (view.querySelector('[data-role=whatif-why]')), why(of));
  const rough = byId('whatif-rough');
  rough.hidden = !of.basis.rough && !of.trouble;
  rough.replaceChildren(icon('warning'), ' ', [of.basis.rough, firstDifference(of), of.trouble].filter(Boolean).join(' '));
  setText(/** @type {Node} */ (view.querySelector('[data-role=whatif-line]')), lineOf(of, chosenRow(of)));
}
