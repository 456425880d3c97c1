// Work that can wait for the next frame, or until the hand rests.

/**
 * @param {() => void} work
 * @returns {() => void} asks for it: it is done in the next frame, once, however often it was asked for
 */
export function framed(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}

/**
 * @param {number} ms
 * @param {() => void} work
 * @returns {() => void} asks for it: it is done when it was not asked for again for so long
 */
export function rested(ms, work) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(work, ms);
  };
}
