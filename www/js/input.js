// When the hand last did something: what a frame is measured from.
const STALE_MS = 1000;
let input = 0;

for (const type of ['pointerdown', 'pointermove', 'wheel', 'keydown', 'click', 'dblclick']) addEventListener(type, (event) => (input = event.timeStamp), { capture: true, passive: true });

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
  if (since > 0 && since <= end) performance.measure(name, { start: since, end, detail });
}
