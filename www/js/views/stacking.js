// How allocations are stacked and coloured: by category, by the line that made them, or by age. One choice for all views.
import { byId, el, setText } from '../dom.js';
import { addCommands } from '../commands.js';
import { attachMenu, closeMenu } from '../menu.js';
import { hasCategories, stackingOf } from '../sight.js';
import { current, emit, on, store } from '../store.js';
import { showRules } from './rules-dialog.js';

/** @typedef {import('../sight.js').Stacking} Stacking */
const WAYS = /** @type {const} */ ({
  category: ['category', 'Parameters at the bottom, what is unknown on top'],
  stack: ['line of code', 'One band for each line, the oldest block at its bottom'],
  age: ['age', 'The oldest block at the bottom'],
});
const ORDER = /** @type {Stacking[]} */ (Object.keys(WAYS));

/** @param {string|null} by null: by category as soon as something has one */
export function setStacking(by) {
  const sight = current();
  if (!sight) return;
  sight.chosen = ORDER.find((each) => each === by) ?? null;
  const stacking = stackingOf(sight);
  if (sight.stacking === stacking) return;
  sight.stacking = stacking;
  emit('options');
}

/** @param {Stacking} way @returns {boolean} whether it would show anything */
const offered = (way) => way !== 'category' || Boolean(current() && hasCategories(/** @type {any} */ (current())));

function rows() {
  const wait = store.active?.diagnosis.done ? 'No allocation of this file has one' : 'They are being found';
  return ORDER.map((way) => el('button.item', {
    type: 'button', 'data-stacking': way, disabled: !offered(way), 'aria-current': current()?.stacking === way, onclick: () => {
      closeMenu();
      setStacking(way);
    },
  }, WAYS[way][0], el('span', null, offered(way) ? WAYS[way][1] : wait))).concat(el('hr'), el('button.item', { type: 'button', id: 'open-rules', onclick: () => { closeMenu(); showRules(); } }, 'Category rules…'));
}

export function initStacking() {
  attachMenu(byId('by-menu'), rows, 'Stack by');
  for (const topic of /** @type {const} */ (['active', 'options'])) {
    on(topic, () => {
      const sight = current();
      if (!sight) return;
      setText(byId('by-name'), WAYS[sight.stacking][0]);
      /** @type {HTMLButtonElement} */ (byId('by-menu')).disabled = sight.show !== 'allocations';
    });
  }
  addCommands([{ title: 'Stack by category, line of code or age', group: 'Timeline', keys: ['KeyB'], shown: ['B'], run: () => {
    const sight = current();
    if (!sight || store.view !== 'timeline') return false;
    const ways = ORDER.filter(offered);
    if (sight.show === 'allocations') setStacking(ways[(ways.indexOf(sight.stacking) + 1) % ways.length]);
    return true;
  } }]);
}
