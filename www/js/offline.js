// The page without a network: a service worker (sw.js) keeps the files of one build, and a newer build waits until it is asked for.
import { announce, byId, el } from './dom.js';
import { addCommandSource } from './commands.js';
import { openDialog } from './dialogs.js';
import { plural } from './format.js';
import { on, store } from './store.js';

/** Before this the page and a file that is dropped at once have the network and the processor for themselves, in ms. */
const DELAY = 2000;

/** @type {ServiceWorker|null} a newer build, ready to be used */
let waiting = null;

/** @param {ServiceWorkerRegistration} registration */
function watch(registration) {
  const installed = () => {
    if (!registration.waiting || !navigator.serviceWorker.controller) return; // the first one has nothing to replace
    waiting = registration.waiting;
    byId('new-version').hidden = false;
    announce('A new version of vramscope is ready');
  };
  const follow = () => registration.installing?.addEventListener('statechange', installed);
  installed();
  follow(); // it may have been found already
  registration.addEventListener('updatefound', follow);
}

function useIt() {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
  waiting?.postMessage('use');
}

function askToUseIt() {
  const open = store.files.length;
  openDialog({
    label: 'version-title',
    content: (close) => [
      el('header.dialog-head', null, el('h2', { id: 'version-title' }, 'A new version of vramscope is ready')),
      el('p', null, open ? `Reloading closes ${plural(open, 'file')}: drop ${open > 1 ? 'them' : 'it'} again afterwards. The address keeps what you are looking at.` : 'The page reloads; nothing is open, so nothing is lost.'),
      el('footer', null, el('button.button.primary', { type: 'button', id: 'use-version', autofocus: true, onclick: useIt }, 'Reload now'), el('button.button', { type: 'button', onclick: close }, 'Later')),
    ],
  });
}

/** Whether this page is the one on a server; the one-file form has nothing to keep. */
const isServed = () => /^https?:$/.test(location.protocol) && !document.getElementById('inline-wasm');

export function initOffline() {
  if (!isServed() || !navigator.serviceWorker) return;
  byId('new-version').addEventListener('click', askToUseIt);
  addCommandSource(() => (waiting ? [{ title: 'Use the new version', group: 'Page', keys: [], shown: [], run: askToUseIt }] : []));
  let asked = false;
  // Never while a file is open: then the page makes no request.
  const start = () => {
    if (asked || store.files.length) return;
    asked = true;
    // A server without sw.js, or a browser that keeps nothing, leaves the page as it is.
    navigator.serviceWorker.register('./sw.js', { updateViaCache: 'none' }).then(watch, () => {});
  };
  setTimeout(() => {
    start();
    on('files', start);
  }, DELAY);
}
