// Files come by drop anywhere on the page, by the file dialog, or from a sample card.
import { byId, el, setText } from './dom.js';
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
  for (const entry of entries) if (entry) await collect(entry, files, 0);
  return files;
}

/** Folders in folders, and files, of one drop. */
const MOST_DEPTH = 4;
const MOST_FILES = 256;
/** What a snapshot may be called. */
const SNAPSHOT = /\.(pickle|pkl|json|html|gz|zip)$/i;

/** @param {any} entry @param {File[]} files @param {number} depth */
async function collect(entry, files, depth) {
  if (files.length >= MOST_FILES) return;
  if (entry.isFile) {
    if (depth === 0 || SNAPSHOT.test(entry.name)) files.push(await new Promise((resolve, reject) => entry.file(resolve, reject)));
    return;
  }
  if (depth >= MOST_DEPTH) return;
  const reader = entry.createReader();
  for (;;) {
    /** @type {any[]} */
    const inside = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!inside.length) return;
    for (const each of inside) await collect(each, files, depth + 1);
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
