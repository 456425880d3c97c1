// Stacks: whose code holds the bytes. Tool bar, breadcrumb, legend and commands.
import { categoriesOf, categorySwatch } from '../../categories.js';
import { addAddressPart } from '../../address.js';
import { addCommands, pair } from '../../commands.js';
import { byId, copyText, announce, el, icon, setText } from '../../dom.js';
import { shortPath, swatch } from '../../format.js';
import { rested } from '../../frame.js';
import { attachMenu, closeMenu } from '../../menu.js';
import { hasCategories } from '../../sight.js';
import { current, on, store } from '../../store.js';
import { setStacking } from '../stacking.js';
import { change, initStacksDetails, letGoOfNode, sandwich, showLargest, textOf } from './details.js';
import { colouredBy, initPicture, panAcross, shownTree, zoomAcross, zoomTo } from './picture.js';
import { initHands, neighbour, selectedNode } from './select.js';
import { initTable } from './table.js';
import { keepChanges, marksMatches, readStacks, setStacks, stacksOf, unitOf, WEIGHS, writeStacks } from './wish.js';
import { exactWeight, weightText } from './words.js';

const FORMS = /** @type {const} */ (['top_down', 'bottom_up', 'sandwich']);

/** @param {typeof FORMS[number]} form a sandwich of what is selected */
function setForm(form) {
  const node = selectedNode();
  const middle = form === 'sandwich' && node && node.kind !== 'none' ? { middle: node.key } : {};
  setStacks({ form, ...middle, zoom: null, x0: 0, x1: 1, selected: null });
}

function updateToolbar() {
  const sight = current();
  if (!sight) return;
  const { weigh, form, folded, hidden } = stacksOf(sight);
  const layout = shownTree()?.layout;
  setText(byId('weigh-name'), WEIGHS[weigh][0]);
  for (const button of document.querySelectorAll('[data-form]')) button.setAttribute('aria-pressed', String(/** @type {HTMLElement} */ (button).dataset.form === form));
  setText(byId('stacks-by-name'), colouredBy(sight) === 'category' ? 'category' : 'line of code');
  setText(byId('fold-name'), folded ? 'folded' : 'shown');
  byId('fold-frames').setAttribute('aria-pressed', String(folded));
  const field = /** @type {HTMLInputElement} */ (byId('hide-pattern'));
  if (document.activeElement !== field) field.value = hidden;
  const fault = layout?.fault;
  field.setAttribute('aria-invalid', String(Boolean(fault)));
  field.title = fault ? `${fault.error} Nothing is hidden.` : 'Frames that match leave their bytes with their caller';
  if (!layout) return;
  byId('stacks-total').title = exactWeight(layout.total, unitOf(sight));
  setText(byId('stacks-total'), `All ${weightText(layout.total, unitOf(sight))}${marksMatches(sight) ? ` · ${weightText(layout.chosen, unitOf(sight))} match` : ''}`);
  crumbs(sight, layout);
  legend(sight);
}

const VERBS = { focus: 'Focus on', drop: 'Without', merge: 'Merged' };

/** Every step, and what is as wide as the picture. Each can be gone back to. @param {import('../../sight.js').Sight} sight @param {any} layout */
function crumbs(sight, layout) {
  const { changes, zoom, x0, x1, names, form, hidden } = stacksOf(sight);
  const crumb = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ act, now = false) => el('button.crumb', { type: 'button', title, 'aria-current': now ? 'step' : null, onclick: act }, text);
  const steps = changes.map((each, index) => {
    const name = names.get(each.path[each.path.length - 1]) ?? 'a frame';
    return el('span.step', null, crumb(`${VERBS[each.what]} ${name}`, `${each.function ? 'The function wherever it stands' : 'The frame and what is below it'}. Undoes what came after.`, () => keepChanges(index + 1), index === changes.length - 1),
      el('button.button.quiet.icon-only.small', { type: 'button', 'aria-label': `Undo: ${VERBS[each.what]} ${name}`, title: 'Undo this step and those after it', onclick: () => keepChanges(index) }, icon('close')));
  });
  const middle = form === 'sandwich' && layout.function ? el('span.muted', null, `around ${layout.function.name}${layout.function.line ? ` :${layout.function.line}` : ''}`) : null;
  const zoomed = zoom !== null || x0 > 0 || x1 < 1;
  const parts = [crumb('Everything', 'Undo all steps', () => keepChanges(0), !changes.length), ...steps, middle,
    zoomed ? el('span.step', null, el('span', null, 'zoomed in'), el('button.button.quiet.icon-only.small', { type: 'button', 'aria-label': 'Whole width', title: 'Whole width  0', onclick: () => zoomTo(null) }, icon('close'))) : null,
    hidden && !layout.fault ? el('span.muted', null, `frames like ${hidden} hidden`) : null, layout.fault ? el('span.is-error', { id: 'hide-fault' }, icon('error'), ` ${layout.fault.error}`) : null,
    layout.cut_stacks ? el('span.muted', null, `${layout.cut_stacks} stacks are deeper than is shown`) : null];
  const box = byId('stacks-crumbs');
  const focus = box.contains(document.activeElement);
  box.replaceChildren(...parts.filter((part) => part !== null));
  if (focus) /** @type {HTMLElement|null} */ (box.querySelector('.crumb'))?.focus();
}

/** @param {import('../../sight.js').Sight} sight */
function legend(sight) {
  const matching = marksMatches(sight) ? el('span.tag', null, el('span.swatch.line.matching', { 'aria-hidden': 'true' }), 'Chosen by the filter') : null;
  const several = el('span.tag', null, el('span.swatch.several', { 'aria-hidden': 'true' }), colouredBy(sight) === 'category' ? 'Several categories' : 'Several lines');
  const entries = colouredBy(sight) === 'category'
    ? categoriesOf(sight).map(({ category, name }) => el('span.tag', null, categorySwatch(category), name))
    : sight.overview.legend.filter((/** @type {any} */ entry) => entry.slot < 7).map((/** @type {any} */ entry) => el('span.tag', { title: `${entry.name} ${entry.at ?? ''}` }, swatch(entry.slot), `${entry.name} ${shortPath(entry.at || '')}`));
  byId('stacks-legend').replaceChildren(...(matching ? [matching] : []), ...entries, several, el('span.tag', null, el('span.swatch.hatch', { 'aria-hidden': 'true' }), 'Too narrow'), el('span.muted.hide-narrow', null, stacksOf(sight).folded ? 'Folded frames leave their bytes with their caller' : ''));
}

/** @param {() => unknown} act only on the stacks */
const here = (act) => () => {
  if (!store.active || store.view !== 'stacks') return false;
  return act() !== false;
};

/** @param {(node: any) => unknown} act with what is selected */
const withNode = (act) => here(() => {
  const node = selectedNode();
  return node ? act(node) : false;
});

function zoomIntoSelected() {
  const node = selectedNode();
  if (!node) return void neighbour('down');
  const sight = current();
  const same = sight && stacksOf(sight).zoom === node.id;
  zoomTo(node.level === 0 || same ? null : node.id);
}

/** One step out: the selection, then the zoom, then the last change. */
function out() {
  const sight = current();
  if (!sight) return false;
  if (letGoOfNode()) return true;
  const { zoom, x0, x1, changes } = stacksOf(sight);
  if (zoom !== null || x0 > 0 || x1 < 1) zoomTo(null);
  else if (changes.length) keepChanges(changes.length - 1);
  else return false;
  return true;
}

function nextColour() {
  const sight = current();
  if (sight && hasCategories(sight)) setStacking(colouredBy(sight) === 'category' ? 'stack' : 'category');
}

function colourRows() {
  const sight = current();
  if (!sight) return [];
  const known = hasCategories(sight);
  return /** @type {const} */ (['category', 'stack']).map((way) => el('button.item', { type: 'button', 'data-colour': way, disabled: way === 'category' && !known, 'aria-current': colouredBy(sight) === way || null, onclick: () => { closeMenu(); setStacking(way); } },
    way === 'category' ? 'category' : 'line of code', el('span', null, way === 'stack' ? 'The seven lines with the most bytes at the peak' : known ? 'What each frame’s bytes are for' : 'No allocation of this file has one')));
}

/** @template T @param {readonly T[]} list @param {T} now @returns {T} */
const after = (list, now) => list[(list.indexOf(now) + 1) % list.length];

export function initStacks() {
  addAddressPart({ write: (parts, sight) => writeStacks(sight, parts), read: readStacks });
  attachMenu(byId('weigh-menu'), () => Object.entries(WEIGHS).map(([weigh, [title, what]]) => el('button.item', { type: 'button', 'aria-current': stacksOf(/** @type {any} */ (current())).weigh === weigh, onclick: () => { closeMenu(); setStacks({ weigh: /** @type {any} */ (weigh) }); } }, title, el('span', null, what))), 'Bytes');
  for (const button of document.querySelectorAll('[data-form]')) button.addEventListener('click', () => setForm(/** @type {any} */ (button).dataset.form));
  const fold = () => { const sight = current(); if (sight) setStacks({ folded: !stacksOf(sight).folded, selected: null, zoom: null }); };
  byId('fold-frames').addEventListener('click', fold);
  attachMenu(byId('stacks-by'), colourRows, 'Colour by');
  const field = /** @type {HTMLInputElement} */ (byId('hide-pattern'));
  field.addEventListener('input', rested(150, () => setStacks({ hidden: field.value.slice(0, 1000) })));
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' && event.key !== 'Enter') return;
    if (event.key === 'Escape') { field.value = ''; setStacks({ hidden: '' }); }
    byId('stacks-canvas').focus();
    event.preventDefault();
    event.stopPropagation();
  });
  byId('icicle').addEventListener('wheel', (event) => {
    if (event.ctrlKey || event.metaKey) {
      const box = byId('icicle-frame').getBoundingClientRect();
      zoomAcross(Math.exp(Math.max(-240, Math.min(240, event.deltaY)) * 0.004), (event.clientX - box.left) / Math.max(1, box.width));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) panAcross((event.deltaX || event.deltaY) / Math.max(1, byId('icicle-frame').clientWidth));
    else return;
    event.preventDefault();
  }, { passive: false });
  initPicture();
  initHands();
  initTable();
  initStacksDetails();
  for (const topic of /** @type {const} */ (['active', 'options', 'view', 'tree', 'labels', 'hover'])) on(topic, updateToolbar);
  const group = 'Stacks';
  const beside = (/** @type {'left'|'right'|'up'|'down'} */ towards) => here(() => void neighbour(towards));
  const rows = /** @type {[string, string[], string[], () => boolean|void][]} */ ([
    ['Zoom into the frame, and out again', ['Enter', 'F'], ['Enter', 'NumpadEnter', 'KeyF'], here(zoomIntoSelected)],
    ['Whole width', ['0'], ['Digit0', 'Numpad0'], here(() => zoomTo(null))],
    ['Which bytes are added up', ['Y'], ['KeyY'], here(() => setStacks({ weigh: after(/** @type {any} */ (Object.keys(WEIGHS)), stacksOf(/** @type {any} */ (current())).weigh) }))],
    ['Top down, bottom up, sandwich', ['I'], ['KeyI'], here(() => setForm(after(FORMS, stacksOf(/** @type {any} */ (current())).form)))],
    ['Colour by category or line of code', ['B'], ['KeyB'], here(nextColour)],
    ['Fold or show framework frames', ['X'], ['KeyX'], here(fold)],
    ['Hide frames by a pattern', ['H'], ['KeyH'], here(() => field.focus())],
    ['Focus on the frame', ['Shift F'], ['Shift+KeyF'], withNode((node) => change(node, 'focus'))],
    ['Drop the frame', ['Delete'], ['Delete'], withNode((node) => change(node, 'drop'))],
    ['Merge the function into its caller', ['M'], ['KeyM'], withNode((node) => change(node, 'merge'))],
    ['Callers and callees of the function', ['J'], ['KeyJ'], withNode(sandwich)],
    ['Undo the last step', ['Backspace'], ['Backspace'], here(() => { const sight = current(); if (sight) keepChanges(Math.max(0, stacksOf(sight).changes.length - 1)); })],
    ['Show the largest allocation in the timeline', ['G'], ['KeyG'], withNode(showLargest)],
    ['Copy frames and bytes', ['C'], ['KeyC'], withNode((node) => void copyText(textOf(node)).then((done) => announce(done ? 'Copied' : 'Not allowed')))],
    ['One step out', ['Esc'], ['Escape'], here(out)],
  ]);
  addCommands([
    ...pair(group, 'Frame beside, above, below', [['Frame to the left', ['ArrowLeft'], '←', beside('left')], ['Frame above', ['ArrowUp'], '↑', beside('up')], ['Frame to the right', ['ArrowRight'], '→', beside('right')], ['Frame below', ['ArrowDown'], '↓', beside('down')]]),
    ...rows.map(([title, shown, keys, run]) => ({ title, group, keys, shown, run })),
    ...pair(group, 'Zoom across', [['Zoom in across', ['Equal', 'Shift+Equal', 'NumpadAdd', 'KeyW'], '+', here(() => zoomAcross(1 / 1.5))], ['Zoom out across', ['Minus', 'NumpadSubtract', 'KeyS'], '−', here(() => zoomAcross(1.5))]]),
    ...pair(group, 'Pan when zoomed', [['Pan left when zoomed in', ['KeyA'], 'A', here(() => panAcross(-0.2))], ['Pan right when zoomed in', ['KeyD'], 'D', here(() => panAcross(0.2))]]),
  ]);
}
