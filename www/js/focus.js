// The focus is never lost: when what has it goes away or is built anew, what stands in its place gets it.
import { framed } from './frame.js';

/** What can have the focus. */
const STOPS = 'button, a[href], input, select, textarea, summary, [tabindex]';
/** So far up something alike is looked for. */
const LEVELS = 6;

/** @typedef {{node: HTMLElement, words: string, levels: {up: Element, index: number}[]}} Place index: among those alike below it */
/** @type {Place|null} what had the focus last, unless it was let go of by will */
let last = null;

/** @param {HTMLElement} node */
const words = (node) => node.getAttribute('aria-label') || node.textContent || '';

/** @param {Element} node */
const isThere = (node) => node.isConnected && node.checkVisibility({ visibilityProperty: true });

/** @param {Element} up @param {HTMLElement} node @returns {HTMLElement[]} those of its kind */
const alike = (up, node) => /** @type {HTMLElement[]} */ ([...up.getElementsByTagName(node.tagName)].filter((each) => each.matches(STOPS) && each.classList[0] === node.classList[0]));

/** @param {HTMLElement} node @returns {Place} */
function placeOf(node) {
  const levels = [];
  for (let up = node.parentElement; up && !up.matches('main, body') && levels.length < LEVELS; up = up.parentElement) levels.push({ up, index: alike(up, node).indexOf(node) });
  return { node, words: words(node), levels };
}

/** @param {Place} place @returns {HTMLElement|null} what stands there now */
function successor({ node, words: before, levels }) {
  const same = node.id ? document.getElementById(node.id) : null;
  if (same && isThere(same)) return same;
  for (const { up, index } of levels) {
    if (!isThere(up)) continue;
    if (up.matches('[tabindex="0"]')) return /** @type {HTMLElement} */ (up);
    const found = alike(up, node).filter((each) => isThere(each) && !each.matches(':disabled'));
    if (found.length) return found.find((each) => words(each) === before) ?? found[Math.max(0, Math.min(index, found.length - 1))];
  }
  return null;
}

/** @param {() => void} otherwise where it goes when nothing stands there */
export function initFocus(otherwise) {
  let hides = false;
  const check = framed(() => {
    const { activeElement: now } = document;
    // To ask whether it can be seen costs a layout: only when something was hidden.
    const kept = now && now !== document.body && (!hides || isThere(now));
    hides = false;
    if (!last || kept || document.querySelector('dialog[open]')) return;
    const place = last;
    last = null;
    successor(place)?.focus({ preventScroll: true });
    if (document.activeElement === document.body || !isThere(/** @type {Element} */ (document.activeElement))) otherwise();
  });
  document.addEventListener('focusin', ({ target }) => {
    last = target instanceof HTMLElement && target !== document.body ? placeOf(target) : null;
  });
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    // It may be on its way out: then it is there no more when the script that takes it out is done.
    if (!relatedTarget) queueMicrotask(() => target === last?.node && isThere(last.node) && !last.node.matches(':disabled') && (last = null));
  });
  new MutationObserver((changes) => {
    hides ||= changes.some(({ type }) => type === 'attributes');
    if (last) check();
  }).observe(document.body, { subtree: true, childList: true, attributeFilter: ['hidden', 'disabled'] });
}
