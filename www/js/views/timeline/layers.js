// What the picture of the timeline is made of: allocations, segments, or private pools.
import { byId, el, setText } from '../../dom.js';
import { addCommands } from '../../commands.js';
import { attachMenu, closeMenu } from '../../menu.js';
import { current, emit, on, store } from '../../store.js';

const LAYERS = /** @type {const} */ ({
  allocations: ['allocations', 'What the program asked for'],
  segments: ['segments over time', 'What the driver gave, by pool'],
  pools: ['pools', 'What each pool holds and uses'],
});
const ORDER = /** @type {(keyof typeof LAYERS)[]} */ (Object.keys(LAYERS));

/** @param {string|null} show another layer; unknown names are ignored */
export function setShow(show) {
  const sight = current();
  const wish = ORDER.find((each) => each === show);
  if (!sight || !wish || sight.show === wish) return;
  sight.show = wish;
  emit('options');
}

export function initLayers() {
  attachMenu(byId('show-menu'), () => ORDER.map((each) => el('button.item', { type: 'button', 'aria-current': current()?.show === each, onclick: () => {
    closeMenu();
    setShow(each);
  } }, LAYERS[each][0], el('span', null, LAYERS[each][1]))), 'What the picture is made of');
  for (const topic of /** @type {const} */ (['active', 'options'])) {
    on(topic, () => {
      const sight = current();
      if (sight) setText(byId('show-name'), LAYERS[sight.show][0]);
    });
  }
  addCommands([{ title: 'Show allocations, segments, pools', group: 'Timeline', keys: ['KeyV'], shown: ['V'], run: () => {
    const sight = current();
    if (!sight || !store.active || store.view !== 'timeline') return false;
    setShow(ORDER[(ORDER.indexOf(sight.show) + 1) % ORDER.length]);
    return true;
  } }]);
}
