// Details of the selected frame, or of the one under the pointer: exact bytes, categories, operators, and what can be done with it.
import { byId, copyAndSay, el, icon, setText } from '../../dom.js';
import { exactBytes, formatBytes, formatCount, formatShare, plural } from '../../format.js';
import { addTerm, setOnly } from '../../expression.js';
import { current, on, store } from '../../store.js';
import { momentOf } from '../../sight.js';
import { showAllocation } from '../pin.js';
import { runText, shownTree } from './picture.js';
import { hoveredPlace, select, selectedNode } from './select.js';
import { sourceSection } from './source.js';
import { addChange, marksMatches, setStacks, stacksOf, treeOf, unitOf, WEIGHS } from './wish.js';
import { categoryTag, exactWeight, matchingText, placeOf, weightSpan, weightText } from './words.js';

/** @type {'frame'|'source'} */
let tab = 'frame';
/** @type {{key: string, lines: any[]}} */
let lines = { key: '', lines: [] };
let built = '';

/** @param {string} text */
const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/"/g, '.');

/** @param {any} node @returns {string} a term that chooses what was allocated through the frame */
export const termOf = (node) => (node.kind === 'none' ? (node.name === 'no stack' ? '' : `stack:"${escaped(node.name)}"`) : `stack:"${escaped(node.name.replace(/…$/, ''))}.*${escaped(placeOf(node))}"`);

/** @param {any} node @param {'focus'|'drop'|'merge'} what @param {boolean} [everywhere] */
export function change(node, what, everywhere = false) {
  const sight = current();
  if (!sight) return;
  const { form } = stacksOf(sight);
  const whole = everywhere || what === 'merge' || form === 'sandwich';
  addChange({ what, path: whole ? [node.key] : node.keys, function: whole, inverted: form === 'bottom_up' });
}

/** @param {any} node puts its function in the middle of a sandwich */
export function sandwich(node) {
  setStacks({ form: 'sandwich', middle: node.key, zoom: null, x0: 0, x1: 1, selected: null });
}

/** @param {any} node the largest allocation below it */
export function showLargest(node) {
  const sight = current();
  if (!sight || node.largest === null) return;
  const { weigh } = stacksOf(sight);
  void showAllocation('timeline', node.largest, weigh === 'peak' ? sight.overview.peak.moment : momentOf(sight));
}

/** @param {any} node @returns {string} its frames and bytes as text */
export function textOf(node) {
  const sight = current();
  const weight = sight ? exactWeight(node.total, unitOf(sight)) : '';
  return [`${weight} in ${plural(node.blocks, 'block')}`, ...node.above.map((/** @type {any} */ frame) => `${frame.name}${frame.file ? `  ${frame.file}${frame.line ? `:${frame.line}` : ''}` : ''}`)].join('\n');
}

/** @param {import('../../sight.js').Sight} sight @param {any} node */
function facts(sight, node) {
  const unit = unitOf(sight);
  const sizes = node.blocks === 0 ? 'none' : node.least_bytes === node.most_bytes ? `${formatCount(node.blocks)}${node.blocks > 1 ? ', each' : ','} ${formatBytes(node.least_bytes)}` : `${formatCount(node.blocks)}, ${formatBytes(node.least_bytes)} to ${formatBytes(node.most_bytes)}`;
  const rows = [
    ['Function', el('span.code', null, node.level === 0 && node.kind === 'none' ? 'everything' : node.name)],
    ['File', node.path ? el('span.code', null, ...`${node.path}${node.line ? `:${node.line}` : ''}`.split(/(?<=[/\\])/).flatMap((part, index) => (index ? [el('wbr'), part] : [part]))) : null],
    ['Blocks', el('span', { title: node.blocks ? `${exactBytes(node.least_bytes)} to ${exactBytes(node.most_bytes)}` : null }, sizes)],
    ['Matching', marksMatches(sight) ? el('span', { title: exactWeight(node.chosen, unit) }, matchingText(node, unit)) : null],
    ['Self', node.own > 0 ? weightSpan(node.own, unit) : 'nothing'],
    ['Stacks', formatCount(node.stacks)],
  ];
  return el('dl.facts', null, ...rows.filter(([, value]) => value).flatMap(([name, value]) => [el('dt', null, name), el('dd', null, value)]));
}

/** @param {string} title @param {string} head @param {{label: Node|string, weight: number, blocks?: number}[]} rows @param {'bytes'|'us'|'events'} unit @param {number} whole */
function table(title, head, rows, unit, whole) {
  const blocks = rows.some((row) => row.blocks !== undefined);
  return el('section', null, el('h3', null, title), el('table', null, el('thead', null, el('tr', null, el('th.num', null, 'Bytes'), el('th.num', null, blocks ? 'Blocks' : 'Share'), el('th', null, head))),
    el('tbody', null, ...rows.map((row) => el('tr', null, el('td.num', null, weightSpan(row.weight, unit)), el('td.num', null, row.blocks !== undefined ? formatCount(row.blocks) : formatShare(row.weight / Math.max(1, whole))), el('td.grow', null, el('span.truncate', null, row.label)))))));
}

/** @param {import('../../sight.js').Sight} sight @param {any} node */
function frame(sight, node) {
  const unit = unitOf(sight);
  const { weigh, form } = stacksOf(sight);
  const button = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => unknown} */ act, off = false) => el('button.button.small', { type: 'button', title, disabled: off, onclick: () => void act() }, text);
  const root = node.level === 0;
  const none = node.kind === 'none';
  const copy = el('span', null, 'Copy');
  const made = node.made_by.map((/** @type {any} */ each) => ({ label: el('span.code', { title: each.name }, each.name), weight: each.weight, blocks: each.blocks }));
  return [
    el('section', null, el('h2.eyebrow', null, el('span', null, root && form !== 'sandwich' ? 'Everything' : node.level < 0 ? 'Caller' : 'Frame'), el('span.of', null, 'selected')),
      el('p.figure', unit === 'bytes' ? { 'data-bytes': node.total, title: exactBytes(node.total) } : { title: exactWeight(node.total, unit) }, weightText(node.total, unit)),
      el('p.muted.exact', null, `${exactWeight(node.total, unit)}, ${formatShare(node.total / Math.max(1, node.whole))} of what is ${WEIGHS[weigh][0].replace('bytes ×', 'bytes times')}`),
      facts(sight, node),
      el('div.row-actions', null,
        button('Focus', form === 'sandwich' ? 'Only stacks through this function  Shift F' : 'Only this frame and what is below it  Shift F', () => change(node, 'focus'), root || (none && form === 'sandwich')),
        button('Drop', 'All but this  Delete', () => change(node, 'drop'), root),
        button('Merge into caller', 'Its bytes go to its caller, wherever it stands  M', () => change(node, 'merge'), root),
        button('Drop function', 'All stacks through this function are left out', () => change(node, 'drop', true), root),
        button('Callers and callees', 'This function as a sandwich  J', () => sandwich(node), root || none)),
      el('div.row-actions', null,
        button('Only these', 'Filter every view to what was allocated through this frame', () => { addTerm(termOf(node)); void setOnly(true); }, root || !termOf(node)),
        button('Show in timeline', 'Pins the largest allocation below it  G', () => showLargest(node), node.largest === null),
        el('button.button.small', { type: 'button', title: 'Frames and bytes as text  C', onclick: () => void copyAndSay(copy, textOf(node)) }, icon('copy'), copy))),
    table('Categories', 'Category', [...node.parts].sort((a, b) => b.weight - a.weight).map((part) => ({ label: categoryTag(part.slot), weight: part.weight })), unit, node.total),
    made.length ? table('Made by', 'Operator', [...made, ...(node.made_by_rest > 0 ? [{ label: 'others', weight: node.made_by_rest }] : [])], unit, node.total) : null,
  ];
}

/** @param {import('../../sight.js').Sight} sight @param {any} place what is under the pointer */
function hint(sight, place) {
  const unit = unitOf(sight);
  if (place.run) return el('section', null, el('h2.eyebrow', null, el('span', null, 'Narrow frames'), el('span.of', null, 'under the pointer')), el('p.soft.small', null, runText(place, sight)));
  return el('section', null, el('h2.eyebrow', null, el('span', null, 'Frame'), el('span.of', null, 'under the pointer')), el('p.figure', { title: exactWeight(place.total, unit) }, weightText(place.total, unit)),
    el('p.muted.exact', null, `${exactWeight(place.total, unit)}, ${formatShare(place.total / Math.max(1, shownTree()?.layout.total ?? 1))}`),
    el('dl.facts', null, el('dt', null, 'Function'), el('dd.code', null, place.level === 0 && place.kind === 'none' ? 'everything' : place.name), ...(placeOf(place) ? [el('dt', null, 'File'), el('dd.code', null, placeOf(place))] : []), el('dt', null, 'Blocks'), el('dd', null, formatCount(place.blocks)), ...(marksMatches(sight) ? [el('dt', null, 'Matching'), el('dd', { title: exactWeight(place.chosen, unit) }, matchingText(place, unit))] : []), el('dt', null, 'Category'), el('dd', null, categoryTag(place.slots[0]))));
}

/** Lines of the file, asked for once for each tree. @param {import('../../sight.js').Sight} sight @param {any} node */
function source(sight, node) {
  const key = `${store.active?.id} ${JSON.stringify(treeOf(sight))} ${node.key}`;
  if (lines.key !== key) {
    lines = { key, lines: [] };
    void sight.client.ask({ ask: 'tree_lines', ...treeOf(sight), key: node.key }).then((found) => {
      if (lines.key !== key) return;
      lines.lines = found || [];
      update(true);
    });
  }
  return sourceSection(sight, node, lines.lines, () => update(true));
}

function update(anew = false) {
  const sight = current();
  if (!sight || store.view !== 'stacks') return;
  const node = selectedNode();
  const place = node ? null : hoveredPlace();
  const key = `${store.active?.id} ${tab} ${JSON.stringify(node ?? place)} ${JSON.stringify(treeOf(sight))}`;
  if (key === built && !anew) return;
  built = key;
  const box = byId('stacks-details');
  const had = box.contains(document.activeElement) ? document.activeElement?.textContent : null;
  const tabs = el('span.segmented', { role: 'group', 'aria-label': 'Details of' }, ...(/** @type {const} */ (['frame', 'source'])).map((each) => el('button', { type: 'button', 'aria-pressed': String(tab === each), onclick: () => { tab = each; update(); } }, each === 'frame' ? 'Frame' : 'Source')));
  const parts = node ? [node.path ? tabs : null, ...(tab === 'source' && node.path ? [source(sight, node)] : frame(sight, node))] : place ? [hint(sight, place)] : [el('p.soft', null, 'Point at a frame, or press arrow keys. Click selects, double click zooms.')];
  box.replaceChildren(...parts.filter((part) => part !== null));
  if (had) /** @type {HTMLElement|undefined} */ ([...box.querySelectorAll('button')].find((button) => button.textContent === had))?.focus();
  setText(byId('announcer'), node ? `${node.name} ${placeOf(node)}, ${weightText(node.total, unitOf(sight))}` : '');
}

/** Lets go of what is selected. @returns {boolean} whether something was */
export function letGoOfNode() {
  const sight = current();
  if (!sight || stacksOf(sight).selected === null) return false;
  void select(null);
  return true;
}

export function initStacksDetails() {
  for (const topic of /** @type {const} */ (['hover', 'tree', 'active', 'view', 'options'])) on(topic, () => update());
}
