// The timeline: its tool bar, its commands, and what follows the cursor.
import { byId, setText } from '../../dom.js';
import { addCommands, pair } from '../../commands.js';
import { formatBytes, formatCount, plural } from '../../format.js';
import { remember } from '../../settings.js';
import { current, emit, on, store } from '../../store.js';
import { leaveSpan, pan, placeOf, setRange, showWhole, wholeRange, isWhole, zoomX } from '../../sight.js';
import { centreOrFit, letGo, pinAllocation, refreshProbe, setMoment, stepCursor } from '../pin.js';
import { showCursor } from './plot-labels.js';
import { initPlot, viewOf } from './plot.js';
import { initGestures } from './gestures.js';
import { initStacking } from '../stacking.js';

/** @param {'event'|'time'} axis keeps the moments in sight */
export async function setAxis(axis) {
  const sight = current();
  if (!sight || sight.axis === axis || (axis === 'time' && !sight.hasTime)) return;
  const whole = isWhole(sight);
  const { span } = sight;
  const { x0, x1 } = sight.range;
  const moments = await Promise.all([x0, x1].map((x) => sight.client.ask({ ask: 'at', device: sight.device, axis: sight.axis, x })));
  if (current() !== sight || moments.includes(null)) return;
  sight.axis = axis;
  const [from, to] = await Promise.all(moments.map(({ moment }) => placeOf(sight, moment)));
  const { y0, y1 } = sight.range;
  sight.range = whole ? wholeRange(sight) : { ...wholeRange(sight), y0, y1 };
  if (!whole) setRange({ x0: from.x0, x1: to.x1 }, span);
  if (sight.probe) {
    const place = await placeOf(sight, sight.probe.moment);
    sight.cursor = (place.x0 + place.x1) / 2;
  }
  emit('options');
  emit('cursor');
}

function updateToolbar() {
  const sight = current();
  if (!sight) return;
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('[data-axis]'))) {
    button.setAttribute('aria-pressed', String(button.dataset.axis === sight.axis));
    if (button.dataset.axis === 'time') button.disabled = !sight.hasTime;
  }
  byId('no-time').hidden = sight.hasTime;
  setText(byId('no-time'), sight.noTime);
  const { peak } = sight.overview;
  byId('timeline-canvas').setAttribute('aria-label', `Live allocations, stacked by ${byId('by-name').textContent}. ${plural(sight.overview.alive_at_peak.count, 'block')}${sight.moments > 1 ? ' at the peak' : ''} of ${formatBytes(peak.requested_bytes)}${peak.moment === 0 ? '' : `, event ${formatCount(peak.event)}`}. Arrow keys move the cursor, Enter pins a block, then they go from block to block; the table below mirrors the picture.`);
}

/** The moment that keys start from. */
const momentNow = () => {
  const sight = current();
  return sight?.selection?.moment ?? sight?.probe?.moment ?? sight?.overview.peak.moment ?? 0;
};

/** @param {'event'|'mark'} kind @param {'previous'|'next'} towards */
async function snap(kind, towards) {
  const sight = current();
  if (!sight) return;
  const from = sight.probe?.moment ?? momentNow();
  const found = await sight.client.ask({ ask: 'snap', device: sight.device, moment: from, kind, towards });
  if (found && found.moment !== null) await setMoment(found.moment);
}

/** @param {'up'|'down'|'left'|'right'} towards */
async function neighbour(towards) {
  const sight = current();
  if (!sight) return;
  const { selection } = sight;
  if (selection?.kind !== 'allocation') {
    await pinAtCursor();
    return;
  }
  const found = await sight.client.ask({ ask: 'neighbour', device: sight.device, id: selection.id, moment: selection.moment, towards, stacking: sight.stacking });
  if (!found || found.id === null || current() !== sight) return;
  await pinAllocation(found.id, found.moment);
  if (found.moment !== sight.probe?.moment) await setMoment(found.moment);
}

/** Pins what is under the cursor, or the block in the middle of the stack there. */
async function pinAtCursor() {
  const sight = current();
  if (!sight) return;
  if (sight.probe?.allocation) {
    await pinAllocation(sight.probe.allocation.id, sight.probe.moment, sight.probe.allocation);
    return;
  }
  if (!sight.probe) await setMoment(sight.overview.peak.moment);
  const view = viewOf(sight);
  const { x0, x1, y0, y1 } = sight.range;
  const x = ((sight.cursor ?? x0) - x0) / (x1 - x0);
  const y = (y1 - Math.min(Math.max((sight.probe?.requested_bytes || 0) / 2, y0), y1)) / (y1 - y0);
  const found = await sight.client.ask({ ask: 'probe', device: sight.device, view, x: Math.min(Math.max(x, 0), 0.9999) * view.width, y: Math.min(y, 0.9999) * view.height });
  if (found?.allocation) await pinAllocation(found.allocation.id, found.moment, found.allocation);
}

/** The same, as somebody wishes for all files to come. @param {'event'|'time'} axis */
function chooseAxis(axis) {
  remember('axis', axis);
  return setAxis(axis);
}

/** @param {number} factor */
function zoomAtCursor(factor) {
  const sight = current();
  if (!sight) return;
  const { x0, x1 } = sight.range;
  const { cursor } = sight;
  zoomX(factor, cursor !== null && cursor >= x0 && cursor <= x1 ? cursor : (x0 + x1) / 2);
}

/** @param {() => unknown} act only on the timeline */
const here = (act) => () => {
  if (!store.active || store.view !== 'timeline') return false;
  act();
  return true;
};

/** @param {'left'|'right'} towards with no block pinned these keys move the cursor */
const sideways = (towards) => here(() => void (current()?.selection?.kind === 'allocation' ? neighbour(towards) : stepCursor(towards === 'left' ? -1 : 1, byId('timeline-plot').clientWidth)));

/** @param {number} step of the right end of the range */
const widen = (step) => here(() => {
  const range = current()?.range;
  if (range) setRange({ x1: Math.max(range.x0, range.x1 + step * (range.x1 - range.x0)) });
});

export function initTimeline() {
  initStacking();
  initPlot();
  initGestures();
  for (const topic of /** @type {const} */ (['active', 'options'])) on(topic, updateToolbar);
  on('active', () => {
    const sight = current();
    // The moment that matters: the request that failed last, or the peak.
    if (sight && !sight.probe) void setMoment(sight.overview.ooms.at(-1)?.moment ?? sight.overview.peak.moment, false);
  });
  on('cursor', showCursor);
  on('labels', () => void refreshProbe());
  on('options', () => void (current()?.probe && current()?.probe.stacking !== current()?.stacking && refreshProbe()));
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-axis]'))) button.addEventListener('click', () => void chooseAxis(/** @type {'event'} */ (button.dataset.axis)));
  byId('mark-previous').addEventListener('click', () => void snap('mark', 'previous'));
  byId('mark-next').addEventListener('click', () => void snap('mark', 'next'));
  byId('whole').addEventListener('click', showWhole);
  const group = 'Timeline';
  addCommands([
    { title: 'Zoom in at the cursor', group, keys: ['KeyW', 'Equal', 'Shift+Equal', 'NumpadAdd'], shown: ['W', '+'], run: here(() => zoomAtCursor(0.7)) },
    { title: 'Zoom out', group, keys: ['KeyS', 'Minus', 'NumpadSubtract'], shown: ['S', '−'], run: here(() => zoomAtCursor(1 / 0.7)) },
    { title: 'Pan left', group, keys: ['KeyA'], shown: ['A'], run: here(() => pan(-0.15)) },
    { title: 'Pan right', group, keys: ['KeyD'], shown: ['D'], run: here(() => pan(0.15)) },
    { title: 'Whole recording', group, keys: ['Digit0', 'Numpad0'], shown: ['0'], run: here(showWhole) },
    ...pair(group, 'Narrow or widen the range', [['Narrow the range', ['Shift+ArrowLeft'], 'Shift ←', widen(-0.1)], ['Widen the range', ['Shift+ArrowRight'], 'Shift →', widen(0.1)]]),
    { title: 'Centre what is pinned, then fit it', group, keys: ['KeyF'], shown: ['F', 'F'], run: here(() => void centreOrFit()) },
    ...pair(group, 'Block above, below in the stack', [['Block above in the stack', ['ArrowUp'], '↑', here(() => void neighbour('up'))], ['Block below in the stack', ['ArrowDown'], '↓', here(() => void neighbour('down'))]]),
    ...pair(group, 'Move the cursor; when a block is pinned, block made before, after it', [['Move the cursor left; block made before the pinned one', ['ArrowLeft'], '←', sideways('left')], ['Move the cursor right; block made after the pinned one', ['ArrowRight'], '→', sideways('right')]]),
    ...pair(group, 'Cursor to the start, to the end', [['Cursor to the start', ['Home'], 'Home', here(() => void setMoment(0))], ['Cursor to the end', ['End'], 'End', here(() => void setMoment((current()?.moments ?? 1) - 1))]]),
    { title: 'Pin what is under the cursor', group, keys: ['Enter', 'NumpadEnter'], shown: ['Enter'], run: here(() => void pinAtCursor()) },
    { title: 'Let go', group, keys: ['Escape'], shown: ['Esc'], run: here(() => letGo() || leaveSpan()) },
    ...pair(group, 'Previous, next event', [['Previous event', ['Comma'], ',', here(() => void snap('event', 'previous'))], ['Next event', ['Period'], '.', here(() => void snap('event', 'next'))]]),
    ...pair(group, 'Previous, next peak or OOM', [['Previous peak or OOM', ['BracketLeft'], '[', here(() => void snap('mark', 'previous'))], ['Next peak or OOM', ['BracketRight'], ']', here(() => void snap('mark', 'next'))]]),
    { title: 'X axis: events or time', group, keys: ['KeyT'], shown: ['T'], run: here(() => void chooseAxis(current()?.axis === 'event' ? 'time' : 'event')) },
  ]);
}
