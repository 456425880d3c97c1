// The lanes of steps and phases: boxes with a word where there is room, a click or Enter shows one alone.
import { el, keepChildren } from '../../dom.js';
import { bytesSpan, formatCount, formatDuration, plural } from '../../format.js';
import { setRange } from '../../sight.js';
import { current, emit } from '../../store.js';

/** A letter, at most, and the air around a word, in pixels. */
const LETTER_PX = 6.6;
const AIR_PX = 10;
/** Each phase: whole word, short word, which grey. @type {Record<string, [string, string, string]>} */
const PHASES = {
  build: ['build', 'build', 'optimizer'], forward: ['forward', 'fwd', 'forward'], backward: ['backward', 'bwd', 'backward'], optimizer: ['optimizer', 'opt', 'optimizer'],
  zero_grad: ['zero grad', 'zero', 'optimizer'], inference: ['inference', 'inf', 'forward'], idle: ['idle', 'idle', 'other'],
};

/** @typedef {'step'|'phase'} Kind */

/** @param {number} step from 0 */
const stepName = (step) => `Step ${step + 1}`;

/** Several, of which none takes most of the box. @param {Kind} kind @param {any} each */
const isMany = (kind, each) => each.count > 1 && (kind === 'step' ? each.step === null : each.phase === null);

/** What it is called in a sentence. @param {Kind} kind @param {any} each @returns {string} */
function nameOf(kind, each) {
  if (isMany(kind, each)) return plural(each.count, kind);
  if (kind === 'step') return stepName(each.step);
  const word = PHASES[each.phase][0];
  return each.step === null ? word[0].toUpperCase() + word.slice(1) : `${stepName(each.step)}, ${word}`;
}

/** The longest word that there is room for; none is cut. @param {Kind} kind @param {any} each @param {number} width in pixels */
function wordOf(kind, each, width) {
  const words = isMany(kind, each) ? [plural(each.count, kind)] : kind === 'step' ? [stepName(each.step), String(each.step + 1)] : PHASES[each.phase].slice(0, 2);
  return words.find((word) => word.length * LETTER_PX + AIR_PX <= width) || '';
}

/** @param {any} each */
const events = (each) => (each.first_event === each.last_event ? `event ${formatCount(each.first_event)}` : `events ${formatCount(each.first_event)} to ${formatCount(each.last_event)}`);

/** Which kind was chosen while a box had the focus: a box that comes in its place takes it over. @type {Kind|null} */
let focused = null;

/** Shows it alone, with a little of what comes before and after. @param {Kind} kind @param {any} each */
function select(kind, each) {
  const air = (each.x1 - each.x0) * 0.04;
  focused = document.activeElement?.matches('.period') ? kind : null;
  setRange({ x0: each.x0 - air, x1: each.x1 + air }, { kind, name: nameOf(kind, each), first: each.first_event, last: each.last_event });
}

/** @param {Kind} kind @param {any} each null: none is under the pointer */
function look(kind, each) {
  const sight = current();
  if (!sight) return;
  sight.period = each && { name: nameOf(kind, each), each };
  emit('period');
}

/** Arrows go from box to box; Tab goes on. @param {KeyboardEvent} event */
function walk(event) {
  const own = /** @type {HTMLElement} */ (event.currentTarget);
  const to = { ArrowLeft: own.previousElementSibling, ArrowRight: own.nextElementSibling, Home: own.parentElement?.firstElementChild, End: own.parentElement?.lastElementChild }[event.key];
  if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  if (!to) return;
  own.tabIndex = -1;
  /** @type {HTMLElement} */ (to).tabIndex = 0;
  /** @type {HTMLElement} */ (to).focus();
}

/** @param {Kind} kind @param {any} each */
function box(kind, each) {
  const shape = isMany(kind, each) ? 'many' : kind === 'step' ? 'step' : PHASES[each.phase][2];
  const node = /** @type {HTMLButtonElement} */ (el(`button.period.${shape}`, { type: 'button', tabindex: -1, onkeydown: walk, onclick: () => select(kind, each), onfocus: () => look(kind, each), onblur: () => look(kind, null), onpointerenter: () => look(kind, each), onpointerleave: () => look(kind, null) }, el('span')));
  const duration = each.duration_us === null ? '' : `, ${formatDuration(each.duration_us)}`;
  node.dataset.told = `${nameOf(kind, each)}, ${events(each)}${duration}. Show it alone`;
  return node;
}

/**
 * Puts the boxes where they belong. A box that stays keeps its element, and the focus.
 * @param {HTMLElement} track
 * @param {Kind} kind
 * @param {any[]} all of the answer, from left to right
 * @param {(x: number) => number} share of the width
 * @param {number} width
 */
export function layoutPeriods(track, kind, all, share, width) {
  const byKey = new Map(all.map((each) => [`${kind} ${each.first_event} ${each.last_event} ${each.count} ${each.x0}`, each]));
  const span = current()?.span;
  const nodes = keepChildren(track, byKey.keys(), (key) => box(kind, byKey.get(key)));
  for (const [key, node] of nodes) {
    const each = byKey.get(key);
    const from = Math.max(0, share(each.x0)), part = Math.max(0, Math.min(1, share(each.x1)) - from);
    Object.assign(node.style, { left: `${from * 100}%`, width: `${part * 100}%` });
    const word = wordOf(kind, each, part * width);
    /** @type {HTMLElement} */ (node.firstElementChild).textContent = word;
    // Who speaks to the page says what is written there, which may be short.
    const { told = '' } = node.dataset;
    node.setAttribute('aria-label', told.startsWith(word) ? told : `${word}: ${told}`);
    node.setAttribute('aria-pressed', String(span?.kind === kind && span.first === each.first_event && span.last === each.last_event));
  }
  if (!span) focused = null;
  if (focused === kind && document.activeElement === document.body) /** @type {HTMLElement|null} */ (track.querySelector('[aria-pressed="true"]'))?.focus();
  if (!track.querySelector('[tabindex="0"]')) track.firstElementChild?.setAttribute('tabindex', '0');
}

/** @param {{name: string, each: any}} period for the details */
export function periodSection({ name, each }) {
  /** @type {[string, Node|string|null][]} */
  const facts = [
    ['Events', each.first_event === each.last_event ? formatCount(each.first_event) : `${formatCount(each.first_event)} to ${formatCount(each.last_event)}`],
    ['Duration', each.duration_us === null ? null : formatDuration(each.duration_us)],
    ['At its end', el('span', null, bytesSpan(each.end_bytes), ' requested')],
  ];
  return el('section', { 'data-role': 'period' },
    el('h2.eyebrow', null, el('span', null, each.phase ? 'Phase' : each.step === null ? 'Too thin to part' : 'Step'), el('span.of', null, 'under the pointer')),
    el('p.figure', null, name),
    el('p.soft.small.hint', null, 'A click shows it alone; Esc goes back to the whole recording.'),
    el('dl.facts', null, ...facts.filter(([, value]) => value !== null).flatMap(([title, value]) => [el('dt', null, title), el('dd', null, value)])));
}
