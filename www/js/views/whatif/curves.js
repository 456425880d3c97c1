// "Reserved bytes under each setting": step lines by plotters over what was requested. A click or arrow keys choose the moment that all views share.
import { announce, byId, el } from '../../dom.js';
import { exactBytes, formatBytes, formatCount, listTexts, ticks } from '../../format.js';
import { rested } from '../../frame.js';
import { momentOf } from '../../sight.js';
import { colours } from '../../theme.js';
import { wasm } from '../../wasm.js';
import { setMoment } from '../pin.js';
import { whatIf } from './runs.js';
import { chosenRow, nameOf, shortName, toneOf } from './words.js';

/** @typedef {import('./runs.js').WhatIf} WhatIf */
/** @typedef {{name: string, short: string, tone: 'recorded'|'best'|'worse'|'rest', bytes: number[], chosen: boolean, dashed: boolean}} Line */

/** Height of a label, in CSS pixels. */
const LABEL = 16;
/** The event under the pointer. @type {number|null} */
let hovered = null;
/** Where keys have led, before it is shown. @type {number|null} */
let coming = null;

export function curvesCard() {
  const canvas = el('canvas', { 'data-role': 'whatif', id: 'whatif-canvas', role: 'img', tabindex: '0', onkeydown: step, onclick: (/** @type {MouseEvent} */ event) => void go(eventAt(event)), onpointermove: (/** @type {PointerEvent} */ event) => point(eventAt(event)), onpointerleave: () => point(null) });
  return el('article.card.whatif-main.whatif-curves', { 'aria-labelledby': 'whatif-curves-title' },
    el('header', null, el('h2', { id: 'whatif-curves-title' }, 'Reserved bytes under each setting')),
    el('div.curve-values', { id: 'whatif-values' }),
    el('div.chart', null, el('div.y', { id: 'whatif-y' }), el('div.plot', { id: 'whatif-plot' }, canvas, el('div', { id: 'whatif-labels', 'aria-hidden': 'true' }), el('div.v-line', { id: 'whatif-cursor' })), el('div.x', { id: 'whatif-x' })));
}

/** @param {WhatIf} of @returns {Line[]} those on top last */
function linesOf(of) {
  const chosen = chosenRow(of);
  const rows = [...of.rows.filter((row) => row.curve), null];
  const place = { rest: 0, worse: 1, best: 2, recorded: 3 };
  const lines = rows.map((row) => ({ name: nameOf(of, row), short: shortName(of, row), tone: toneOf(of, row), bytes: row ? row.curve?.reserved_bytes ?? [] : of.recorded?.reserved ?? [], chosen: row === chosen, dashed: false }));
  lines.sort((a, b) => Number(a.chosen) - Number(b.chosen) || place[a.tone] - place[b.tone]);
  for (const [index, line] of lines.entries()) line.dashed = lines.slice(0, index).some((other) => other.bytes.length === line.bytes.length && other.bytes.every((bytes, at) => bytes === line.bytes[at]));
  return lines;
}

/** @param {WhatIf} of */
const eventsOf = (of) => Math.max(1, of.sight.moments - 1);
/** @param {WhatIf} of */
const columnsOf = (of) => Math.min(eventsOf(of), 1024);

/** @param {MouseEvent} event @returns {number} the event of the recording under the pointer */
function eventAt(event) {
  const of = whatIf();
  const { left, width } = byId('whatif-canvas').getBoundingClientRect();
  return of ? Math.min(eventsOf(of) - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * eventsOf(of)))) : 0;
}

/** @param {number|null} event */
function point(event) {
  hovered = event;
  const of = whatIf();
  if (of) values(of);
}

/** @param {number} event shows the moment after it, in all views */
async function go(event) {
  const of = whatIf();
  if (!of) return;
  coming = Math.min(Math.max(event + 1, 0), of.sight.moments - 1);
  const mine = coming;
  await setMoment(mine, false);
  if (coming === mine) coming = null;
  tell();
}

const tell = rested(500, () => announce(byId('whatif-values').textContent || ''));

/** @param {KeyboardEvent} event */
function step(event) {
  const of = whatIf();
  if (!of || event.ctrlKey || event.metaKey || event.altKey) return;
  const one = Math.max(1, Math.round(eventsOf(of) / Math.max(1, byId('whatif-canvas').clientWidth))) * (event.shiftKey ? 10 : 1);
  const now = (coming ?? momentOf(of.sight)) - 1;
  const to = { ArrowRight: now + one, ArrowLeft: now - one, Home: -1, End: of.sight.moments }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  hovered = null;
  void go(to);
}

/** @param {WhatIf} of the bytes of every curve at the event pointed at, or else at the moment chosen */
function values(of) {
  const event = hovered ?? momentOf(of.sight) - 1;
  const column = Math.min(columnsOf(of) - 1, Math.max(0, Math.floor((event * columnsOf(of)) / eventsOf(of))));
  const exact = columnsOf(of) === eventsOf(of);
  const lines = [{ name: 'Requested', short: 'Requested', tone: 'requested', chosen: false, bytes: of.recorded?.requested ?? [] }, ...linesOf(of).reverse()];
  const texts = listTexts(lines.map(({ bytes }) => bytes[column] ?? 0));
  byId('whatif-values').replaceChildren(el('div', { title: exact ? '' : 'A column of the chart has several events: these are the most bytes of each' }, el('span.muted', null, event < 0 ? 'Before the first event' : exact ? 'Event' : 'Around event'), el('b', null, event < 0 ? '\u2013' : formatCount(event))),
    ...lines.map(({ name, short, bytes, tone, chosen }, index) => el('div', { title: `${name}: ${bytes[column] === undefined ? 'it has ended' : exactBytes(bytes[column])}` }, el('span.muted.truncate', null, el('i.line-key', { 'data-tone': tone, 'aria-hidden': 'true' }), short), el(chosen ? 'b' : 'span', null, bytes[column] === undefined ? 'ended' : texts[index]))));
  const cursor = byId('whatif-cursor');
  cursor.style.left = `${((momentOf(of.sight) - 0.5) / eventsOf(of)) * 100}%`;
}

/** @param {WhatIf} of */
export function updateCurves(of) {
  // Progress alone changes no curve.
  const stamp = of.rows.map((row) => `${row.key} ${row.curve !== null} ${toneOf(of, row)} ${row === chosenRow(of)}`).join();
  const canvas = byId('whatif-canvas');
  if (canvas.dataset.stamp === stamp) return;
  canvas.dataset.stamp = stamp;
  const lines = linesOf(of);
  const words = lines.map(({ name, bytes }) => `${name} reaches ${formatBytes(Math.max(0, ...bytes))}`).reverse();
  canvas.setAttribute('aria-label', `Reserved bytes over ${formatCount(eventsOf(of))} events. ${words.join('; ')}. Arrow keys choose a moment.`);
  paintCurves();
}

export function paintCurves() {
  const of = whatIf();
  const canvas = /** @type {HTMLCanvasElement|null} */ (document.getElementById('whatif-canvas'));
  const plot = canvas?.parentElement;
  if (!of || !canvas || !plot?.clientWidth) return;
  const { clientWidth: width, clientHeight: height } = plot;
  const scale = devicePixelRatio || 1;
  Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
  const lines = linesOf(of);
  const y1 = Math.max(1024, ...lines.map(({ bytes }) => Math.max(0, ...bytes))) * 1.1;
  const { fill, grid, axis, ...tones } = colours().whatif;
  wasm().paint_curves(canvas, JSON.stringify({ columns: columnsOf(of), area: of.recorded?.requested ?? [], lines: lines.map(({ bytes, tone, chosen, dashed }) => ({ bytes, dashed, colour: tones[tone], width: chosen ? 2.5 : tone === 'recorded' ? 1.5 : 1 })), y1, scale, fill, grid, axis }));
  const at = (/** @type {string} */ side, /** @type {number} */ part, /** @type {string} */ text, shape = 'span') => {
    const node = el(shape, null, text);
    node.style.setProperty(side, `${part * 100}%`);
    return node;
  };
  byId('whatif-y').replaceChildren(...ticks('bytes', 0, y1, height).map((tick) => at('bottom', tick.at / y1, tick.label)));
  const end = eventsOf(of);
  byId('whatif-x').replaceChildren(...ticks('events', 0, end, width).filter((tick) => tick.at / end < 1 - 110 / width).map((tick) => at('left', tick.at / end, tick.label)), at('left', 1, `${formatCount(end)} events`, 'span.end'));
  label(of, lines, { width, height, y1 });
  values(of);
}

/** Names at the ends of the curves: those that end alike share one, and none lies upon another. @param {WhatIf} of @param {Line[]} lines @param {{width: number, height: number, y1: number}} chart */
function label(of, lines, { width, height, y1 }) {
  /** @type {Map<string, {lines: Line[], x: number, y: number}>} */
  const ends = new Map();
  for (const line of [...lines].reverse().filter(({ bytes }) => bytes.length)) {
    const [x, y] = [line.bytes.length / columnsOf(of), line.bytes[line.bytes.length - 1] / y1];
    const key = `${x} ${Math.round(y * height * 0.5)}`;
    const known = ends.get(key);
    if (known) known.lines.push(line);
    else ends.set(key, { lines: [line], x, y });
  }
  const sorted = [...ends.values()].sort((a, b) => a.y - b.y);
  let least = 2;
  const bottoms = sorted.map(({ y }) => (least = Math.max(least, y * height + 3) + LABEL) - LABEL);
  // Where they have come too high they stand below their curves.
  for (let index = bottoms.length - 1, most = height; index >= 0; index -= 1) most = bottoms[index] = Math.min(bottoms[index], most - LABEL);
  const nodes = sorted.map(({ lines: here, x }, index) => {
    const names = here.map(({ short }) => short);
    const text = names.length > 3 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} others` : names.join(', ');
    const node = el(here.some(({ chosen }) => chosen) ? 'b.plot-label.plain.truncate' : 'span.plot-label.plain.truncate', { title: names.join(', ') }, text);
    node.style.bottom = `${bottoms[index]}px`;
    if (x > 0.5) node.style.right = `${Math.max(4, (1 - x) * width + 4)}px`;
    else node.style.left = `${x * width + 4}px`;
    return node;
  });
  byId('whatif-labels').replaceChildren(...nodes);
}
