// The two shapes of the page: a folder on a server, and one HTML file that holds the wasm, the worker and the samples in inert script elements.
import { wasm } from './wasm.js';

const SAMPLE_FILES = { healthy: 'healthy.pickle.gz', oom: 'oom.pickle.gz' };

/** The folder of this build, with all that belongs to it. */
const FOLDER = new URL('.', /** @type {HTMLScriptElement|null} */ (document.getElementById('views-script'))?.src || location.href).href;

/** @param {string} id */
const inline = (id) => document.getElementById(id)?.textContent ?? null;

/**
 * @param {string} text base64
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function fromBase64(text) {
  const clean = text.trim();
  const decode = /** @type {any} */ (Uint8Array).fromBase64;
  if (decode) return decode.call(Uint8Array, clean);
  return Uint8Array.from(atob(clean), (letter) => letter.charCodeAt(0));
}

/**
 * @param {string} id where the one-file page holds it
 * @param {string} name its file on a server
 * @param {RequestPriority} [priority]
 * @returns {Promise<BufferSource>}
 */
async function bytes(id, name, priority) {
  const text = inline(id);
  if (text !== null) return fromBase64(text);
  const answer = await fetch(FOLDER + name, { priority });
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer.arrayBuffer();
}

/** @typedef {{first: Promise<WebAssembly.Module>, more: Promise<WebAssembly.Module>}} Parts compiled once, posted to every worker */

/** @returns {Parts} both asked for at once: there may be no request once a file is chosen */
function load() {
  const first = bytes('inline-wasm', 'vramscope_bg.wasm').then(WebAssembly.compile);
  const behind = inline('inline-more') === null ? bytes('inline-more', 'vramscope_more.wasm', 'low') : first.then(() => bytes('inline-more', ''));
  const exports = first.then((compiled) => wasm()({ module_or_path: compiled }));
  const more = behind.then(async (code) => {
    const f = await exports; // what takes a file is compiled first
    const compiled = await WebAssembly.compile(code);
    await WebAssembly.instantiate(compiled, { f });
    return compiled;
  });
  more.catch(() => {}); // told by whoever waits for it
  return { first: exports.then(() => first), more };
}

/** @type {Parts|null} */
let parts = null;

/** @returns {Promise<WebAssembly.Module>} resolves when the page's own wasm answers, too */
export function ready() {
  parts ??= load();
  return parts.first;
}

/** @returns {Promise<WebAssembly.Module>} the second part of the wasm, which comes behind; resolves when the page's own wasm has it, too */
export function more() {
  parts ??= load();
  return parts.more;
}

/** @type {string|null} */
let workerUrl = null;

/** @returns {Promise<void>} after this a worker starts without a request to the server, where the page's policy allows it */
export async function prepareWorkers() {
  const policy = /** @type {HTMLMetaElement|null} */ (document.querySelector('meta[http-equiv="Content-Security-Policy"]'))?.content;
  if (workerUrl || (policy && !/worker-src[^;]*blob:/.test(policy))) return;
  const parts = inline('inline-worker') !== null ? [inline('inline-glue'), inline('inline-worker')] : await Promise.all(['vramscope.js', 'worker.js'].map((name) => text(FOLDER + name)));
  workerUrl = URL.createObjectURL(new Blob([parts.join('\n')], { type: 'text/javascript' }));
}

/** @param {string} path */
async function text(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.text();
}

/** @returns {Worker} */
export function startWorker() {
  return new Worker(workerUrl || `${FOLDER}worker.js`);
}

/** @type {Map<string, Blob>} */
const samples = new Map();

/**
 * @param {'healthy'|'oom'} name
 * @param {boolean} mayFetch false while a file of the user is open
 * @returns {Promise<{name: string, blob: Blob}|null>} null: it would need a request that is not allowed now
 */
export async function sample(name, mayFetch) {
  const file = SAMPLE_FILES[name];
  if (!samples.has(name)) {
    const held = inline(`inline-sample-${name}`);
    if (held !== null) samples.set(name, new Blob([fromBase64(held)]));
    else if (!mayFetch) return null;
    else await fetchSamples();
  }
  return { name: file, blob: /** @type {Blob} */ (samples.get(name)) };
}

/** Both at once: the second would otherwise need a request while the first is open. */
async function fetchSamples() {
  await Promise.all(Object.entries(SAMPLE_FILES).map(async ([name, file]) => {
    const answer = await fetch(`./samples/${file}`);
    if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
    samples.set(name, await answer.blob());
  }));
}
