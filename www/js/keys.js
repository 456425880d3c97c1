// Keys become commands: by physical place for letters, never while somebody types.
import { runKey } from './commands.js';

/** What has keys of its own: they press it, or move inside it. The pictures are none of these. */
const CONTROLS = 'button, a[href], input, select, summary, tr[tabindex], [role=tab], [role^=menuitem], [role=option], [role=button]';
/** By meaning: there are two keys for Enter. */
const OWN_KEYS = ['Enter', ' ', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];

/** @param {EventTarget|null} target */
function typing(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('textarea, select, input:not([type=file], [type=checkbox])'));
}

/** @param {KeyboardEvent} event */
function name(event) {
  const mod = event.ctrlKey || event.metaKey ? 'Mod+' : '';
  const alt = event.altKey ? 'Alt+' : '';
  const shift = event.shiftKey ? 'Shift+' : '';
  // "?" and "/" are where the layout puts them.
  return ['?', '/'].includes(event.key) && !mod && !alt ? event.key : `${mod}${alt}${shift}${event.code}`;
}

export function initKeys() {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (document.querySelector('dialog[open]')) return;
    if (OWN_KEYS.includes(event.key) && !event.altKey && event.target instanceof Element && event.target.closest(CONTROLS)) return;
    if (runKey(name(event), event, typing(event.target))) event.preventDefault();
  });
}
