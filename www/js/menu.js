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
    const at = button.getBoundingClientRect();
    openMenu(button, rows, label, { x: at.left, y: at.bottom + 4 });
    button.setAttribute('aria-expanded', 'true');
  });
  document.addEventListener('pointerdown', (event) => {
    if (open && event.target instanceof Node && !open.list.contains(event.target) && !open.button.contains(event.target)) closeMenu(false);
  });
}

/**
 * Opens a list of its own, as a context menu.
 * @param {HTMLElement} of what has the focus again when it closes
 * @param {() => Node[]} rows
 * @param {string} label
 * @param {{x: number, y: number}} at its corner, in the window
 */
export function openMenu(of, rows, label, { x, y }) {
  closeMenu();
  const list = el('div.menu', { 'aria-label': label, role: 'group', onkeydown: (/** @type {KeyboardEvent} */ event) => move(list, event) });
  appendAll(list, rows());
  (document.querySelector('main') || document.body).append(list);
  list.style.left = `${Math.max(8, Math.min(x, innerWidth - list.offsetWidth - 8))}px`;
  list.style.top = `${y}px`;
  open = { button: of, list };
  /** @type {HTMLElement|null} */ (list.querySelector('[aria-current], button'))?.focus();
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
  if (button.hasAttribute('aria-expanded')) button.setAttribute('aria-expanded', 'false');
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
