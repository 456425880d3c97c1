// Requested bytes of A and of B on one axis, and what lies between them.
import { byId, el } from '../../dom.js';
import { ticks } from '../../format.js';
import { colours } from '../../theme.js';
import { wasm } from '../../wasm.js';

/** @type {any} */
let shown = null;

/** @param {any} curves the answer's */
export function showCurves(curves) {
  shown = curves;
  paintCurves();
}

export function paintCurves() {
  const canvas = /** @type {HTMLCanvasElement|null} */ (document.getElementById('compare-canvas'));
  const plot = canvas?.parentElement;
  if (!canvas || !plot?.clientWidth || !shown) return;
  const { clientWidth: width, clientHeight: height } = plot;
  const scale = devicePixelRatio || 1;
  Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
  const y1 = Math.max(1024, ...shown.a, ...shown.b) * 1.08;
  wasm().paint_compare(canvas, JSON.stringify({ a: shown.a, b: shown.b, y1, scale, colours: colours().compare }));
  const at = (/** @type {string} */ side, /** @type {number} */ part, /** @type {string} */ text) => {
    const node = el('span', null, text);
    node.style.setProperty(side, `${part * 100}%`);
    return node;
  };
  byId('compare-y').replaceChildren(...ticks('bytes', 0, y1, height).map((tick) => at('bottom', tick.at / y1, tick.label)));
  const marks = shown.align === 'step' ? thinned(shown.marks, width) : ticks(shown.align === 'time' ? 'time' : 'events', 0, shown.end, width).map((tick) => [tick.at / shown.end, tick.label]);
  byId('compare-x').replaceChildren(...marks.map((/** @type {any} */ [part, label]) => at('left', part, label)));
}

/** @param {any[]} marks @param {number} width @returns {any[]} as many as have room */
function thinned(marks, width) {
  let right = -Infinity;
  return marks.filter(([part]) => {
    if (part * width < right || part * width > width - 30) return false;
    right = part * width + 64;
    return true;
  });
}
