// Where elements lie. Asking the browser while anything waits to be laid out makes it lay out the page at once, several times in a frame;
// so it is asked once, and again only when something may have moved.
import { byId } from './dom.js';
import { on } from './store.js';

/** @typedef {{left: number, top: number, width: number, height: number}} Box in CSS pixels of the window, without borders */
/** @type {Map<string, Box>} */
const known = new Map();
const observer = new ResizeObserver(forgetBoxes);

/** @param {string} id of an element @returns {Box} */
export function boxOf(id) {
  const have = known.get(id);
  if (have) return have;
  const node = byId(id);
  const { left, top } = node.getBoundingClientRect();
  const box = { left: left + node.clientLeft, top: top + node.clientTop, width: node.clientWidth, height: node.clientHeight };
  observer.observe(node);
  // What is hidden has no place yet.
  if (box.width && box.height) known.set(id, box);
  return box;
}

/** @param {Element} node when it changes its size, others move */
export const movesBoxes = (node) => observer.observe(node);

export function forgetBoxes() {
  known.clear();
}

addEventListener('resize', forgetBoxes);
addEventListener('scroll', ({ target }) => {
  if (target instanceof Node && [...known.keys()].some((id) => target.contains(byId(id)))) forgetBoxes();
}, { capture: true, passive: true });
for (const topic of /** @type {const} */ (['active', 'view', 'files', 'options', 'filter'])) on(topic, forgetBoxes);
