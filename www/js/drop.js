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
    openFiles([...(event.dataTransfer?.files || [])].map((file) => ({ name: file.name, blob: file })));
  });
  addCommands([{ title: 'Open files', group: 'Page', keys: ['Mod+KeyO'], shown: ['Ctrl or ⌘ O'], run: () => input.click() }]);
}
