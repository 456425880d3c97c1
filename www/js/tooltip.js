// Words that explain themselves: after 400 ms of hover, at once on focus, beside the word, gone with Esc.
import { byId, el } from './dom.js';
import { WORDS } from './terms.js';
import { withCode } from './views/words.js';

let timer = 0;
/** @type {HTMLElement|null} */
let shown = null;

/**
 * @param {import('./terms.js').Word} word
 * @param {string} [text] instead of the word's own title
 * @param {string|null} [why] a further sentence, of this file
 * @returns {HTMLElement}
 */
export function term(word, text = WORDS[word][0], why = null) {
  return el('span.term', { tabindex: '0', 'data-term': word, 'data-why': why, 'aria-describedby': 'tip' }, text);
}

/** @param {EventTarget|null} target */
const termOf = (target) => /** @type {HTMLElement|null} */ (target instanceof Element ? target.closest('[data-term]') : null);

export function initTooltips() {
  document.addEventListener('pointerover', (event) => {
    const node = termOf(event.target);
    if (node === shown) return;
    hide();
    if (node && event.pointerType !== 'touch') timer = window.setTimeout(() => show(node), 400);
  });
  document.addEventListener('focusin', (event) => {
    hide();
    const node = termOf(event.target);
    if (node) show(node);
  });
  document.addEventListener('focusout', hide);
  document.addEventListener('scroll', hide, true);
}

/** @returns {boolean} whether there was one to hide */
export function hide() {
  clearTimeout(timer);
  const was = shown !== null;
  byId('tip').hidden = true;
  shown = null;
  return was;
}

/** @param {HTMLElement} node */
function show(node) {
  const [title, text] = WORDS[/** @type {import('./terms.js').Word} */ (node.dataset.term)];
  const tip = byId('tip');
  const { why } = node.dataset;
  tip.replaceChildren(el('b', null, title), why ? el('p.why', null, why) : '', el('p', null, ...withCode(text)));
  tip.hidden = false;
  shown = node;
  const target = node.getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  const below = target.bottom + 6 + own.height < innerHeight - 8;
  tip.style.left = `${Math.max(8, Math.min(target.left, innerWidth - own.width - 8))}px`;
  tip.style.top = `${below ? target.bottom + 6 : Math.max(8, target.top - own.height - 6)}px`;
}
