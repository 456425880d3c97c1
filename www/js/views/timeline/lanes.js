// Lanes under the timeline: steps and phases, record_function ranges, and calls of the driver. Those of steps and phases are there before they are
// found, so that nothing moves; the others only when the recording has some.
import { boxOf } from '../../boxes.js';
import { byId, el } from '../../dom.js';
import { exactBytes, formatBytes, formatCount, formatDuration, plural } from '../../format.js';
import { framed, rested } from '../../frame.js';
import { current, on, store } from '../../store.js';
import { setRange } from '../../sight.js';
import { term } from '../../tooltip.js';
import { layoutPeriods } from './periods.js';

const MOST_LANES = 8;
const DIGIT_PX = 7.6;
const AIR_PX = 12;
/** @typedef {{lanes: number, driver: boolean, labels: number, periods: boolean}} Has labels: how often they had come; periods: there are steps or phases */
/** @type {WeakMap<object, Has>} what the whole recording has: the space is kept, whatever is in sight */
const known = new WeakMap();
/** @type {{sight: import('../../sight.js').Sight, axis: string, x0: number, x1: number}|null} what the lanes were laid out for */
let laid = null;

/** @param {import('../../sight.js').Sight} sight */
async function find(sight) {
  if (known.get(sight)?.labels === sight.labels || sight.moments < 2) return;
  const { labels } = sight;
  const answer = await sight.client.ask({ ask: 'lanes', device: sight.device, axis: 'event', x0: 0, x1: sight.moments, width: 1000 });
  known.set(sight, { lanes: Math.min(MOST_LANES, answer?.lanes || 0), driver: (answer?.driver.length || 0) > 0, labels, periods: Boolean(answer?.steps.length || answer?.phases.length) });
  if (current() === sight) build(sight);
}

/** Empty lanes of the right number. @param {import('../../sight.js').Sight} sight */
function build(sight) {
  const has = known.get(sight);
  byId('lanes').hidden = sight.moments < 2;
  const lane = (/** @type {Node|string} */ name, /** @type {string} */ shape) => el('div.lane', null, el('span', null, name), el(`div.track.${shape}`, null, el('div.moving')));
  byId('lanes').replaceChildren(
    lane(term('steps'), 'steps'), lane(term('phases'), 'phases'),
    ...Array.from({ length: has?.lanes ?? 0 }, (_, index) => lane(index ? '' : 'Ranges', 'ranges')),
    ...(has?.driver ? [lane(term('driver'), 'driver')] : []));
  laid = null;
  tellNone();
  move();
  ask();
}

/** Where there are no steps and phases, that is said. */
function tellNone() {
  const sight = current();
  const has = sight && known.get(sight);
  const none = store.active?.diagnosis.done && has && !has.periods && has.labels === sight.labels;
  const track = document.querySelector('#lanes .phases');
  if (track) /** @type {HTMLElement} */ (track).dataset.none = none ? 'none found' : '';
}

/** Lanes as they are move with the picture. */
const move = framed(() => {
  const sight = current();
  if (!sight || store.view !== 'timeline' || byId('lanes').hidden) return;
  const { x0, x1 } = sight.range;
  const same = laid && laid.sight === sight && laid.axis === sight.axis;
  const scale = same ? (laid.x1 - laid.x0) / (x1 - x0) : 0;
  const transform = !same ? 'scaleX(0)' : scale === 1 && laid.x0 === x0 ? '' : `translateX(${((laid.x0 - x0) / (x1 - x0)) * 100}%) scaleX(${scale})`;
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('#lanes .moving'))) {
    node.style.transform = transform;
    node.classList.toggle('stretched', scale !== 1);
  }
});

/** When the hand rests they are asked for anew. */
const askSoon = rested(80, ask);

function schedule() {
  move();
  askSoon();
}

function ask() {
  const sight = current();
  if (!sight || store.view !== 'timeline' || byId('lanes').hidden) return;
  sight.client.latest('lanes', () => {
    const { x0, x1 } = sight.range;
    const { axis } = sight;
    const width = Math.max(1, boxOf('timeline-plot').width);
    return sight.client.ask({ ask: 'lanes', device: sight.device, axis, x0, x1, width }).then((answer) => ({ answer, x0, x1, axis, width }));
  }, ({ answer, x0, x1, axis, width }) => {
    if (!answer || current() !== sight || axis !== sight.axis) return;
    const share = (/** @type {number} */ x) => (x - x0) / (x1 - x0);
    const tracks = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('#lanes .ranges .moving'));
    for (const [index, node] of tracks.entries()) node.replaceChildren(...answer.ranges.filter((/** @type {any} */ each) => each.lane === index).map((/** @type {any} */ each) => range(sight, each, share, width)));
    for (const kind of /** @type {const} */ (['step', 'phase'])) {
      const track = /** @type {HTMLElement|null} */ (document.querySelector(`#lanes .${kind}s .moving`));
      if (track) layoutPeriods(track, kind, answer[`${kind}s`], share, width);
    }
    document.querySelector('#lanes .driver .moving')?.replaceChildren(...calls(answer.driver, share, sight));
    laid = { sight, axis, x0, x1 };
    move();
  });
}

/** @param {import('../../sight.js').Sight} sight @param {number} x */
const at = (sight, x) => (sight.axis === 'time' ? formatDuration(x) : `event ${formatCount(Math.max(0, Math.floor(x) - 1))}`);

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {any} each
 * @param {(x: number) => number} share
 * @param {number} width
 */
function range(sight, each, share, width) {
  const from = Math.max(0, share(each.x0)), to = Math.min(1, share(each.x1));
  const many = each.count > 1;
  const name = many ? plural(each.count, 'range') : each.name;
  const extent = `${each.open_start ? 'before recording' : at(sight, each.x0)} to ${each.open_end ? 'the end or later' : at(sight, each.x1)}`;
  const fits = (to - from) * width >= name.length * DIGIT_PX + AIR_PX;
  const node = el(`button.range${many ? '.many' : ''}`, { type: 'button', title: `${name}\n${extent}`, 'aria-label': `${name}, ${extent}. Zoom to it`, onclick: () => {
    const air = (each.x1 - each.x0) * 0.05;
    setRange({ x0: each.x0 - air, x1: each.x1 + air });
  } }, fits ? el('span', null, name) : null);
  Object.assign(node.style, { left: `${from * 100}%`, width: `${Math.max(0, to - from) * 100}%` });
  return node;
}

/**
 * @param {any[]} driver calls merged by column
 * @param {(x: number) => number} share
 * @param {import('../../sight.js').Sight} sight
 */
function calls(driver, share, sight) {
  const most = Math.max(1, ...driver.map((each) => Math.max(each.gained_bytes, each.lost_bytes)));
  const bar = (/** @type {any} */ each, /** @type {'gain'|'loss'} */ shape) => {
    const bytes = shape === 'gain' ? each.gained_bytes : each.lost_bytes;
    const count = shape === 'gain' ? each.alloc + each.map : each.free + each.unmap;
    if (!count) return null;
    const node = el(`i.${shape}`, { title: `${plural(count, 'call')}, ${shape === 'gain' ? 'took' : 'gave back'} ${formatBytes(bytes)} (${exactBytes(bytes)})\n${at(sight, each.x0)}` });
    Object.assign(node.style, { left: `${Math.max(0, share(each.x0)) * 100}%`, height: `${Math.max(15, Math.sqrt(bytes / most) * 50)}%` });
    return node;
  };
  return driver.flatMap((each) => [bar(each, 'gain'), bar(each, 'loss')]).filter((node) => node !== null);
}

export function initLanes() {
  on('active', () => {
    const sight = current();
    if (!sight) return;
    build(sight);
    void find(sight);
  });
  on('labels', () => {
    const sight = current();
    if (sight) void find(sight);
  });
  on('diagnosis', tellNone);
  on('view', () => {
    const sight = current();
    if (sight) sight.period = null; // what is hidden hears of no pointer that leaves
  });
  for (const topic of /** @type {const} */ (['range', 'options', 'view', 'filter'])) on(topic, schedule);
  new ResizeObserver(schedule).observe(byId('lanes'));
}
