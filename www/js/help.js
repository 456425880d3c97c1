// The help dialog: keys from the list of commands, and how to read the picture.
import { byId, el, icon } from './dom.js';
import { commands, addCommands } from './commands.js';
import { openDialog } from './dialogs.js';
import { showPalette } from './palette.js';
import { language } from './views/filter/complete.js';
import { showGuide } from './views/guide.js';

const MOUSE = [
  ['Zoom', 'Wheel, or pinch'],
  ['Zoom the bytes', 'Alt+wheel'],
  ['Pan', 'Drag, or Shift+wheel'],
  ['Show what is under the pointer', 'Move'],
  ['Pin it, let it go', 'Click, click again'],
  ['Fit a block’s lifetime', 'Double-click it'],
  ['Choose a range', 'Drag in the strip below the picture'],
  ['Mark a moment as A or B', 'Right-click, or long press'],
  ['Allocator state: scroll', 'Wheel, or drag'],
  ['Allocator state: zoom inside rows', 'Ctrl+wheel, or pinch'],
  ['Allocator state: show in the timeline', 'Double-click a block'],
];

/** The filter's language, from the table that completes it: what each condition chooses, and one that can be tried. */
function languageSection() {
  const rows = language();
  return el('section.language', { 'aria-labelledby': 'help-language' }, el('h3', { id: 'help-language', tabindex: '-1' }, 'The filter’s language'),
    rows.length ? el('dl', null, ...rows.flatMap(({ key, what, example }) => [el('dt.code', null, key), el('dd', null, el('span', null, what), el('span.code', null, example))])) : el('p.soft', null, 'It is listed here as soon as a file is open.'));
}

/** @param {string} [part] id of a heading that is shown first */
export function showHelp(part) {
  openDialog({
    label: 'help-title', shape: 'help',
    content: (close) => [
      el('header.dialog-head', null, el('h2', { id: 'help-title' }, 'Help and keys'), el('button.button.quiet.icon-only.push', { type: 'button', 'aria-label': 'Close', autofocus: true, onclick: close }, icon('close'))),
      el('p', null, el('button.text-link', { type: 'button', id: 'guide-from-help', onclick: () => { close(); showGuide(); } }, 'How to read this'), el('span.soft', null, ': what a snapshot is, what the verdict means, and what a snapshot cannot tell')),
      el('p', null, el('button.text-link', { type: 'button', id: 'palette-from-help', onclick: () => { close(); showPalette(); } }, 'All commands by name'), el('span.soft', null, ': everything below, and what has no key. ', el('kbd', null, 'Ctrl K'))),
      el('p.soft', null, 'Each coloured area is memory the program asked for, stacked by the line that made it; the ink line above is what the allocator holds from the driver. An event is an allocation, a free, or a change of a segment.'),
      el('div.key-groups', null, ...groups().map(([title, rows]) => el('section', null, el('h3', null, title), el('dl', null, ...rows.flatMap(([what, keys]) => [el('dt', null, what), el('dd', null, ...keys)]))))),
      languageSection(),
      el('p.soft.small', null, `vramscope ${version()}`),
    ],
  });
  const heading = part ? document.getElementById(part) : null;
  heading?.scrollIntoView();
  heading?.focus({ preventScroll: true });
}

/** @returns {string} what to name in a report of a fault */
const version = () => /** @type {HTMLMetaElement|null} */ (document.querySelector('meta[name=version]'))?.content || '';

/** @returns {[string, [string, Node[]][]][]} */
function groups() {
  /** @type {Map<string, [string, Node[]][]>} */
  const found = new Map();
  for (const { title, group, shown, listed } of commands.filter((command) => command.shown.length)) {
    const rows = found.get(group) || [];
    const keys = shown.map((key) => el('kbd', null, key));
    // Some stand together.
    if (listed === '') rows.at(-1)?.[1].push(...keys);
    else rows.push([listed ?? title, keys]);
    found.set(group, rows);
  }
  found.set('Mouse and touch', MOUSE.map(([what, how]) => [what, [el('span', null, how)]]));
  return [...found];
}

export function initHelp() {
  byId('help').addEventListener('click', () => showHelp());
  addCommands([
    { title: '', listed: 'To buttons, menus and words that explain themselves; then Enter, in a menu ↑ and ↓', group: 'Page', keys: [], shown: ['Tab'], run: () => false },
    { title: 'Help and keys', group: 'Page', keys: ['?', 'F1'], shown: ['?'], run: () => showHelp() },
    { title: 'The filter’s language', group: 'Page', keys: [], shown: [], run: () => showHelp('help-language') },
    { title: 'How to read this', group: 'Page', keys: [], shown: [], run: showGuide },
  ]);
}
