// Two fingers on a picture: it follows both.

/**
 * Call it before the picture adds listeners of its own: once a second finger is down they hear nothing until all are up.
 * @param {HTMLElement} node
 * @param {(factor: number, x: number, dx: number) => void} pinch how far the fingers went apart; where their middle is, and how far it moved, in CSS pixels of the window
 * @param {() => void} letGo of what the first finger had begun
 */
export function attachPinch(node, pinch, letGo) {
  /** @type {Map<number, number>} */
  const fingers = new Map();
  let two = false;
  let before = { x: 0, span: 1 };
  const measure = () => {
    const [a, b] = fingers.values();
    return { x: (a + b) / 2, span: Math.max(20, Math.abs(a - b)) };
  };
  /** @param {PointerEvent} event */
  const hear = (event) => {
    const { type, pointerId } = event;
    if (event.pointerType !== 'touch') return;
    if (type === 'pointerdown') {
      if (event.isPrimary) {
        fingers.clear();
        two = false;
      }
      fingers.set(pointerId, event.clientX);
      if (fingers.size > 1 && !two) letGo();
      two ||= fingers.size > 1;
    } else if (type === 'pointermove') {
      if (fingers.has(pointerId)) fingers.set(pointerId, event.clientX);
    } else fingers.delete(pointerId);
    if (!two) return;
    event.stopImmediatePropagation();
    if (fingers.size < 2) return;
    const now = measure();
    if (type === 'pointermove') pinch(now.span / before.span, now.x, now.x - before.x);
    before = now;
  };
  for (const type of /** @type {const} */ (['pointerdown', 'pointermove', 'pointerup', 'pointercancel'])) node.addEventListener(type, hear);
}
