// Two moments that are marked: M marks A, M again B; flags in the timeline and its minimap show where they lie.
import { addCommands } from '../../commands.js';
import { announce, byId, el } from '../../dom.js';
import { formatCount } from '../../format.js';
import { framed } from '../../frame.js';
import { closeMenu, openMenu } from '../../menu.js';
import { momentOf, placeOf, xEnd } from '../../sight.js';
import { current, emit, on, setView } from '../../store.js';
import { across } from '../timeline/plot-labels.js';

/** @param {number} moment @returns {string} */
export const momentText = (moment) => (moment === 0 ? 'before the first event' : `event ${formatCount(moment - 1)}`);

/** Marks the moment shown: as A, then as B; with both set B moves. Where a mark is already it takes that off. @returns {boolean} */
function mark() {
  const sight = current();
  if (!sight) return false;
  const now = momentOf(sight);
  const here = /** @type {const} */ (['b', 'a']).find((side) => sight.marks[side] === now);
  if (here) {
    sight.marks = { ...sight.marks, [here]: null };
    announce(`${momentText(now)} is ${here.toUpperCase()} no more`);
    emit('matches');
    return true;
  }
  put(sight, sight.marks.a === null ? 'a' : 'b');
  return true;
}

/** @param {import('../../sight.js').Sight} sight @param {'a'|'b'} side is the moment shown */
function put(sight, side) {
  sight.marks = { ...sight.marks, [side]: momentOf(sight) };
  announce(`${momentText(momentOf(sight))} is ${side.toUpperCase()}`);
  emit('matches');
}

/** Marks by mouse, or by a long press. @param {MouseEvent} event */
function offer(event) {
  const sight = current();
  if (!sight) return;
  event.preventDefault();
  const item = (/** @type {string} */ text, /** @type {string} */ key, /** @type {() => void} */ run, off = false) => el('button.item', { type: 'button', disabled: off, onclick: () => { closeMenu(); run(); } }, text, el('span', null, key));
  const none = sight.marks.a === null && sight.marks.b === null;
  openMenu(byId('timeline-canvas'), () => [item(`Mark ${momentText(momentOf(sight))} as A`, 'M', () => put(sight, 'a')), item('Mark it as B', 'M again', () => put(sight, 'b')), item('Clear marks', 'Shift M', () => void clear(), none), item('Compare A with B', '6', () => setView('compare'), sight.marks.a === null || sight.marks.b === null)], 'Marks', { x: event.clientX, y: event.clientY });
}

/** @returns {boolean} whether something was marked */
function clear() {
  const sight = current();
  if (!sight || (sight.marks.a === null && sight.marks.b === null)) return false;
  sight.marks = { a: null, b: null };
  announce('Marks cleared');
  emit('matches');
  return true;
}

const showFlags = framed(() => void flags());

async function flags() {
  const sight = current();
  if (!sight) return;
  const marked = /** @type {const} */ (['a', 'b']).filter((side) => sight.marks[side] !== null);
  const places = await Promise.all(marked.map((side) => placeOf(sight, sight.marks[side] ?? 0)));
  if (current() !== sight) return;
  for (const [id, part] of /** @type {[string, (x: number) => number][]} */ ([['timeline-plot', (x) => across(sight, x)], ['minimap-plot', (x) => x / Math.max(1, xEnd(sight))]])) {
    const plot = byId(id);
    for (const old of plot.querySelectorAll('.ab-flag')) old.remove();
    for (const [index, side] of marked.entries()) {
      const x = part((places[index].x0 + places[index].x1) / 2);
      if (x < 0 || x > 1) continue;
      const flag = el(`div.ab-flag.${side}`, { 'data-mark': side, 'aria-hidden': 'true' }, el('b', null, side.toUpperCase()));
      flag.style.left = `${x * 100}%`;
      plot.append(flag);
    }
  }
}

export function initMarks() {
  byId('timeline-plot').addEventListener('contextmenu', offer);
  addCommands([
    { title: 'Mark the moment shown: A, then B', group: 'Page', keys: ['KeyM'], shown: ['M'], run: mark },
    { title: 'Clear marks', group: 'Page', keys: ['Shift+KeyM'], shown: ['Shift M'], run: clear },
  ]);
  for (const topic of /** @type {const} */ (['active', 'range', 'options', 'matches'])) on(topic, showFlags);
}
