// A list that opens under a button: arrow keys move, Esc closes and gives the focus back.
import { appendAll, el } from './dom.js';

/** @type {{button: HTMLElement, list: HTMLElement}|null} */
let open = null;

/**
 * @param {HTMLElement} button
 * @param {() => Node[]} rows made anew each time the list opens or changes
 * @param {string} label what the list holds
 */
export function attachMenu(button, rows, label) {
  button.addEventListener('click', () => {
    if (open?.button === button) {
      closeMenu();
      return;
    }
    closeMenu();
    const list = el('div.menu', { 'aria-label': label, role: 'group', onkeydown: (/** @type {KeyboardEvent} */ event) => move(list, event) });
    appendAll(list, rows());
    (document.querySelector('main') || document.body).append(list);
    const at = button.getBoundingClientRect();
    list.style.left = `${Math.max(8, Math.min(at.left, innerWidth - list.offsetWidth - 8))}px`;
    list.style.top = `${at.bottom + 4}px`;
    button.setAttribute('aria-expanded', 'true');
    open = { button, list };
    /** @type {HTMLElement|null} */ (list.querySelector('[aria-current], button'))?.focus();
  });
  document.addEventListener('pointerdown', (event) => {
    if (open && event.target instanceof Node && !open.list.contains(event.target) && !open.button.contains(event.target)) closeMenu(false);
  });
}

/**
 * @param {HTMLElement} button
 * @param {() => Node[]} rows
 */
export function refreshMenu(button, rows) {
  if (open?.button !== button) return;
  const had = open.list.contains(document.activeElement);
  open.list.replaceChildren();
  appendAll(open.list, rows());
  if (had) /** @type {HTMLElement|null} */ (open.list.querySelector('[aria-current], button'))?.focus();
}

/** @param {boolean} [refocus] */
export function closeMenu(refocus = true) {
  if (!open) return;
  const { button, list } = open;
  open = null;
  list.remove();
  button.setAttribute('aria-expanded', 'false');
  if (refocus) button.focus();
}

/**
 * @param {HTMLElement} list
 * @param {KeyboardEvent} event
 */
function move(list, event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Escape') closeMenu();
  else if (step) {
    // What closes a file stands beside its name, out of the way of the arrows: Tab reaches it.
    const stops = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('button:not([data-beside])')]);
    const at = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    stops[(at + step + stops.length) % stops.length]?.focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}
