// The open files: each has its own worker, from the moment it is handed over until it is closed.
import { store, emit, setActive, updateState } from './store.js';
import { Client } from './client.js';
import { makeSight } from './sight.js';
import { showReadError, showDeath } from './errors.js';

let nextId = 1;
/** @type {(file: import('./store.js').OpenFile) => Promise<void>} draws the first picture; set by the timeline */
let firstPicture = async () => {};

/** @param {(file: import('./store.js').OpenFile) => Promise<void>} draw */
export function setFirstPicture(draw) {
  firstPicture = draw;
}

/**
 * @param {Iterable<{name: string, blob: Blob}>} picked
 * @param {boolean} [sample]
 */
export function openFiles(picked, sample = false) {
  for (const { name, blob } of picked) openFile(name, blob, sample);
}

/**
 * @param {string} name
 * @param {Blob} blob
 * @param {boolean} sample
 */
function openFile(name, blob, sample) {
  performance.mark('vramscope:open');
  /** @type {import('./store.js').OpenFile} */
  const file = {
    id: nextId, name, size: blob.size, blob, sample, state: 'loading', since: performance.now(), opened: null, device: 0, sights: new Map(),
    progress: { bytes: 0, total: blob.size, events: 0, stacks: 0, ms: 0, drawing: false },
    client: new Client({
      progress: (message) => {
        Object.assign(file.progress, message);
        emit('files');
      },
      building: () => {
        file.progress.drawing = true;
        file.progress.ms = performance.now() - file.since;
        emit('files');
      },
      opened: (message) => void opened(file, message),
      failed: (error) => failed(file, error),
      died: (message, wasmBytes) => died(file, message, wasmBytes),
    }),
  };
  nextId += 1;
  store.files.push(file);
  emit('files');
  void file.client.open(blob, name);
}

/**
 * @param {import('./store.js').OpenFile} file
 * @param {any} message
 */
async function opened(file, message) {
  file.opened = message.opened;
  file.device = message.opened.default_device;
  file.state = 'drawing';
  emit('files');
  await prepareDevice(file, file.device);
  await firstPicture(file);
  if (!store.files.includes(file)) return;
  file.state = 'ready';
  setActive(file);
  requestAnimationFrame(() => {
    performance.mark('vramscope:first-paint');
    performance.mark('vramscope:ready', { detail: { wasmBytes: file.client.wasmBytes } });
  });
}

/**
 * @param {import('./store.js').OpenFile} file
 * @param {number} device
 */
async function prepareDevice(file, device) {
  if (file.sights.has(device)) return;
  const overview = await file.client.ask({ ask: 'overview', device });
  const known = (/** @type {any} */ entry) => entry.device === device;
  file.sights.set(device, makeSight(file.client, file.opened.devices.find(known), file.opened.summary.devices.find(known), overview));
}

/** @param {number} device shows another device of the active file */
export async function setDevice(device) {
  const file = store.active;
  if (!file || file.device === device) return;
  await prepareDevice(file, device);
  if (store.active !== file) return;
  file.device = device;
  emit('active');
}

/**
 * @param {import('./store.js').OpenFile} file
 * @param {any} error
 */
function failed(file, error) {
  if (error.readable) file.state = 'failed';
  else remove(file);
  emit('files');
  showReadError(file, error, {
    readable: () => {
      file.state = 'loading';
      file.since = performance.now();
      file.progress.drawing = true;
      file.client.openReadable();
    },
    dismissed: () => remove(file),
  });
}

/**
 * @param {import('./store.js').OpenFile} file
 * @param {string} message
 * @param {number} wasmBytes
 */
function died(file, message, wasmBytes) {
  remove(file);
  showDeath(file, message, wasmBytes, () => openFile(file.name, file.blob, file.sample));
}

/** @param {import('./store.js').OpenFile} file */
function remove(file) {
  file.client.stop();
  store.files = store.files.filter((other) => other !== file);
  if (store.active === file) setActive(store.files.findLast((other) => other.state === 'ready') || null);
  else emit('files');
}

/** @param {import('./store.js').OpenFile} file stops reading, or closes what is open */
export function closeFile(file) {
  if (file.state === 'ready') {
    remove(file);
    return;
  }
  file.state = 'stopping';
  emit('files');
  updateState();
  // The word is on the screen before the worker's memory is given back, which may take a moment.
  setTimeout(() => remove(file), 120);
}
