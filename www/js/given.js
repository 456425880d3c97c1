// Files that the page is given without a hand: data inside the page itself (`vramscope page`), and `#src=PATH`, a snapshot beside it on the same server.
// The fetch of a source is the only request that the page makes once it has started, and it makes it only because the address says so.
import { openFiles, openLater } from './files.js';
import { fromBase64 } from './platform.js';

/** Opens what the page holds and what its address names. Called once, when workers can start. */
export function openGiven() {
  openFiles(embedded());
  for (const source of new URLSearchParams(location.hash.slice(1)).getAll('src')) openLater(nameOf(source), source, (tell) => fetched(source, tell));
}

/**
 * Files in script elements of no script: gzip in base64, long ones in several. The elements are emptied: the text is no longer needed.
 * @returns {{name: string, blob: Blob}[]}
 */
function embedded() {
  /** @type {{name: string, parts: Uint8Array<ArrayBuffer>[]}[]} */
  const files = [];
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('script[type="application/octet-stream"]'))) {
    if (element.dataset.name !== undefined) files.push({ name: element.dataset.name, parts: [] });
    files[files.length - 1]?.parts.push(fromBase64(element.textContent || ''));
    element.remove();
  }
  return files.map(({ name, parts }) => ({ name, blob: new Blob(parts) }));
}

/** @param {string} source */
function nameOf(source) {
  const last = source.split(/[?#]/)[0].split('/').pop() || source;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/**
 * @param {string} source
 * @param {(bytes: number, total: number) => boolean} tell returns whether it is still wanted
 * @returns {Promise<Blob>} rejects with an error as the reader has them
 */
async function fetched(source, tell) {
  const url = sameOrigin(source);
  const stop = new AbortController();
  /** @type {Response} */
  let answer;
  try {
    answer = await fetch(url, { mode: 'same-origin', credentials: 'same-origin', redirect: 'error', cache: 'no-store', referrerPolicy: 'no-referrer', signal: stop.signal });
  } catch {
    throw refusal('No answer came for {name}.', 'a file on the server of this page', 'nothing', 'The server does not answer, sends the browser elsewhere, or this page is the one-file form, which may make no request.', 'Check the address behind #src=, or drop the file on the page.');
  }
  if (!answer.ok || !answer.body) throw refusal('The server does not give {name}.', 'status 200', `status ${answer.status}`, 'There is no such file below this page, or you may not have it.', 'Check the address behind #src=.');
  // A length that is none of the file's (it was compressed on its way) only makes the bar wrong.
  const total = Number(answer.headers.get('content-length')) || 0;
  const reader = answer.body.getReader();
  /** @type {Blob[]} */
  const parts = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw refusal('The connection ended while {name} came.', 'the whole file', `${bytes} bytes`, 'The server or the network stopped.', 'Reload the page.');
    });
    if (done) return new Blob(parts);
    parts.push(new Blob([value])); // the browser may keep it on the disk
    bytes += value.length;
    if (!tell(bytes, Math.max(total, bytes))) stop.abort();
  }
}

/**
 * @param {string} source
 * @returns {URL} below the page's own server; anything else is refused
 */
function sameOrigin(source) {
  const refuse = (/** @type {string} */ found, /** @type {string} */ advice) => refusal('This page does not open {name}.', 'a path on the server of this page', found, '#src= opens files of the same server only, so that no link can make this page read from elsewhere.', advice);
  if (!/^https?:$/.test(location.protocol)) throw refuse('a page that was opened from the disk', 'Drop the file on the page.');
  if (/^\s*([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(source)) throw refuse('the address of another place', 'Put the file beside the page and name it by its path, such as #src=runs/a.pickle; or drop it on the page.');
  const url = new URL(source, location.href);
  if (url.origin !== location.origin) throw refuse('another server', 'Put the file beside the page.');
  return url;
}

/**
 * @param {string} title
 * @param {string} expected
 * @param {string} found
 * @param {string} cause
 * @param {string} advice
 */
const refusal = (title, expected, found, cause, advice) => ({ code: 'unreadable', title, looks_like: null, at: null, expected, found, cause, advice, readable: 0 });
