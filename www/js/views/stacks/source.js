// The lines of the selected frame's file with what was allocated through each. The file's text comes from the user alone, and stays here.
import { el } from '../../dom.js';
import { formatCount } from '../../format.js';
import { unitOf } from './wish.js';
import { weightSpan } from './words.js';

const MOST_BYTES = 4 << 20;
/** @type {Map<string, string[]>} texts that the user gave, by path */
const texts = new Map();

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {any} details of the node
 * @param {{line: number, weight: number, blocks: number}[]} lines
 * @param {() => void} changed
 */
export function sourceSection(sight, details, lines, changed) {
  const unit = unitOf(sight);
  const text = texts.get(details.path);
  const most = Math.max(1, ...lines.map((line) => line.weight));
  const known = new Map(lines.map((line) => [line.line, line]));
  const input = /** @type {HTMLInputElement} */ (el('input.visually-hidden', { type: 'file', id: 'source-file', onchange: () => void take(input.files?.[0]) }));
  const note = el('p.soft.small', { role: 'status' }, text ? 'Its text stays in this tab.' : 'Drop this file here to see its text beside the numbers. It stays in this tab.');
  /** @param {Blob|undefined} file */
  async function take(file) {
    if (!file) return;
    const fresh = file.size > MOST_BYTES ? '' : await file.text();
    if (!fresh || fresh.includes('\0')) {
      note.textContent = file.size > MOST_BYTES ? 'That file is larger than 4 MiB: no source text is.' : 'That file holds no text.';
      return;
    }
    texts.set(details.path, fresh.split(/\r?\n/));
    changed();
  }
  const row = (/** @type {number} */ number, /** @type {string|null} */ words) => {
    const line = known.get(number);
    const bar = el('span.share');
    if (line) bar.style.width = `${Math.max(1, (line.weight / most) * 100)}%`;
    return el(`li${number === details.line ? '.here' : ''}`, { title: line ? `${formatCount(line.blocks)} blocks` : null }, bar, el('span.num.bytes', null, line ? weightSpan(line.weight, unit) : ''), el('span.num.muted.number', null, number ? formatCount(number).replaceAll(',', '') : '?'), words === null ? null : el('code', null, words));
  };
  const list = text ? text.map((words, index) => row(index + 1, words)) : lines.map((line) => row(line.line, null));
  const section = el('section.source', { 'aria-label': 'Source',
    ondragover: (/** @type {DragEvent} */ event) => { event.preventDefault(); },
    ondrop: (/** @type {DragEvent} */ event) => { event.preventDefault(); void take(event.dataTransfer?.files[0]); },
  }, el('h3', null, el('span.truncate', { title: details.path }, details.file || 'No file'), text ? el('button.button.quiet.small', { type: 'button', onclick: () => { texts.delete(details.path); changed(); } }, 'Take the text away') : null), note,
  el('div.row-actions', null, input, el('label.button.small', { for: 'source-file', tabindex: '0', role: 'button', onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); input.click(); } } }, 'Choose the file…')),
  el('ol.source-lines', { tabindex: '0', 'aria-label': `Lines of ${details.file}, with what was allocated through each` }, ...list));
  requestAnimationFrame(() => section.querySelector('.here')?.scrollIntoView({ block: 'center' }));
  return section;
}
