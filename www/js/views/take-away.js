// What can be taken away of any view: its picture, its address, and files that other tools open.
import { addCommands } from '../commands.js';
import { openDialog } from '../dialogs.js';
import { announce, byId, copyText, el, icon, setText } from '../dom.js';
import { formatBytes, formatCount, plural } from '../format.js';
import { attachMenu, closeMenu } from '../menu.js';
import { asPng, asSvg } from '../picture.js';
import { saveBlob, stemOf } from '../save.js';
import { current, store } from '../store.js';

const WORDS = { png: 'PNG', svg: 'SVG' };

/** @param {string} rest of a file's name @returns {string} */
const nameOf = (rest) => `${stemOf(store.active?.name ?? 'vramscope')}-${rest}`;

/** @param {'png'|'svg'} kind of the view that is shown, as it is */
async function savePicture(kind) {
  const view = document.querySelector('main > .view:not([hidden])');
  if (!view || !store.active) return;
  const blob = kind === 'png' ? await asPng(view) : asSvg(view);
  saveBlob(blob, nameOf(`${store.view}.${kind}`));
  announce(`Saved as ${WORDS[kind]}`);
}

async function copyAddress() {
  announce((await copyText(location.href)) ? 'Address copied: with the same file it shows the same' : 'The browser did not allow it');
}

/** @returns {Promise<[number, number]>} the first event shown by the timeline, and the one after the last */
async function shownEvents() {
  const sight = current();
  if (!sight) return [0, 0];
  const { x0, x1 } = sight.range;
  if (sight.axis === 'event') return [Math.max(0, Math.floor(x0)), Math.max(0, Math.ceil(x1) - 1)];
  const [from, to] = await Promise.all([x0, x1].map((x) => sight.client.ask({ ask: 'at', device: sight.device, axis: 'time', x })));
  return [from?.moment ?? 0, to?.moment ?? sight.moments - 1];
}

/**
 * @param {string} kind
 * @param {object} request
 * @param {string} name
 */
async function saveFrom(kind, request, name) {
  const sight = current();
  if (!sight) return;
  const blob = await sight.client.take({ kind, device: sight.device, ...request });
  saveBlob(blob, nameOf(name));
  announce(`Saved, ${formatBytes(blob.size)}`);
}

export async function showSmaller() {
  const sight = current();
  if (!sight) return;
  const events = sight.moments - 1;
  const [first, end] = await shownEvents();
  const number = (/** @type {string} */ id, /** @type {string} */ label, /** @type {number} */ value) => el('label.field-row', { for: id }, el('span', null, label), el('input.field.num', { id, type: 'number', min: 0, max: events, step: 1, value }));
  const from = number('smaller-from', 'First event', first);
  const to = number('smaller-to', 'Last event', Math.max(first, end - 1));
  const hide = /** @type {HTMLInputElement} */ (el('input', { type: 'checkbox', id: 'smaller-anonymise' }));
  const told = el('p.soft.small', { role: 'status' });
  const values = () => [from, to].map((row) => Number(/** @type {HTMLInputElement} */ (row.querySelector('input')).value));
  const isRange = () => values().every(Number.isInteger) && values()[0] >= 0 && values()[0] <= values()[1] && values()[1] < events;
  const tell = () => {
    const [a, b] = values();
    setText(told, isRange() ? `${plural(b - a + 1, 'event')} of ${formatCount(events)}; what was alive before them is rebuilt from the state at their end.` : `Two events from 0 to ${formatCount(events - 1)}, the first not after the last.`);
    save.disabled = !isRange();
  };
  const save = /** @type {HTMLButtonElement} */ (el('button.button.primary', { type: 'button', id: 'smaller-save' }, 'Save'));
  openDialog({
    label: 'smaller-title',
    content: (close) => {
      save.addEventListener('click', () => {
        const [a, b] = values();
        close();
        void saveFrom('snapshot', { events: [a, b + 1], anonymise: hide.checked }, `${a}-${b}.pickle`);
      });
      for (const row of [from, to]) row.addEventListener('input', tell);
      tell();
      return [
        el('header.dialog-head', null, el('h2', { id: 'smaller-title' }, 'Smaller snapshot'), el('button.button.quiet.icon-only.push', { type: 'button', 'aria-label': 'Close', onclick: close }, icon('close'))),
        el('p', null, 'A pickle of a part of this recording, to pass on: PyTorch’s own tools and this page open it. They read only plain pickles, so it is not compressed.'),
        el('div.field-rows', null, from, to),
        el('label.tick', null, hide, el('span', null, 'Anonymise: paths become base names; your metadata and annotations are left out')),
        told,
        el('footer', null, save),
      ];
    },
  });
}

const PERFETTO = 'Counters and phases for Perfetto (JSON)';

function rows() {
  const item = (/** @type {string} */ text, /** @type {string} */ what, /** @type {() => void} */ act) => el('button.item', { type: 'button', title: what, onclick: () => { closeMenu(); act(); } }, text);
  return [
    item('Picture of this view, PNG', 'As it is shown, at twice the resolution', () => void savePicture('png')),
    item('Picture of this view, SVG', 'Texts stay texts', () => void savePicture('svg')),
    item('Copy the address of this view', 'With the same file it shows view, device, range, selection and filter again', () => void copyAddress()),
    el('hr'),
    item('Smaller snapshot…', 'A part of the recording as a pickle', () => void showSmaller()),
    item(PERFETTO, 'Opens in ui.perfetto.dev and chrome://tracing', () => void saveFrom('perfetto', {}, 'perfetto.json')),
  ];
}

export function initTakeAway() {
  attachMenu(byId('take-away'), rows, 'Take away');
  /** @param {() => unknown} act */
  const open = (act) => () => {
    if (!store.active) return false;
    void act();
    return true;
  };
  const group = 'Take away';
  addCommands([
    { title: 'Picture of this view as PNG', group, keys: ['Shift+KeyP'], shown: ['Shift P'], run: open(() => savePicture('png')) },
    { title: 'Picture of this view as SVG', group, keys: [], shown: [], run: open(() => savePicture('svg')) },
    { title: 'Copy the address of this view', group, keys: [], shown: [], run: open(copyAddress) },
    { title: 'Smaller snapshot', group, keys: ['Mod+KeyS'], shown: ['Ctrl or ⌘ S'], run: open(showSmaller) },
    { title: PERFETTO, group, keys: [], shown: [], run: open(() => saveFrom('perfetto', {}, 'perfetto.json')) },
  ]);
}
