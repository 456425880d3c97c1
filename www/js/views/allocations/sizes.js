// How many allocations there are of each size, and the sum of what matches. A press on a bar, or a drag over several, filters by size.
import { announce, byId, el, setText } from '../../dom.js';
import { addTerm, setExpression } from '../../expression.js';
import { bytesSpan, exactBytes, formatBytes, formatCount, formatShare, plural } from '../../format.js';
import { current } from '../../store.js';
import { ofSentence } from './words.js';

/** @typedef {{from: number, to: number, count: number, bytes: number, of_count: number, of_bytes: number}} Bin */

/** Bins of an octave that are asked for; where there is no room, neighbours are put together. */
export const STEPS = 4;
/** A narrower bar can hardly be hit. */
const LEAST_WIDTH = 14;
const HEIGHT = 52;
/** Octaves between two labels below the bars. */
const LABEL_EVERY = 5;
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** from, to: the bars that are chosen, by keys or by the pointer */
const hist = { bins: /** @type {Bin[]} */ ([]), at: -1, from: -1, pressed: false, focused: false };

/** @param {number} bytes @returns {string} exactly, in the largest unit that divides it */
export function exactSize(bytes) {
  let unit = 0;
  while (bytes > 0 && bytes % 1024 === 0 && unit < UNITS.length - 1) {
    bytes /= 1024;
    unit += 1;
  }
  return `${bytes}${UNITS[unit]}`;
}

/** @param {number} from @param {number} to @returns {string} a term of the filter: sizes from one on to below the other */
const termOf = (from, to) => `size:${exactSize(from)}..${exactSize(to)}`;

/** @param {Bin[]} bins @param {number} most @returns {Bin[]} as many as there is room for */
function merged(bins, most) {
  for (let steps = STEPS; steps >= 1; steps /= 2) {
    /** @type {Map<string, Bin>} */
    const all = new Map();
    for (const bin of bins) {
      const octave = bin.from === 0 ? -1 : Math.floor(Math.log2(bin.from));
      const key = bin.from === 0 ? '0' : `${octave} ${Math.floor((bin.from / 2 ** octave - 1) * steps)}`;
      const have = all.get(key);
      if (have) for (const part of /** @type {const} */ (['count', 'bytes', 'of_count', 'of_bytes'])) have[part] += bin[part];
      if (have) have.to = bin.to;
      else all.set(key, { ...bin });
    }
    if (all.size <= most || steps === 1) return [...all.values()];
  }
  return bins;
}

/** @param {Bin} bin */
function told(bin) {
  const matching = current()?.expression ? `, ${formatCount(bin.count)} match` : '';
  return `${formatBytes(bin.from)} to ${formatBytes(bin.to)}: ${plural(bin.of_count, 'allocation')}, ${formatBytes(bin.of_bytes)}${matching}`;
}

/** @param {any} answer to `table_sizes` */
export function showSizes(answer) {
  const sight = current();
  if (!sight) return;
  const filtered = sight.expression !== '';
  const { count, bytes, of_count: of, of_bytes: all } = answer;
  byId('allocations-sum').replaceChildren(el('b', null, bytesSpan(bytes)), el('span.soft', { title: `${exactBytes(bytes)} of ${exactBytes(all)}` }, filtered ? `${formatCount(count)} of ${plural(of, 'allocation')}, ${formatShare(all > 0 ? bytes / all : 0)} of bytes` : plural(of, 'allocation')));
  const box = byId('allocations-sizes');
  hist.bins = merged(answer.bins, Math.max(8, Math.floor(box.clientWidth / LEAST_WIDTH)));
  hist.at = Math.min(hist.at, hist.bins.length - 1);
  const most = Math.max(1, ...hist.bins.map((bin) => bin.of_count));
  box.setAttribute('aria-label', `Sizes of the allocations ${ofSentence(sight)}. Arrow keys choose a bar, with Shift several, Enter filters by it`);
  box.replaceChildren(...hist.bins.map((bin, index) => bar(bin, index, most, filtered)));
  byId('allocations-sizes-x').replaceChildren(...hist.bins.map((bin) => el('span', null, hasLabel(bin) ? exactSize(bin.from).replace(/(\d)([KMGTP]?i?B)/, '$1\u00a0$2') : '')));
  mark();
}

/** @param {Bin} bin */
function hasLabel(bin) {
  const octave = Math.log2(bin.from);
  return bin.from > 0 && Number.isInteger(octave) && octave % LABEL_EVERY === 0;
}

/** @param {Bin} bin @param {number} index @param {number} most @param {boolean} filtered */
function bar(bin, index, most, filtered) {
  const height = (/** @type {number} */ count) => (count > 0 ? Math.max(3, (count / most) * HEIGHT) : 0);
  const all = el('i');
  all.style.height = `${height(bin.of_count)}px`;
  const hit = el('i.hit');
  if (filtered) hit.style.height = `${bin.count === bin.of_count ? height(bin.of_count) : Math.min(height(bin.count), height(bin.of_count))}px`;
  return el('span.bar', { role: 'option', id: `allocations-size-${index}`, 'data-bar': index, 'data-count': bin.of_count, 'data-from': bin.from, 'data-to': bin.to, title: told(bin), 'aria-label': told(bin) }, all, hit);
}

/** @returns {[number, number]} the first and the last of the bars that are chosen */
const span = () => [Math.min(hist.at, hist.from), Math.max(hist.at, hist.from)];

/** Shows which bars are chosen, and which the filter names. */
function mark() {
  const box = byId('allocations-sizes');
  const [first, last] = span();
  const terms = (current()?.expression || '').split(' ');
  for (const [index, node] of /** @type {HTMLElement[]} */ ([...box.children]).entries()) {
    const bin = hist.bins[index];
    const named = terms.some((term) => {
      const found = /^size:(.+)\.\.(.+)$/.exec(term);
      return found && bytesOf(found[1]) <= bin.from && bin.to <= bytesOf(found[2]);
    });
    node.setAttribute('aria-selected', String(named));
    node.toggleAttribute('data-chosen', (hist.pressed || hist.focused) && hist.at >= 0 && index >= first && index <= last);
  }
  if (hist.at >= 0) box.setAttribute('aria-activedescendant', `allocations-size-${hist.at}`);
  else box.removeAttribute('aria-activedescendant');
}

/** @param {string} text what `exactSize` wrote */
function bytesOf(text) {
  const [, number, unit] = /^(\d+)([A-Z][A-Za-z]*)$/.exec(text) || [];
  return Number(number) * 1024 ** UNITS.indexOf(unit);
}

/** Filters by the bars that are chosen; the same once more takes that back. */
function apply() {
  const sight = current();
  const [first, last] = span();
  if (!sight || first < 0 || !hist.bins[last]) return;
  const term = termOf(hist.bins[first].from, hist.bins[last].to);
  const terms = sight.expression.split(' ');
  if (terms.includes(term)) setExpression(terms.filter((each) => each !== term).join(' '));
  else addTerm(term);
  announce(terms.includes(term) ? `No longer filtered by ${term}` : `Filtered by ${term}`);
}

/** @param {number} at @param {boolean} several */
function move(at, several) {
  hist.at = Math.min(Math.max(0, at), hist.bins.length - 1);
  if (!several || hist.from < 0) hist.from = hist.at;
  mark();
  const [first, last] = span();
  if (hist.bins[last]) announce(first === last ? told(hist.bins[first]) : `${formatBytes(hist.bins[first].from)} to ${formatBytes(hist.bins[last].to)}`);
}

/** @param {KeyboardEvent} event */
function key(event) {
  const to = { ArrowLeft: hist.at - 1, ArrowRight: hist.at + 1, Home: 0, End: hist.bins.length - 1 }[event.key];
  if (to !== undefined) move(to, event.shiftKey);
  else if ((event.key === 'Enter' || event.key === ' ') && hist.at >= 0) apply();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** @param {PointerEvent} event @returns {number} the bar below the pointer, or nearest */
function barAt(event) {
  const { left, width } = byId('allocations-sizes').getBoundingClientRect();
  return Math.min(hist.bins.length - 1, Math.max(0, Math.floor(((event.clientX - left) / Math.max(1, width)) * hist.bins.length)));
}

/** Forgets what was chosen: the bars are others. */
export function forgetBars() {
  Object.assign(hist, { at: -1, from: -1, pressed: false });
}

/** @param {() => void} resized when there is room for more bars, or for fewer */
export function initSizes(resized) {
  const box = byId('allocations-sizes');
  let width = 0;
  new ResizeObserver(() => {
    if (!box.clientWidth || box.clientWidth === width) return;
    width = box.clientWidth;
    resized();
  }).observe(box);
  box.addEventListener('keydown', key);
  box.addEventListener('focus', () => { hist.focused = true; mark(); });
  box.addEventListener('blur', () => { hist.focused = false; mark(); });
  box.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || !hist.bins.length) return;
    box.setPointerCapture(event.pointerId);
    hist.pressed = true;
    move(barAt(event), event.shiftKey);
  });
  box.addEventListener('pointermove', (event) => {
    if (hist.pressed && barAt(event) !== hist.at) move(barAt(event), true);
  });
  box.addEventListener('pointerup', () => {
    if (!hist.pressed) return;
    hist.pressed = false;
    apply();
    mark();
  });
  box.addEventListener('pointercancel', () => { hist.pressed = false; mark(); });
  setText(byId('allocations-sum'), '');
}
