// A file that cannot be opened, and a worker that stopped: what happened, where, why, and what to do.
import { byId, copyAndSay, el, icon } from './dom.js';
import { openDialog } from './dialogs.js';
import { formatBytes, formatCount } from './format.js';
import { store, updateState } from './store.js';

const TOO_LARGE = 3.5 * 1024 ** 3;
/** What Rust and browsers say when memory runs out. */
const NO_MEMORY = /memory allocation of|out of memory|capacity overflow/i;

/** @type {(() => void)[]} dialogs that wait until those before them are closed */
const queue = [];
let count = 0;
let faultShown = false;

/**
 * @param {{name: string, size: number}} file
 * @param {any} error the reader's error object
 * @param {{readable: () => void, dismissed: () => void}} then
 */
export function showReadError(file, error, then) {
  const known = sentence(error.looks_like);
  const looks = [known, error.readable > 0 && !known.includes('without a fault') ? `The first ${formatCount(error.readable)} of its events were read without a fault.` : null].filter(Boolean).join(' ');
  let opening = false;
  show(file, {
    code: error.code,
    eyebrow: error.readable > 0 ? 'Cannot open the whole file' : 'Cannot open the file',
    title: fillName(error.title, file.name),
    looks,
    facts: [
      ['Stopped at', stoppedAt(error.at, file.size, error.unpacked === true)],
      ['Expected', error.expected],
      ['Found', error.found],
      ['Likely cause', error.cause],
      ['What to do', error.advice],
    ],
    details: [`code ${error.code}`, `bytes ${file.size}`, error.at === null || error.at === undefined ? null : `at ${error.at}`, error.expected ? `expected ${error.expected}` : null, error.found ? `found ${error.found}` : null, `events read ${error.readable || 0}`],
    second: error.readable > 0 ? { word: 'Open the readable part', act: () => { opening = true; then.readable(); } } : null,
    closed: () => {
      if (!opening) then.dismissed();
    },
  });
}

/**
 * @param {{name: string, size: number}} file
 * @param {string} message
 * @param {number} wasmBytes the worker's memory when it stopped
 * @param {() => void} again
 */
export function showDeath(file, message, wasmBytes, again) {
  const large = wasmBytes > TOO_LARGE || NO_MEMORY.test(message);
  show(file, {
    code: large ? 'too_large' : 'internal',
    eyebrow: large ? 'Out of memory in this tab' : 'vramscope stopped',
    title: large ? `${file.name} needs more memory than a tab can have (4\u00a0GiB).` : `vramscope stopped while it read ${file.name}.`,
    looks: large ? `The reader had ${wasmBytes ? formatBytes(wasmBytes) : 'no memory left'} when it stopped.` : 'Your file is not the problem: this is a fault of vramscope.',
    facts: [
      ['What happened', 'The file was closed and its reader was replaced. Other open files are as they were.'],
      ['What to do', large ? 'Run vramscope summary FILE on the command line, which has no such limit.' : 'Open it again. If it stops once more, copy the details into a bug report.'],
    ],
    details: [`code ${large ? 'too_large' : 'internal'}`, `bytes ${file.size}`, `memory ${wasmBytes}`, message],
    second: large ? null : { word: 'Open it again', act: again },
    closed: () => {},
  });
}

/** @param {string} reason the page itself cannot start */
export function showStartError(reason) {
  showPageError('Cannot start', 'The page could not load its reader.', 'A file of vramscope is missing, or this browser has no WebAssembly.',
    'Reload the page. If you opened index.html from the disk, open vramscope.html instead: it needs no server.', reason);
}

/** @param {unknown} fault of the page's own code: said once, the rest goes on */
export function showFault(fault) {
  if (faultShown) return;
  faultShown = true;
  showPageError('vramscope has a fault', 'A part of this page failed.', 'Your file is not the problem: this is a fault of vramscope. What you see may be incomplete.',
    'Reload the page and open the file again. If it happens once more, copy the details into a bug report.', String(fault));
}

/**
 * An error of the page, not of a file.
 * @param {string} eyebrow
 * @param {string} title
 * @param {string} looks
 * @param {string} advice
 * @param {string} reason
 */
function showPageError(eyebrow, title, looks, advice, reason) {
  show({ name: 'vramscope', size: 0 }, { code: 'internal', eyebrow, title, looks, facts: [['What to do', advice]], details: ['code internal', reason], second: null, closed: () => {} });
}

/**
 * Shows a dialog, or lets it wait for its turn.
 * @param {{name: string, size: number}} file
 * @param {Text} text
 */
function show(file, text) {
  queue.push(() => open(file, text));
  if (queue.length > 1) return;
  store.dialog = true;
  updateState();
  queue[0]();
}

/** @param {Text} text of the dialog that was closed: the next one has its turn */
function closed(text) {
  queue.shift();
  store.dialog = queue.length > 0;
  try {
    text.closed();
  } finally {
    updateState();
    if (queue.length) queue[0]();
  }
}

/**
 * @typedef {{code: string, eyebrow: string, title: string, looks: string, facts: [string, string|Node|null][], details: (string|null)[], second: {word: string, act: () => void}|null, closed: () => void}} Text
 * @param {{name: string, size: number}} file
 * @param {Text} text
 */
function open(file, text) {
  const id = `error-${(count += 1)}`;
  const report = text.details.filter(Boolean).join(' · ');
  const tick = /** @type {HTMLInputElement} */ (el('input', { type: 'checkbox' }));
  const withName = () => (tick.checked ? `${file.name} · ${report}` : report);
  const pre = el('pre', null, report);
  tick.addEventListener('change', () => pre.replaceChildren(withName()));
  const word = el('span', null, 'Copy details');
  openDialog({
    label: `${id}-title`, describedBy: `${id}-looks`, alert: true, code: text.code,
    closed: () => closed(text),
    content: (close) => [
      el('button.button.quiet.icon-only.dialog-close', { type: 'button', 'aria-label': 'Close', title: 'Close  Esc', onclick: close }, icon('close')),
      el('p.eyebrow.is-error', null, icon('error'), text.eyebrow),
      el('h2', { id: `${id}-title` }, text.title),
      el('p.soft', { id: `${id}-looks` }, text.looks),
      el('dl', null, ...text.facts.filter(([, value]) => value).flatMap(([name, value]) => [el('dt', null, name), el('dd', null, value)])),
      el('details', null, el('summary', null, 'Details for a bug report (no paths, no frame names)'), pre, el('label.tick', null, tick, 'With the name of the file')),
      el('footer', null,
        el('button.button.primary', { type: 'button', autofocus: true, onclick: () => { close(); byId('file-input').click(); } }, 'Choose another file…'),
        text.second ? el('button.button', { type: 'button', onclick: () => { text.second?.act(); close(); } }, text.second.word) : null,
        el('button.button.quiet.push', { type: 'button', onclick: () => void copyAndSay(word, withName()) }, icon('copy'), word)),
    ],
  });
}

/** @param {string|null} looks what the file looks like: words or a sentence */
function sentence(looks) {
  if (!looks) return '';
  const whole = /^[a-z]/.test(looks) ? `It looks like ${looks}` : looks;
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

/**
 * @param {number|null|undefined} at
 * @param {number} size of the file
 * @param {boolean} unpacked at counts bytes after unpacking
 */
function stoppedAt(at, size, unpacked) {
  if (at === null || at === undefined) return null;
  if (unpacked) return el('span', null, 'byte ', el('b', null, formatCount(at)), ' of the unpacked data');
  return el('span', null, 'byte ', el('b', null, formatCount(at)), at >= size ? `, the end of the file (${formatBytes(size)})` : ` of ${formatCount(size)}`);
}

/**
 * @param {string} title
 * @param {string} name the file's own name, never a path
 */
function fillName(title, name) {
  return title.includes('{name}') ? title.split('{name}').join(name) : `${name}: ${title}`;
}
