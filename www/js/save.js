// Files for whoever looks at the page: made here, saved by the browser, sent nowhere.
import { el } from './dom.js';

/** The browser reads it while it saves. */
const KEPT_MS = 60_000;

/** @param {Blob} blob @param {string} name of the file */
export function saveBlob(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = /** @type {HTMLAnchorElement} */ (el('a', { href: url, download: name, hidden: true }));
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** @param {string} name of a file @returns {string} the same without what says its kind */
export const stemOf = (name) => name.replace(/(\.(pickle|pkl|json|html|gz|zip))+$/i, '') || 'snapshot';
