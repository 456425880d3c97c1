// Keys become commands: by physical place for letters, never while somebody types.
import { runKey } from './commands.js';

/** @param {EventTarget|null} target */
function typing(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('textarea, select, input:not([type=file], [type=checkbox])'));
}

/** @param {KeyboardEvent} event */
function name(event) {
  const mod = event.ctrlKey || event.metaKey ? 'Mod+' : '';
  const alt = event.altKey ? 'Alt+' : '';
  const shift = event.shiftKey ? 'Shift+' : '';
  // "?" is where the layout puts it.
  return event.key === '?' && !mod && !alt ? '?' : `${mod}${alt}${shift}${event.code}`;
}

export function initKeys() {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing || typing(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    // Space and Enter belong to the focused control, arrows to lists that have their own.
    const onControl = event.target instanceof Element && event.target.closest('button, a[href], summary, tr[tabindex], [role=tab]');
    if (onControl && (event.code === 'Enter' || event.code === 'Space')) return;
    if (runKey(name(event), event)) event.preventDefault();
  });
}
