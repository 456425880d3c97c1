// A call stack, innermost frame first: own frames strong, runs of torch and C++ folded to one row that opens.
import { addCommands } from '../commands.js';
import { appendAll, el, icon, shorten } from '../dom.js';
import { remember, remembered } from '../settings.js';
import { emit } from '../store.js';

/** @typedef {{name: string, file: string|null, line: number|null, fx?: {op: string|null, name: string|null, target: string|null, source: string|null}|null}} Frame */
/** @typedef {{kind: 'own'|'library'|'torch'|'cpp', folded: boolean, label: string|null, frames: Frame[]}} Group */

/** @param {Frame} frame */
const at = (frame) => (frame.file ? (frame.line ? `${frame.file}:${frame.line}` : frame.file) : '');

/**
 * Long paths may break after each slash.
 * @param {string} text
 */
function breakable(text) {
  return text.split(/(?<=[/\\])/).flatMap((part, index) => (index ? [el('wbr'), part] : [part]));
}

/**
 * @param {Frame} frame
 * @param {string} kind
 */
function row(frame, kind) {
  const where = at(frame);
  return el(`li${kind === 'own' ? '.user' : '.library'}`, null, el('span.fn', null, frame.name || '?'), where ? el('span.at', null, ...breakable(where)) : null, frame.fx ? graph(frame.fx) : null);
}

/** The node of a traced graph that the frame stands for. @param {NonNullable<Frame['fx']>} fx */
function graph({ op, name, target, source }) {
  const node = [op, name].filter(Boolean).join(' ');
  return el('span.fx', null, el('span', null, `Graph node ${node}${target ? `, ${target}` : ''}`), source ? el('code', null, shorten(source, 400)) : null);
}

/** Under a moving pointer nobody opens a run of frames: its rows are built when it has been there for so long. */
const BUILT_AFTER_MS = 150;

/** @param {Group} group a run of frames, as one row that opens */
function fold(group) {
  /** @type {HTMLElement[]} */
  let rows = [];
  const build = () => {
    if (rows.length) return;
    rows = group.frames.map((frame) => row(frame, group.kind));
    for (const node of rows) node.hidden = true;
    head.after(...rows);
  };
  const button = el('button', { type: 'button', 'aria-expanded': 'false', onclick: () => {
    const open = button.getAttribute('aria-expanded') === 'false';
    button.setAttribute('aria-expanded', String(open));
    build();
    for (const node of rows) node.hidden = !open;
  } }, icon('right'), group.label || `${group.frames.length} frames`);
  const head = el('li.fold', null, button);
  setTimeout(() => head.isConnected && build(), BUILT_AFTER_MS);
  return [head];
}

/**
 * @param {Group[]} groups
 * @returns {HTMLElement}
 */
export function stackList(groups) {
  return appendAll(el('ol.stack', { 'aria-label': 'Call stack, innermost frame first' }), groups.flatMap((group) => (group.folded && remembered('folding') !== 'open' ? fold(group) : group.frames.map((frame) => row(frame, group.kind)))));
}

/**
 * @param {Group[]} groups
 * @returns {string} every frame on a line, for the clipboard
 */
export function stackText(groups) {
  return groups.flatMap((group) => group.frames.map((frame) => `${frame.name}${at(frame) ? `  ${at(frame)}` : ''}`)).join('\n');
}

export function initStackLists() {
  addCommands([{ title: 'Fold or open the frames of torch and C++ in stacks', group: 'Page', keys: ['Shift+KeyF'], shown: ['Shift F'], run: () => {
    remember('folding', remembered('folding') === 'open' ? null : 'open');
    emit('selection');
  } }]);
}
