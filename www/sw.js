// Keeps the files of one build, so that the page opens without a network and always with files that belong together.
// The build writes BUILD and FILES before this text (crates/xtask/src/page/versions.rs): another build is another text, which is how browsers notice it.
/* global BUILD, FILES */

const scope = /** @type {any} */ (self).registration.scope;
/** Other copies of the page on this server keep their own. */
const PREFIX = `vramscope ${scope} `;
const home = new URL('./', scope).href;
/** @type {Set<string>} */
const known = new Set(FILES.map((/** @type {string} */ file) => new URL(file, scope).href));

self.addEventListener('install', (event) => /** @type {any} */ (event).waitUntil(fill()));
self.addEventListener('activate', (event) => /** @type {any} */ (event).waitUntil(forgetOthers()));
self.addEventListener('message', (event) => {
  if (event.data === 'use') void (/** @type {any} */ (self).skipWaiting());
});
self.addEventListener('fetch', (event) => {
  const { request } = /** @type {any} */ (event);
  const url = new URL(request.url);
  const page = url.origin + url.pathname;
  const file = page === `${home}index.html` ? home : page;
  // Whatever is no part of the page, such as a snapshot that `#src=` names, is none of ours.
  if (request.method === 'GET' && known.has(file)) /** @type {any} */ (event).respondWith(kept(file, request));
});

async function fill() {
  const cache = await caches.open(PREFIX + BUILD);
  await Promise.all([...known].map(async (file) => {
    // A file in the folder of its build never changes; the others are asked for anew.
    const answer = await fetch(file, { cache: file.includes(`/${BUILD}/`) ? 'default' : 'no-cache', redirect: 'error' });
    if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
    // The server may be about to change to another build: better none than a mixture.
    if (file === home && !(await answer.clone().text()).includes(`/${BUILD}/`)) throw new Error('another build');
    await cache.put(file, answer);
  }));
}

async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== PREFIX + BUILD).map((name) => caches.delete(name)));
}

/**
 * @param {string} file
 * @param {Request} request
 */
async function kept(file, request) {
  const cache = await caches.open(PREFIX + BUILD);
  return (await cache.match(file, { ignoreVary: true })) || fetch(request); // the browser may have thrown it away
}
