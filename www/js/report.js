// What the diagnosis says of each device: asked for when it is there, and again when it has been refined.
import { emit, store } from './store.js';

/** @typedef {import('./sight.js').Sight} Sight */

/** @param {Sight} sight */
async function readReport(sight) {
  const limit = sight.limit === null ? {} : { limit_bytes: sight.limit };
  const report = await sight.client.ask({ ask: 'diagnosis', device: sight.device, ...limit });
  if (report) sight.report = report;
}

/** What the file itself says of how it was recorded. @param {import('./store.js').OpenFile} file */
async function readAdvice(file) {
  file.advice = (await file.client.ask({ ask: 'recording_advice' })) || [];
}

/** Devices of which the menu knows how bad it is before they are looked at: more than a machine has. */
const MOST_TONES = 64;

/** The diagnosis is there, or refined. @param {import('./store.js').OpenFile} file */
export async function diagnosed(file) {
  const tones = file.opened.devices.slice(0, MOST_TONES).map(async (/** @type {any} */ { device }) => {
    const report = file.sights.has(device) ? null : await file.client.ask({ ask: 'diagnosis', device });
    if (report) file.diagnosis.tones.set(device, report.tone);
  });
  await Promise.all([...[...file.sights.values()].map(readReport), ...tones, readAdvice(file)]);
  for (const [device, sight] of file.sights) if (sight.report) file.diagnosis.tones.set(device, sight.report.tone);
  file.diagnosis.done = true;
  if (store.active !== file) return;
  emit('report');
  emit('diagnosis');
}

/** A device that is looked at for the first time. @param {import('./store.js').OpenFile} file @param {Sight} sight */
export async function diagnosedBefore(file, sight) {
  if (file.diagnosis.done) await readReport(sight);
}

/** @param {Sight} sight @param {number|null} bytes a limit that the user knows */
export async function setLimit(sight, bytes) {
  sight.limit = bytes;
  await readReport(sight);
  emit('report');
}

/** @param {Sight} sight @returns {any} the last request that could not be served, or null */
export const lastOom = (sight) => sight.overview.ooms.at(-1) || null;
