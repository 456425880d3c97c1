// Files come by drop anywhere on the page, by the file dialog, or from a sample card.
import { announce, byId, el, icon, setText } from './dom.js';
import { addCommands } from './commands.js';
import { openFiles } from './files.js';
import { plural } from './format.js';

let depth = 0;

/** @param {DataTransfer|null} data */
const holdsFiles = (data) => data !== null && [...data.types].includes('Files');

/** @param {number} count 0: nothing is over the page */
function showOver(count) {
  const over = count > 0;
  const words = `Release to open ${plural(count, 'file')}`;
  byId('drop-zone').toggleAttribute('data-over', over);
  setText(byId('drop-title'), over ? words : 'Drop snapshots anywhere on this page');
  const cover = document.querySelector('.drop-cover');
  if (!over) cover?.remove();
  else if (!cover && byId('landing').hidden) document.body.append(el('div.drop-cover', null, el('p', null, words)));
}

/**
 * Everything that was dropped, the files of folders among it.
 * @param {DataTransfer|null} data
 * @returns {Promise<File[]>}
 */
async function dropped(data) {
  // Entries are gone once this event is over: they are taken before anything waits.
  const entries = [...(data?.items || [])].map((item) => item.webkitGetAsEntry?.() ?? null);
  const plain = [...(data?.files || [])];
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  /** @type {File[]} */
  const files = [];
  /** @type {Left} */
  const left = { names: [], count: 0, reasons: new Set() };
  for (const entry of entries) if (entry) await collect(entry, files, left, 0);
  tellLeft(files, left);
  return files;
}

/** @typedef {{names: string[], count: number, reasons: Set<string>}} Left what of a folder was not opened */

/** @param {Left} left @param {string} name @param {string} reason */
function leave(left, name, reason) {
  left.count += 1;
  left.reasons.add(reason);
  if (left.names.length < NAMED) left.names.push(name);
}

/** Says what was left out of a folder, until somebody has read it. @param {File[]} files @param {Left} left */
function tellLeft(files, left) {
  byId('left-out').hidden = left.count === 0;
  if (!left.count) return;
  const opened = files.length ? `Opened ${plural(files.length, 'file')}: ${listed(files.map((file) => file.name))}.` : 'Nothing was opened.';
  const words = `${opened} Left out ${plural(left.count, 'file')}: ${listed(left.names, left.count)} (${[...left.reasons].join('; ')}).`;
  byId('left-out').replaceChildren(icon('note'), el('span', null, words), el('button.button.quiet.icon-only.small', { type: 'button', 'aria-label': 'Close', onclick: () => { byId('left-out').hidden = true; byId('file-menu').focus(); } }, icon('close')));
  announce(words);
}

/** @param {string[]} names @param {number} [count] @returns {string} */
const listed = (names, count = names.length) => `${names.slice(0, NAMED).join(', ')}${count > NAMED ? ` and ${count - NAMED} more` : ''}`;

/** Folders in folders, and files, of one drop. */
const MOST_DEPTH = 4;
const MOST_FILES = 256;
/** Names in the note about a folder. */
const NAMED = 5;
/** What a snapshot may be called. */
const SNAPSHOT = /\.(pickle|pkl|json|html|gz|zip)$/i;

/** @param {any} entry @param {File[]} files @param {Left} left @param {number} depth */
async function collect(entry, files, left, depth) {
  if (entry.isFile) {
    if (files.length >= MOST_FILES) leave(left, entry.name, `more than ${MOST_FILES} files at once`);
    else if (depth > 0 && !SNAPSHOT.test(entry.name)) leave(left, entry.name, 'not named as snapshots are: .pickle, .pkl, .json, .html, .gz, .zip');
    else files.push(await new Promise((resolve, reject) => entry.file(resolve, reject)));
    return;
  }
  if (depth >= MOST_DEPTH) return leave(left, `${entry.name}/`, `a folder more than ${MOST_DEPTH} deep`);
  const reader = entry.createReader();
  for (;;) {
    /** @type {any[]} */
    const inside = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!inside.length) return;
    for (const each of inside) await collect(each, files, left, depth + 1);
  }
}

export function initDrop() {
  const input = /** @type {HTMLInputElement} */ (byId('file-input'));
  input.addEventListener('change', () => {
    openFiles([...(input.files || [])].map((file) => ({ name: file.name, blob: file })));
    input.value = ''; // the same file may be chosen again
  });
  addEventListener('dragenter', (event) => {
    if (!holdsFiles(event.dataTransfer)) return;
    event.preventDefault();
    depth += 1;
    showOver(event.dataTransfer?.items.length || 1);
  });
  addEventListener('dragover', (event) => {
    if (!holdsFiles(event.dataTransfer)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
  });
  addEventListener('dragleave', (event) => {
    if (!holdsFiles(event.dataTransfer)) return;
    depth = Math.max(0, depth - 1);
    if (depth === 0) showOver(0);
  });
  addEventListener('drop', (event) => {
    if (!holdsFiles(event.dataTransfer)) return;
    depth = 0;
    showOver(0);
    // Something on the page has taken it for itself: the text of a source file.
    if (event.defaultPrevented) return;
    event.preventDefault();
    void dropped(event.dataTransfer).then((files) => openFiles(files.map((file) => ({ name: file.name, blob: file }))));
  });
  addCommands([{ title: 'Open files', group: 'Page', keys: ['Mod+KeyO'], shown: ['Ctrl or ⌘ O'], run: () => input.click() }]);
}
