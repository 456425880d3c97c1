// A picture of what is shown, as SVG or PNG: rasters as they are, texts as texts, boxes and lines as the browser has laid them out.
import { svgElement } from './dom.js';

const NS = 'http://www.w3.org/2000/svg';
/** Device pixels for one of the page, in a PNG. */
const PNG_SCALE = 2;
/** How an SVG of ours is drawn follows from these; its style sheet does not travel with it. */
const DRAWN = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity', 'fill-opacity', 'stroke-linecap', 'stroke-linejoin'];

/** @typedef {{svg: SVGSVGElement, left: number, top: number, clips: Map<Element, string>, defs: Element}} Sheet */

/** @param {Element} root @returns {SVGSVGElement} */
function draw(root) {
  const { left, top, width, height } = root.getBoundingClientRect();
  const svg = /** @type {SVGSVGElement} */ (svgElement('svg', { xmlns: NS, width: String(width), height: String(height), viewBox: `0 0 ${width} ${height}` }));
  const defs = svgElement('defs', {});
  const ground = getComputedStyle(document.body).backgroundColor;
  svg.append(defs, svgElement('rect', { width: '100%', height: '100%', fill: ground }));
  const sheet = { svg, left, top, clips: new Map(), defs };
  /** What is left to look at, last first: no page is too deep for this. @type {Element[]} */
  const todo = [root];
  for (let node = todo.pop(); node; node = todo.pop()) {
    if (!drawOne(sheet, node)) continue;
    todo.push(...[...node.children].reverse());
  }
  return svg;
}

/** @param {Sheet} sheet @param {Element} node @returns {boolean} whether what is inside is still to be drawn */
function drawOne(sheet, node) {
  const style = getComputedStyle(node);
  const box = node.getBoundingClientRect();
  if (style.display === 'none' || style.visibility === 'hidden' || Number(style.opacity) === 0 || node.matches('.visually-hidden, .sprite')) return false;
  const clip = clipOf(sheet, node.parentElement);
  const opacity = opacityOf(node);
  const put = (/** @type {SVGElement} */ child) => {
    if (opacity < 1) child.setAttribute('opacity', String(opacity));
    if (style.mixBlendMode !== 'normal') child.style.mixBlendMode = style.mixBlendMode;
    if (clip) child.setAttribute('clip-path', `url(#${clip})`);
    sheet.svg.append(child);
  };
  if (node instanceof HTMLCanvasElement) {
    if (node.width && node.height) put(placed(sheet, box, 'image', { href: node.toDataURL('image/png'), preserveAspectRatio: 'none' }));
    return false;
  }
  if (node instanceof SVGSVGElement) {
    put(drawing(sheet, node, box));
    return false;
  }
  drawBox(sheet, box, style, put);
  for (const child of node.childNodes) if (child instanceof Text && child.data.trim()) drawText(sheet, child, style, put);
  return true;
}

/** @param {Element|null} node @returns {number} its own, and that of all it lies in */
function opacityOf(node) {
  let product = 1;
  for (let at = node; at; at = at.parentElement) product *= Number(getComputedStyle(at).opacity);
  return product;
}

/**
 * @param {Sheet} sheet
 * @param {DOMRect} box
 * @param {string} tag
 * @param {Record<string, string>} rest
 */
const placed = ({ left, top }, box, tag, rest) => svgElement(tag, { x: String(box.left - left), y: String(box.top - top), width: String(box.width), height: String(box.height), ...rest });

/** @param {Sheet} sheet @param {DOMRect} box @param {CSSStyleDeclaration} style @param {(child: SVGElement) => void} put */
function drawBox(sheet, box, style, put) {
  if (!box.width || !box.height) return;
  if (!isClear(style.backgroundColor)) put(placed(sheet, box, 'rect', { fill: style.backgroundColor, rx: String(Math.min(parseFloat(style.borderTopLeftRadius) || 0, box.height / 2)) }));
  const { left, top } = sheet;
  const sides = /** @type {const} */ ([['Top', box.left, box.top, box.right, box.top], ['Right', box.right, box.top, box.right, box.bottom], ['Bottom', box.left, box.bottom, box.right, box.bottom], ['Left', box.left, box.top, box.left, box.bottom]]);
  for (const [side, x1, y1, x2, y2] of sides) {
    const width = parseFloat(style[`border${side}Width`]);
    const colour = style[`border${side}Color`];
    if (!width || style[`border${side}Style`] === 'none' || isClear(colour)) continue;
    put(svgElement('line', { x1: String(x1 - left), y1: String(y1 - top), x2: String(x2 - left), y2: String(y2 - top), stroke: colour, 'stroke-width': String(width), ...(style[`border${side}Style`] === 'dashed' ? { 'stroke-dasharray': '4 3' } : {}) }));
  }
}

/** @param {string} colour as computed */
const isClear = (colour) => colour === 'transparent' || /, 0\)$|\/ 0\)$/.test(colour);

/** @param {Sheet} sheet @param {Text} text @param {CSSStyleDeclaration} style @param {(child: SVGElement) => void} put */
function drawText(sheet, text, style, put) {
  for (const { words, box } of lines(text)) {
    const size = parseFloat(style.fontSize);
    const node = svgElement('text', {
      x: String(box.left - sheet.left), y: String(box.top - sheet.top + box.height / 2), 'dominant-baseline': 'central', fill: style.color,
      'font-family': style.fontFamily, 'font-size': String(size), 'font-weight': style.fontWeight, textLength: String(box.width), lengthAdjust: 'spacingAndGlyphs', 'xml:space': 'preserve',
    });
    node.textContent = words;
    put(node);
  }
}

/** @param {Text} text @returns {{words: string, box: DOMRect}[]} what stands on one line each */
function lines(text) {
  const range = document.createRange();
  range.selectNodeContents(text);
  const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
  if (boxes.length < 2) return boxes.map((box) => ({ words: text.data.trim().replace(/\s+/g, ' '), box }));
  /** @type {{words: string, box: DOMRect}[]} */
  const found = [];
  for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    const box = range.getBoundingClientRect();
    const last = found.at(-1);
    if (last && Math.abs(last.box.top - box.top) < 2) {
      last.words += ` ${word}`;
      last.box = new DOMRect(last.box.left, last.box.top, box.right - last.box.left, last.box.height);
    } else found.push({ words: word, box });
  }
  return found;
}

/** @param {Sheet} sheet @param {Element|null} node @returns {string|null} id of the path that cuts what lies in it */
function clipOf(sheet, node) {
  while (node && node !== document.body && getComputedStyle(node).overflow === 'visible') node = node.parentElement;
  if (!node || node === document.body) return null;
  const known = sheet.clips.get(node);
  if (known) return known;
  const id = `clip-${sheet.clips.size}`;
  sheet.clips.set(node, id);
  const outer = clipOf(sheet, node.parentElement);
  const path = svgElement('clipPath', { id, ...(outer ? { 'clip-path': `url(#${outer})` } : {}) });
  path.append(placed(sheet, node.getBoundingClientRect(), 'rect', {}));
  sheet.defs.append(path);
  return id;
}

/** One of the page's own drawings, with what its style sheet says. @param {Sheet} sheet @param {SVGSVGElement} source @param {DOMRect} box */
function drawing(sheet, source, box) {
  const copy = /** @type {SVGSVGElement} */ (source.cloneNode(true));
  const [from, to] = [source, copy].map((each) => [each, ...each.querySelectorAll('*')]);
  for (const [index, node] of from.entries()) {
    const style = getComputedStyle(node);
    to[index].removeAttribute('class');
    for (const name of DRAWN) to[index].setAttribute(name, style.getPropertyValue(name).replace(/^none$/, 'none'));
    if (node.localName === 'text') for (const name of ['font-family', 'font-size', 'font-weight', 'text-anchor']) to[index].setAttribute(name, style.getPropertyValue(name));
  }
  for (const use of copy.querySelectorAll('use')) {
    const symbol = document.querySelector(use.getAttribute('href') || '#none');
    if (!symbol) continue;
    const inside = svgElement('svg', { viewBox: symbol.getAttribute('viewBox') || '0 0 16 16' });
    inside.append(...[...symbol.cloneNode(true).childNodes]);
    use.replaceWith(inside);
  }
  for (const [name, value] of Object.entries({ x: box.left - sheet.left, y: box.top - sheet.top, width: box.width, height: box.height })) copy.setAttribute(name, String(value));
  if (getComputedStyle(source).overflow === 'visible') copy.setAttribute('overflow', 'visible');
  return copy;
}

/** @param {Element} root @returns {Blob} */
export function asSvg(root) {
  return new Blob([new XMLSerializer().serializeToString(draw(root))], { type: 'image/svg+xml' });
}

/** @param {Element} root @returns {Promise<Blob>} */
export async function asPng(root) {
  const { width, height } = root.getBoundingClientRect();
  const image = new Image();
  const url = URL.createObjectURL(asSvg(root));
  try {
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [width, height].map((side) => Math.round(side * PNG_SCALE));
    const paint = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    paint.scale(PNG_SCALE, PNG_SCALE);
    paint.drawImage(image, 0, 0, width, height);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large')))));
  } finally {
    URL.revokeObjectURL(url);
  }
}
