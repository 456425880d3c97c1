// The two shapes of the page: a folder on a server, and one HTML file that holds the wasm, the worker and the samples in inert script elements.
import { wasm } from './wasm.js';

const SAMPLE_FILES = { healthy: 'healthy.pickle.gz', oom: 'oom.pickle.gz' };

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

/** @returns {Promise<WebAssembly.Module>} compiled once, posted to every worker */
async function compile() {
  const text = inline('inline-wasm');
  if (text !== null) return WebAssembly.compile(fromBase64(text));
  const answer = await fetch('./vramscope_bg.wasm');
  if (!answer.ok) throw new Error(`vramscope_bg.wasm: ${answer.status}`);
  return WebAssembly.compile(await answer.arrayBuffer());
}

/** @type {Promise<WebAssembly.Module>|null} */
let module = null;

/** @returns {Promise<WebAssembly.Module>} resolves when the page's own wasm answers, too */
export function ready() {
  module ??= compile().then(async (compiled) => {
    await wasm()({ module_or_path: compiled });
    return compiled;
  });
  return module;
}

/** @type {string|null} */
let workerUrl = null;

/** @returns {Promise<void>} after this a worker starts without a request to the server, where the page's policy allows it */
export async function prepareWorkers() {
  const policy = /** @type {HTMLMetaElement|null} */ (document.querySelector('meta[http-equiv="Content-Security-Policy"]'))?.content;
  if (workerUrl || (policy && !/worker-src[^;]*blob:/.test(policy))) return;
  const parts = inline('inline-worker') !== null ? [inline('inline-glue'), inline('inline-worker')] : await Promise.all(['./vramscope.js', './worker.js'].map(text));
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
  return new Worker(workerUrl || './worker.js');
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
