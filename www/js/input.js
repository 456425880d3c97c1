// When the hand last did something: what a frame is measured from.
//
// Input counts from when the page gets it. Before that, the browser may hold it back: a wheel's step waits until the one before was dealt
// with, which takes a frame or two however fast the page is. That wait stands beside each measure.
const STALE_MS = 1000;
const REMEMBERED = 64;
let input = 0;
/** @type {Map<number, number>} how long the latest inputs had waited in the browser, by when they came */
const waited = new Map();

/** @param {Event} event */
function note(event) {
  input = performance.now();
  waited.set(input, Math.max(0, input - event.timeStamp));
  for (const oldest of waited.keys()) {
    if (waited.size <= REMEMBERED) break;
    waited.delete(oldest);
  }
}
for (const type of ['pointerdown', 'pointermove', 'wheel', 'keydown', 'click', 'dblclick']) addEventListener(type, note, { capture: true, passive: true });

/** @returns {number} when the input came that a frame scheduled now answers; 0: none did */
export function cause() {
  return performance.now() - input < STALE_MS ? input : 0;
}

/**
 * @param {string} name of the User Timing measure
 * @param {number} since what `cause` said
 * @param {object} [detail]
 */
export function measureSince(name, since, detail = {}) {
  const end = performance.now();
  if (since > 0 && since <= end) performance.measure(name, { start: since, end, detail: { ...detail, waitedMs: waited.get(since) ?? 0 } });
}
