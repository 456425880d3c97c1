// The allocator's state: its tool bar, its legend and its commands.
import { byId, el, setText } from '../../dom.js';
import { addCommands, pair } from '../../commands.js';
import { attachMenu, closeMenu } from '../../menu.js';
import { current, on, store } from '../../store.js';
import { term } from '../../tooltip.js';
import { initBlockGestures } from './block-gestures.js';
import { initBlocks, scrollBlocks, setBlocks, zoomBlocks } from './blocks.js';
import { chosenBlock, initChoose, neighbour, reveal, unchoose } from './choose.js';
import { showIn } from '../pin.js';
import { goTo, initScrub, step, stop, togglePlay } from './scrub.js';
import { initStateDetails } from './state-details.js';

const GROUPS = { pool_stream: ['pool, stream', 'Pieces of one pool and stream cannot serve another'], none: ['nothing', 'All segments together'] };
const SORTS = { size: ['size', 'Largest segment first'], free: ['free bytes', 'Most free bytes first'], age: ['age', 'Oldest segment first'], address: ['address', 'By place in memory'] };

/**
 * @param {'group'|'sort'} name
 * @param {Record<string, string[]>} choices
 */
function menu(name, choices) {
  attachMenu(byId(`${name}-menu`), () => Object.entries(choices).map(([value, [title, what]]) => el('button.item', {
    type: 'button', 'aria-current': current()?.blocks[name] === value, onclick: () => {
      closeMenu();
      setBlocks({ [name]: value });
    },
  }, title, el('span', null, what))), name === 'group' ? 'Group segments by' : 'Sort segments by');
}

function updateToolbar() {
  const sight = current();
  if (!sight) return;
  const { group, sort, zoom } = sight.blocks;
  setText(byId('group-name'), GROUPS[group][0]);
  setText(byId('sort-name'), SORTS[sort][0]);
  byId('unzoom').hidden = zoom <= 1;
}

function legend() {
  const entry = (/** @type {string} */ shape, /** @type {'live'|'free'|'pending'|'rounding'|'pinned'} */ word) => el('span.tag', null, el(`span.swatch.${shape}`, { 'aria-hidden': 'true' }), term(word));
  byId('state-legend').replaceChildren(entry('live', 'live'), entry('hatch', 'free'), entry('cross', 'pending'), entry('cap', 'rounding'), entry('framed', 'pinned'));
}

/** @param {() => unknown} act only on the allocator's state */
const here = (act) => () => {
  if (!store.active || store.view !== 'state') return false;
  return act() !== false;
};

/** @param {() => unknown} act a step by hand: the player stands */
const byHand = (act) => here(() => {
  stop();
  return act();
});

/** The pinned allocation in the other view. */
function other() {
  const sight = current();
  if (!sight || !store.active || (store.view !== 'state' && store.view !== 'timeline')) return false;
  const { selection } = sight;
  if (selection?.kind !== 'allocation') return false;
  void showIn(store.view === 'state' ? 'timeline' : 'state', selection.details);
  return true;
}

/** Enter: the chosen allocation in the timeline, or the first block. */
function enter() {
  if (other()) return;
  if (!chosenBlock()) void neighbour('right');
}

/** @param {number} towards in pages, as browsers scroll */
const page = (towards) => here(() => {
  const box = byId('blocks');
  scrollBlocks(box.scrollTop + towards * Math.max(60, box.clientHeight - 60));
});

/** Zooms at what is chosen, or at the left, where every row begins. @param {number} factor */
function zoom(factor) {
  const sight = current();
  const found = chosenBlock()?.found;
  if (!sight || !found) {
    zoomBlocks(factor, 0);
    return;
  }
  zoomBlocks(factor, 0);
  const { allocation, segment } = found;
  void reveal(allocation ? { allocation: allocation.id } : { segment: segment.address });
}

/** @param {number} by of the shown part, when zoomed */
const across = (by) => here(() => {
  const { zoom, left } = current()?.blocks || { zoom: 1, left: 0 };
  if (zoom > 1) setBlocks({ left: left + by / zoom });
});

export function initState() {
  legend();
  menu('group', GROUPS);
  menu('sort', SORTS);
  byId('unzoom').addEventListener('click', () => setBlocks({ zoom: 1, left: 0 }));
  initBlocks();
  initChoose();
  initBlockGestures();
  initStateDetails();
  initScrub();
  for (const topic of /** @type {const} */ (['active', 'options', 'view'])) on(topic, updateToolbar);
  const group = 'Allocator state';
  const steps = (/** @type {'event'|'mark'|'segment'|'oom'} */ kind, /** @type {string} */ what, /** @type {[string, string]} */ codes, /** @type {[string, string]} */ shown) => pair(group, `Previous, next ${what}`, [
    [`Previous ${what}`, [codes[0]], shown[0], byHand(() => void step(kind, 'previous'))], [`Next ${what}`, [codes[1]], shown[1], byHand(() => void step(kind, 'next'))]]);
  addCommands([
    ...steps('event', 'event', ['Comma', 'Period'], [',', '.']),
    ...steps('segment', 'segment event', ['Shift+Comma', 'Shift+Period'], ['Shift ,', 'Shift .']),
    ...steps('mark', 'peak or OOM', ['BracketLeft', 'BracketRight'], ['[', ']']),
    ...steps('oom', 'OOM', ['Shift+KeyO', 'KeyO'], ['Shift O', 'O']),
    { title: 'To the peak', group, keys: ['KeyP'], shown: ['P'], run: byHand(() => goTo(current()?.overview.peak.moment ?? 0)) },
    { title: 'Play, pause', group, keys: ['Space'], shown: ['Space'], run: here(togglePlay) },
    ...pair(group, 'Previous, next block in the row', [['Previous block in the row', ['ArrowLeft'], '←', here(() => void neighbour('left'))], ['Next block in the row', ['ArrowRight'], '→', here(() => void neighbour('right'))]]),
    ...pair(group, 'Block in the row above, below', [['Block in the row above', ['ArrowUp'], '↑', here(() => void neighbour('up'))], ['Block in the row below', ['ArrowDown'], '↓', here(() => void neighbour('down'))]]),
    ...pair(group, 'Scroll', [['Scroll up', ['PageUp'], 'PgUp', page(-1)], ['Scroll down', ['PageDown'], 'PgDn', page(1)]]),
    ...pair(group, 'Zoom inside rows', [['Zoom in inside rows', ['Equal', 'Shift+Equal', 'NumpadAdd', 'KeyW'], '+', here(() => zoom(1.5))], ['Zoom out inside rows', ['Minus', 'NumpadSubtract', 'KeyS'], '−', here(() => zoom(1 / 1.5))]]),
    ...pair(group, 'Pan when zoomed', [['Pan left when zoomed', ['KeyA'], 'A', across(-0.2)], ['Pan right when zoomed', ['KeyD'], 'D', across(0.2)]]),
    { title: 'Whole width', group, keys: ['Digit0', 'Numpad0'], shown: ['0'], run: here(() => setBlocks({ zoom: 1, left: 0 })) },
    ...pair(group, 'To the start, to the end', [['To the start', ['Home'], 'Home', byHand(() => goTo(0))], ['To the end', ['End'], 'End', byHand(() => goTo((current()?.moments ?? 1) - 1))]]),
    { title: 'Show the pinned block in the timeline', group, keys: ['Enter', 'NumpadEnter'], shown: ['Enter', 'G'], run: here(enter) },
    { title: 'Let go', group, keys: ['Escape'], shown: ['Esc'], run: here(unchoose) },
    { title: 'Show the pinned block in the allocator’s state', group: 'Timeline', keys: ['KeyG'], shown: ['G'], run: other },
  ]);
}
