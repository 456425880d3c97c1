// Every command by name: typed words narrow the list, Enter runs. One that acts on another view goes there first.
import { addCommands, allCommands } from './commands.js';
import { announce, el } from './dom.js';
import { openDialog } from './dialogs.js';
import { setView, store } from './store.js';

/** Groups of commands that act on one view. @type {Record<string, import('./store.js').View>} */
const VIEWS = { Timeline: 'timeline', 'Allocator state': 'state', Stacks: 'stacks', Allocations: 'allocations', Compare: 'compare', 'What if': 'whatif' };
/** As many rows as one looks through; more are found by a further letter. */
const MOST = 60;

/** @typedef {import('./commands.js').Command} Command */

/** Those chosen last come first, as long as the page is open. @type {string[]} */
let lately = [];

/** @param {Command} command */
const nameOf = ({ group, title }) => `${group}: ${title}`;

/** @param {string} text @returns {Command[]} the commands that have every word, best first */
function matching(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const usable = allCommands().filter((command) => store.active || !(VIEWS[command.group] || command.group === 'Views'));
  return usable
    .map((command, index) => ({ command, rank: rank(command, words) * 1000 + index - (lately.indexOf(nameOf(command)) + 1 ? 500 : 0) }))
    .filter(({ rank: at }) => Number.isFinite(at))
    .sort((a, b) => a.rank - b.rank)
    .map(({ command }) => command);
}

/** @param {Command} command @param {string[]} words @returns {number} 0: of the view that is shown, or begins so; infinite: has not all words */
function rank(command, words) {
  const title = command.title.toLowerCase();
  const all = `${command.group.toLowerCase()} ${title}`;
  if (!words.every((word) => all.includes(word))) return Infinity;
  const begins = words.length > 0 && title.startsWith(words[0]) ? 0 : 1;
  const view = VIEWS[command.group];
  return begins + (view && view !== store.view ? 1 : 0);
}

/** @param {Command} command */
function run(command) {
  lately = [nameOf(command), ...lately.filter((name) => name !== nameOf(command))].slice(0, 5);
  const view = VIEWS[command.group];
  if (view && store.view !== view) setView(view);
  // After the dialog has given the focus back.
  requestAnimationFrame(() => {
    if (command.run() === false) announce(`${command.title}: not possible now`);
  });
}

export function showPalette() {
  if (document.querySelector('dialog[open]')) return false;
  const list = el('div.palette-list', { id: 'palette-list', role: 'listbox', 'aria-label': 'Commands' });
  const field = /** @type {HTMLInputElement} */ (el('input.palette-field', {
    type: 'text', id: 'palette-field', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'palette-list', 'aria-autocomplete': 'list', 'aria-labelledby': 'palette-title',
    autocomplete: 'off', spellcheck: 'false', placeholder: 'What to do', autofocus: true,
  }));
  /** @type {Command[]} */
  let found = [];
  let at = 0;
  const mark = () => {
    for (const [index, row] of [...list.children].entries()) row.setAttribute('aria-selected', String(index === at));
    const row = list.children[at];
    field.setAttribute('aria-activedescendant', found.length ? row.id : '');
    row?.scrollIntoView({ block: 'nearest' });
  };
  openDialog({
    label: 'palette-title', shape: 'palette',
    content: (close) => {
      const choose = (/** @type {number} */ index) => {
        if (!found[index]) return;
        close();
        run(found[index]);
      };
      const fill = () => {
        found = matching(field.value).slice(0, MOST);
        at = 0;
        list.replaceChildren(...found.map((command, index) => el('div.palette-row', { id: `palette-${index}`, role: 'option', 'aria-selected': 'false', onclick: () => choose(index) },
          el('span.soft', null, command.group), el('span.title', null, command.title), el('span.keys', null, ...command.shown.map((key) => el('kbd', null, key))))),
          ...(found.length ? [] : [el('p.soft', null, 'No command has these words.')]));
        mark();
      };
      field.addEventListener('input', fill);
      field.addEventListener('keydown', (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
        if (event.isComposing) return;
        if (step && found.length) at = Math.abs(step) === 1 ? (at + step + found.length) % found.length : Math.min(Math.max(at + step, 0), found.length - 1);
        else if (event.key === 'Enter') choose(at);
        else return;
        event.preventDefault();
        mark();
      });
      fill();
      return [el('h2.visually-hidden', { id: 'palette-title' }, 'Commands'), field, list];
    },
  });
  return true;
}

export function initPalette() {
  addCommands([{ title: 'Commands by name', group: 'Page', keys: ['Mod+KeyK'], shown: ['Ctrl or ⌘ K'], always: true, run: showPalette }]);
}
