// A pasted error message, explained below its field. The text stays in this tab: it is neither kept nor put in the address.
import { announce, byId, el } from '../../dom.js';
import { exactBytes, formatBytes as bytes, formatBytesGroup } from '../../format.js';
import { more } from '../../platform.js';
import { wasm } from '../../wasm.js';
import { withCode } from '../words.js';

/** @typedef {{key: string, label: string, bytes: number}} Part */
/** @typedef {{key: string, label: string, bytes: number|null, found: string|null, meaning: string, processes?: {pid: string, bytes: number, likely_this: boolean}[]}} FoundNumber */

export function initMessage() {
  const form = /** @type {HTMLFormElement} */ (byId('message-form'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void explain();
  });
  byId('message-input').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void explain();
  });
}

async function explain() {
  const text = /** @type {HTMLTextAreaElement} */ (byId('message-input')).value;
  await more();
  const told = JSON.parse(wasm().explain_message(text));
  const box = byId('message-told');
  box.dataset.kind = told.kind;
  box.dataset.verdict = told.recognised ? told.verdict : '';
  box.replaceChildren(...(told.help ? helped(told) : explained(told)));
  box.hidden = false;
  announce(told.sentence);
}

/** @param {any} told a text that is no message */
function helped(told) {
  const { text, looked_for, example } = told.help;
  return [el('p.eyebrow.is-note', null, told.eyebrow), el('p.message-sentence', null, told.sentence), el('p', null, ...withCode(text)), el('p.soft', null, `Looked for: ${looked_for}. Such a message begins:`), el('p.message-example', null, example)];
}

/** @param {any} told */
function explained(told) {
  return [
    el('p.eyebrow.is-error', null, told.eyebrow),
    el('p.message-sentence', { 'data-metric': 'message.sentence' }, told.sentence),
    told.asked_by && el('p.soft', null, 'Asked by ', el('code', null, `${told.asked_by.file}:${told.asked_by.line}`), ' in ', el('code', null, told.asked_by.name)),
    told.bar && bar(told.bar),
    ...told.contradictions.map((/** @type {string} */ text) => el('p.banner.warning', null, text)),
    section('What to do', el('ol.message-advice', null, ...told.advice.map(advice))),
    told.numbers.length ? section('The numbers', el('dl.message-numbers', null, ...told.numbers.flatMap(number))) : null,
    told.reason.length ? section('Why', el('ul.message-reason', null, ...told.reason.map((/** @type {{text: string, threshold: string}} */ row) => el('li', null, row.text, el('span.soft', null, ` · ${row.threshold}`))))) : null,
    told.snapshot && el('p.soft', null, told.snapshot.text),
    el('p.soft', null, `Written by ${told.versions}.${told.messages > 1 ? ` The last of ${told.messages} messages in the text.` : ''}`),
  ].filter((node) => node !== null);
}

/**
 * @param {string} title
 * @param {HTMLElement} body
 */
const section = (title, body) => el('section', null, el('h3', null, title), body);

/** @param {{title: string, text: string}} row */
const advice = (row) => el('li', null, el('b', null, ...withCode(row.title)), el('p', null, ...withCode(row.text)));

/** @param {FoundNumber} row */
function number(row) {
  const size = row.bytes === null ? null : bytes(row.bytes);
  const processes = (row.processes || []).map((process) => el('li', null, `process ${process.pid}: ${bytes(process.bytes)}${process.likely_this ? ', most likely this one' : ''}`));
  return [
    el('dt', null, row.label),
    el('dd.num', { 'data-metric': `message.${row.key}`, 'data-bytes': row.bytes, title: row.bytes === null ? null : exactBytes(row.bytes) }, row.found || size || '–'),
    el('dd.meaning', null, ...withCode(row.meaning), processes.length ? el('ul', null, ...processes) : null),
  ];
}

/** @type {Record<string, string>} */
const COLOURS = { allocated: 'c-activation', private_pools: 'c-optimizer_state', reserved_unallocated: 'hatched', outside_pytorch: 'c-other', other_processes: 'c-gradient', unaccounted: 'c-unknown', free: 'free' };

/** @param {{total_bytes: number, total_label: string, parts: Part[]}} told */
function bar(told) {
  const [total, ...sizes] = formatBytesGroup([told.total_bytes, ...told.parts.map((part) => part.bytes)]);
  const sentence = told.parts.map((part, at) => `${part.label} ${sizes[at]}`).join(', ');
  const pieces = told.parts.map((part, at) => {
    const piece = el(`span.${COLOURS[part.key]}`, { title: `${part.label}  ${sizes[at]}`, 'data-part': part.key });
    piece.style.flex = `${part.bytes} 0 0`;
    return piece;
  });
  const rows = told.parts.map((part, at) => el('li', null, el(`i.swatch.${COLOURS[part.key]}`, { 'aria-hidden': 'true' }), el('span', null, part.label), el('span.num', { title: exactBytes(part.bytes) }, sizes[at])));
  return el(
    'figure.message-bar',
    null,
    el('p.message-total', null, el('span', null, told.total_label), el('b.num', null, total)),
    el('div.sum-bar', { role: 'img', 'aria-label': `${told.total_label} ${total}: ${sentence}` }, ...pieces),
    el('ul.message-parts', null, ...rows),
  );
}
