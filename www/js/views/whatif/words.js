// How settings and what came of them are called.
import { formatBytes, formatBytesGroup, formatCount, splitUnit } from '../../format.js';
import { RECORDED } from './runs.js';

/** @typedef {import('./runs.js').Row} Row */
/** @typedef {import('./runs.js').WhatIf} WhatIf */

/** @param {WhatIf} of @param {Row} row @returns {string} what its limit adds to its name: nothing where it is the recorded one */
export function limitWords(of, row) {
  if (row.limit_bytes === of.basis.limit_high_bytes) return '';
  return row.limit_bytes === null ? 'no limit' : `limit ${formatBytes(row.limit_bytes)}`;
}

/** @param {WhatIf} of @param {Row|null} row null: the recorded run */
export function nameOf(of, row) {
  if (!row) return 'as recorded';
  return [row.settings || 'PyTorch\u2019s defaults', limitWords(of, row)].filter(Boolean).join(', ');
}

/** Short, for a label in the chart. @param {WhatIf} of @param {Row|null} row */
export const shortName = (of, row) => nameOf(of, row).replace(/expandable_segments:True/, 'expandable').replace(/garbage_collection_threshold:/, 'gc ').replace(/roundup_power2_divisions:/, 'roundup ').replace(/max_split_size_mb:/, 'max_split ');

/** At the head of a sentence. @param {WhatIf} of @param {Row} row */
export const subject = (of, row) => ({ 'expandable_segments:True': 'Expandable segments', '': 'PyTorch\u2019s defaults' })[nameOf(of, row) === row.settings || !row.settings ? row.settings : RECORDED] ?? nameOf(of, row);

/** @param {WhatIf} of @param {Row|null} row @returns {string} the line to copy */
export function lineOf(of, row) {
  const settings = row ? row.settings : of.basis.settings;
  return settings ? `PYTORCH_ALLOC_CONF=${settings}` : 'unset PYTORCH_ALLOC_CONF';
}

/** One or two numbers of a range, with the unit once. @param {number} low @param {number} high */
export function rangeText(low, high) {
  if (low === high) return formatBytes(low);
  const [from, to] = formatBytesGroup([low, high]);
  return `${splitUnit(from)[1] === splitUnit(to)[1] ? splitUnit(from)[0] : from} to ${to}`;
}

/**
 * What becomes of requests without memory: a word, a sentence, and how bad it is.
 * @param {WhatIf} of @param {Row} row
 * @returns {{word: string, text: string, tone: 'good'|'error'|'warning'|''}}
 */
export function fateOf(of, row) {
  const { found } = row;
  if (!found) return { word: '', text: '', tone: '' };
  const { oom, orders, orders_with_oom: failing } = found;
  const recorded = of.basis.oom_event;
  const of_orders = `${formatCount(failing)} of ${formatCount(orders)} orders of addresses`;
  if (!failing) return recorded === null ? { word: 'none', text: 'Every request is served.', tone: '' } : { word: 'avoided', text: `Every request is served, that of event ${formatCount(recorded)}, which failed when recorded, among them${orders > 1 ? `, in ${formatCount(orders)} orders of addresses` : ''}.`, tone: 'good' };
  if (failing < orders) return { word: `in ${formatCount(failing)} of ${formatCount(orders)}`, text: `It depends on addresses: memory runs out in ${of_orders}.`, tone: 'warning' };
  if (oom && oom.event === recorded) return { word: 'repeated', text: `The request of event ${formatCount(recorded)} fails again${orders > 1 ? ` in all ${formatCount(orders)} orders of addresses` : ''}.`, tone: 'error' };
  if (oom) return { word: `event ${formatCount(oom.event)}`, text: `The request of ${formatBytes(oom.requested_bytes)} at event ${formatCount(oom.event)} finds no memory${recorded !== null ? `, before the one that failed when recorded` : ''}. What the program would do then nobody knows: the simulation ends there.`, tone: 'error' };
  return { word: of_orders, text: '', tone: 'error' };
}

/** @param {WhatIf} of @param {Row} row @returns {boolean} whether a request fails that was served when recorded */
export const breaksOff = (of, row) => row.found !== null && row.found.oom !== null && row.found.oom.event !== of.basis.oom_event;

/** @param {WhatIf} of @returns {(Row|null)[]} best first, the recorded run as null among them; what has no number yet comes last */
export function ranked(of) {
  const done = of.rows.filter((row) => row.found);
  const first = of.rows.every((row) => row.found || row.state === 'stopped' || row.state === 'failed');
  // While numbers come rows stay where they are.
  if (!first || !done.length) return [null, ...of.rows];
  const peak = (/** @type {Row|null} */ row) => row?.found?.reserved_peak_bytes ?? of.basis.reserved_peak_bytes;
  const bad = (/** @type {Row|null} */ row) => Number(row !== null && breaksOff(of, row));
  const fails = (/** @type {Row|null} */ row) => (row?.found ? row.found.orders_with_oom / row.found.orders : Number(of.basis.oom_event !== null));
  const order = [null, ...done].sort((a, b) => bad(a) - bad(b) || fails(a) - fails(b) || peak(a) - peak(b) || Number(a !== null) - Number(b !== null));
  return [...order, ...of.rows.filter((row) => !row.found)];
}

/** @param {WhatIf} of @returns {Row|null} what does better than the recorded run, if anything does */
export function bestOf(of) {
  const best = ranked(of)[0];
  return best?.found ? best : null;
}

/** @param {WhatIf} of @param {Row|null} row @returns {'recorded'|'best'|'worse'|'rest'} */
export function toneOf(of, row) {
  if (!row) return 'recorded';
  if (row === bestOf(of)) return 'best';
  return row.found && (breaksOff(of, row) || row.found.reserved_peak_bytes > of.basis.reserved_peak_bytes) ? 'worse' : 'rest';
}

/** @param {WhatIf} of @returns {Row|null} null: the recorded run */
export const chosenRow = (of) => (of.chosen === '' ? bestOf(of) : of.rows.find((row) => row.key === of.chosen) || null);
