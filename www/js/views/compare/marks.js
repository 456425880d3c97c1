// Two moments that are marked: M marks A, M again B; flags in the timeline and its minimap show where they lie.
import { addCommands } from '../../commands.js';
import { announce, byId, el } from '../../dom.js';
import { formatCount } from '../../format.js';
import { framed } from '../../frame.js';
import { momentOf, placeOf, xEnd } from '../../sight.js';
import { current, emit, on } from '../../store.js';
import { across } from '../timeline/plot-labels.js';

/** @param {number} moment @returns {string} */
export const momentText = (moment) => (moment === 0 ? 'before the first event' : `event ${formatCount(moment - 1)}`);

/** Marks the moment shown: as A, then as B; with both set B moves. @returns {boolean} */
function mark() {
  const sight = current();
  if (!sight) return false;
  const side = sight.marks.a === null ? 'a' : 'b';
  sight.marks = { ...sight.marks, [side]: momentOf(sight) };
  announce(`${momentText(momentOf(sight))} is ${side.toUpperCase()}`);
  emit('matches');
  return true;
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
  addCommands([
    { title: 'Mark the moment shown: A, then B', group: 'Page', keys: ['KeyM'], shown: ['M'], run: mark },
    { title: 'Clear marks', group: 'Page', keys: ['Shift+KeyM'], shown: ['Shift M'], run: clear },
  ]);
  for (const topic of /** @type {const} */ (['active', 'range', 'options', 'matches'])) on(topic, showFlags);
}
