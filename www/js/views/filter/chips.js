// One condition of the filter as a chip: a click edits it in its place, a cross or Delete takes it off.
import { el, icon } from '../../dom.js';

/**
 * @param {string} text of the condition
 * @param {{at: number, length: number}|null} fault in it
 * @param {{change: (text?: string) => void, leave: () => void, move: (step: number) => void}} acts
 * @returns {HTMLElement}
 */
export function chip(text, fault, acts) {
  const node = el(fault ? 'span.filter-chip.bad' : 'span.filter-chip', { role: 'listitem' });
  const remove = () => {
    acts.change();
    acts.leave();
  };
  const edit = () => editIn(node, text, acts);
  const button = el('button.chip-text', {
    type: 'button', title: 'Edit  Enter', onclick: edit,
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === 'Delete' || event.key === 'Backspace') remove();
      else if (step) acts.move(step);
      else if (event.key === 'Escape') acts.leave();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  }, ...words(text, fault));
  node.append(...(fault ? [icon('error')] : []), button, el('button.chip-remove', { type: 'button', tabindex: -1, 'aria-label': `Remove ${text}`, title: 'Remove', onclick: remove }, icon('close')));
  return node;
}

/** The key and `not` are quieter than the value. @param {string} text @param {{at: number, length: number}|null} fault @returns {Node[]} */
function words(text, fault) {
  if (fault) {
    const letters = [...text];
    return [document.createTextNode(letters.slice(0, fault.at).join('')), el('u', null, letters.slice(fault.at, fault.at + fault.length).join('') || '\u00a0'), document.createTextNode(letters.slice(fault.at + fault.length).join(''))];
  }
  const [, dash, key, rest] = /^((?:not\s+|-)?)((?:[a-z_]+\s*(?::(?!:)|(?=[<>=])))?)([^]*)$/i.exec(text) || ['', '', '', text];
  return [dash ? el('span.key', null, 'not ') : null, key ? el('span.key', null, key.trim(), ' ') : null, document.createTextNode(rest.trim())].filter((each) => each !== null);
}

/**
 * @param {HTMLElement} node
 * @param {string} text
 * @param {{change: (text?: string) => void, leave: () => void}} acts
 */
function editIn(node, text, acts) {
  let done = false;
  const finish = (/** @type {string} */ value, /** @type {boolean} */ leaves) => {
    if (done) return;
    done = true;
    if (value === text) node.replaceWith(chip(text, null, { ...acts, move: () => acts.leave() }));
    acts.change(value);
    if (leaves) acts.leave();
  };
  const field = /** @type {HTMLInputElement} */ (el('input.chip-edit', {
    type: 'text', 'aria-label': `Edit ${text}`, spellcheck: 'false', autocomplete: 'off', size: Math.max(4, [...text].length),
    onblur: () => finish(field.value, false),
    oninput: () => { field.size = Math.max(4, [...field.value].length); },
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.isComposing) return;
      if (event.key === 'Enter') finish(field.value, true);
      else if (event.key === 'Escape') finish(text, true);
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  }));
  field.value = text;
  node.replaceChildren(field);
  field.focus();
  field.select();
}
