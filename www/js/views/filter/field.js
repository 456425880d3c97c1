// The filter in the app bar: conditions as chips, the one being typed in a field behind them, and what is wrong with it below.
//
// The chips and the field are one text, the expression: what the worker understood as a condition of its own becomes a chip as soon as
// something else is typed behind it.
import { movesBoxes } from '../../boxes.js';
import { addCommands } from '../../commands.js';
import { byId, el, icon, setText } from '../../dom.js';
import { setExpression } from '../../expression.js';
import { current, on, store } from '../../store.js';
import { showHelp } from '../../help.js';
import { focusPicture } from '../shell.js';
import { chip } from './chips.js';
import { closeList, initList, listKey, updateList } from './complete.js';
import { go, initMatches } from './matches.js';

const input = /** @type {HTMLInputElement} */ (el('input', {
  id: 'filter-input', type: 'text', role: 'combobox', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', 'aria-label': 'Filter allocations',
  'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': 'filter-list', 'aria-describedby': 'filter-fault',
}));
/** What shows where the fault is: the same text under the field, of which only the wavy line is seen. */
const mirror = el('span.mirror', { 'aria-hidden': 'true' });
const chips = el('span.filter-chips', { id: 'filter-terms', role: 'list', 'aria-label': 'Conditions' });
const fault = el('p.filter-fault', { id: 'filter-fault', role: 'status', 'aria-live': 'polite', hidden: true });
const EMPTY = 'Filter: a word finds frames, or category:  size >  stream:  alive:';

/** @type {string[]} the text of each chip */
let parts = [];
/** What the chips show, so that they are built anew only if they differ. */
let shownKey = '';

const letters = (/** @type {string} */ text) => [...text];
/** Before what is typed: the chips, and a blank. */
const before = () => (parts.length ? `${parts.join(' ')} ` : '');
const whole = () => before() + input.value;

/** Puts what is in the field in force. */
function send() {
  setExpression(whole());
  update();
}

/** @param {number} at @param {string} [text] instead of it; none: it is taken out */
function change(at, text) {
  parts = parts.flatMap((part, index) => (index !== at ? [part] : text?.trim() ? [text.trim()] : []));
  send();
}

/** Takes over what the worker understood: all but what is being typed are chips. */
function split() {
  const sight = current();
  if (!sight || sight.fault || !sight.parts.length || whole() !== sight.expression) return;
  const text = letters(sight.expression);
  // With nothing in the field all are chips.
  const typing = document.activeElement === input && input.value.trim() !== '';
  const last = sight.parts[sight.parts.length - 1];
  const from = typing ? Math.min(last.from, text.length) : text.length;
  // What was typed before the last condition and what was a chip of its own until `or` joined it.
  const next = sight.parts.filter((part) => part.to <= from).map((part) => text.slice(part.from, part.to).join(''));
  const rest = typing ? text.slice(from).join('') : '';
  if (next.join('\n') === parts.join('\n') && rest === input.value) return;
  const fromEnd = input.value.length - (input.selectionStart ?? input.value.length);
  parts = next;
  if (input.value === rest) return;
  input.value = rest;
  if (typing) input.setSelectionRange(Math.max(0, rest.length - fromEnd), Math.max(0, rest.length - fromEnd));
}

function update() {
  const sight = current();
  const text = sight?.expression ?? '';
  if (whole().trim() !== text.trim()) {
    // Somebody else set it: a click in a view, an address, another file.
    parts = [];
    input.value = text;
  }
  split();
  const wrong = sight?.fault && whole() === text ? sight.fault : null;
  showFault(wrong);
  showChips(wrong);
  input.placeholder = parts.length ? 'Add a condition' : EMPTY;
}

/** @param {import('../../expression.js').Fault|null} wrong */
function showFault(wrong) {
  fault.hidden = !wrong;
  setText(fault, wrong?.error ?? '');
  const start = letters(before()).length;
  const inField = wrong !== null && wrong.at >= start;
  input.setAttribute('aria-invalid', String(inField));
  if (!inField) {
    mirror.replaceChildren();
    return;
  }
  const text = letters(input.value);
  const at = Math.min(wrong.at - start, text.length);
  mirror.replaceChildren(text.slice(0, at).join(''), el('u', null, text.slice(at, at + wrong.length).join('') || '\u00a0\u00a0'));
  mirror.style.transform = `translateX(${-input.scrollLeft}px)`;
}

/** @param {import('../../expression.js').Fault|null} wrong */
function showChips(wrong) {
  let from = 0;
  const faults = parts.map((part) => {
    const [start, length] = [from, letters(part).length];
    from += length + 1;
    return wrong && wrong.at >= start && wrong.at < start + length + 1 && wrong.at < letters(before()).length ? { at: wrong.at - start, length: wrong.length } : null;
  });
  const key = JSON.stringify([parts, faults]);
  if (key === shownKey) return;
  shownKey = key;
  chips.replaceChildren(...parts.map((part, at) => chip(part, faults[at], { change: (text) => change(at, text), leave: () => input.focus(), move: (step) => moveFrom(at, step) })));
}

/** @param {number} at @param {number} step to the chip beside it, or to the field */
function moveFrom(at, step) {
  const buttons = /** @type {HTMLElement[]} */ ([...chips.querySelectorAll('.chip-text')]);
  (buttons[at + step] ?? (step > 0 ? input : buttons[at]))?.focus();
}

/** @param {KeyboardEvent} event */
function key(event) {
  if (event.isComposing) return;
  const atStart = input.selectionStart === 0 && input.selectionEnd === 0;
  const list = listKey(event, accept);
  if (list) {
    // the list took it
  } else if (event.key === 'Escape') {
    input.blur();
    focusPicture();
  } else if (event.key === 'Enter') go(event.shiftKey ? 'previous' : 'next');
  else if (event.key === 'Backspace' && atStart && parts.length) {
    parts = parts.slice(0, -1);
    send();
  } else if (event.key === 'ArrowLeft' && atStart && parts.length) moveFrom(parts.length, -1);
  else if (event.key === 'F1') showHelp('help-language');
  else if (event.code === 'KeyF' && (event.ctrlKey || event.metaKey)) input.select();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Takes a proposal for the last word of the field. @param {string} text @param {number} length of what it stands for */
function accept(text, length) {
  input.value = input.value.slice(0, input.value.length - length) + text;
  input.focus();
  send();
  updateList(input, false);
}

function open() {
  if (!store.active) return false;
  input.focus();
  input.select();
  return true;
}

export function initFilterField() {
  const bar = byId('filter');
  const clear = el('button.button.quiet.icon-only.small', { id: 'filter-clear', type: 'button', 'aria-label': 'Remove all conditions', title: 'Remove all conditions', onclick: () => { parts = []; input.value = ''; send(); input.focus(); } }, icon('close'));
  const help = el('button.button.quiet.icon-only.small', { id: 'filter-help', type: 'button', 'aria-label': 'The filter’s language', title: 'The filter’s language  F1', onclick: () => showHelp('help-language') }, icon('help'));
  bar.append(icon('find'), chips, el('span.rest', null, input, mirror), clear, help, el('kbd', { 'aria-hidden': 'true' }, '/'), el('div.filter-below', { id: 'filter-below' }, fault));
  initList(byId('filter-below'), input, accept);
  initMatches();
  movesBoxes(bar);
  input.addEventListener('keydown', key);
  input.addEventListener('input', () => {
    send();
    updateList(input, false);
  });
  input.addEventListener('scroll', () => (mirror.style.transform = `translateX(${-input.scrollLeft}px)`));
  input.addEventListener('blur', () => {
    closeList();
    update();
  });
  bar.addEventListener('pointerdown', (event) => {
    if (event.target !== bar && event.target !== chips) return;
    event.preventDefault();
    input.focus();
  });
  for (const topic of /** @type {const} */ (['active', 'matches'])) on(topic, () => {
    update();
    clear.hidden = !whole();
  });
  addCommands([{ title: 'Filter; then next, previous match: Enter, Shift Enter', group: 'Page', keys: ['/', 'Mod+KeyF'], shown: ['/', 'Ctrl F'], run: open }]);
}
