// Modal dialogs on the browser's own element: it holds the focus, makes the rest inert, and gives the focus back.
import { el } from './dom.js';

/**
 * @param {object} options
 * @param {string} options.label id of the title inside
 * @param {string} [options.describedBy]
 * @param {boolean} [options.alert]
 * @param {string} [options.code] data-code
 * @param {() => void} [options.closed] after it is gone
 * @param {string} [options.shape] extra class
 * @param {(close: () => void) => (Node|null)[]} options.content
 * @returns {() => void} closes it
 */
export function openDialog({ label, describedBy, alert = false, code, closed, shape, content }) {
  const before = /** @type {HTMLElement|null} */ (document.activeElement);
  const dialog = /** @type {HTMLDialogElement} */ (el(`dialog.dialog${shape ? `.${shape}` : ''}`, {
    role: alert ? 'alertdialog' : 'dialog', 'aria-modal': 'true', 'aria-labelledby': label, 'aria-describedby': describedBy, 'data-code': code,
  }));
  const close = () => dialog.close();
  dialog.append(...content(close).filter((node) => node !== null));
  dialog.addEventListener('keydown', (event) => keepInside(dialog, event));
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog && !alert) close();
  });
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before && before.isConnected) before.focus();
    if (closed) closed();
  });
  document.body.append(dialog);
  dialog.showModal();
  const first = dialog.querySelector('[autofocus], button');
  if (first) /** @type {HTMLElement} */ (first).focus();
  dialog.scrollTop = 0;
  return close;
}

/**
 * Tab goes round inside.
 * @param {HTMLElement} dialog
 * @param {KeyboardEvent} event
 */
function keepInside(dialog, event) {
  event.stopPropagation();
  if (event.key !== 'Tab') return;
  const stops = [...dialog.querySelectorAll('button, summary, input, a[href]')].filter((node) => /** @type {HTMLElement} */ (node).offsetParent !== null);
  const last = stops.length - 1;
  const at = stops.indexOf(/** @type {Element} */ (document.activeElement));
  const to = event.shiftKey ? (at <= 0 ? last : -1) : at === last ? 0 : -1;
  if (to < 0) return;
  event.preventDefault();
  /** @type {HTMLElement} */ (stops[to]).focus();
}
