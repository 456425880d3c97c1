// The moment of the allocator's state: a slider over the whole recording, steps, and a player that goes from one to the next.
import { byId, el, icon, setText } from '../../dom.js';
import { formatBytes, formatCount, formatDuration } from '../../format.js';
import { current, emit, on, store } from '../../store.js';
import { momentOf, placeOf, yEnd } from '../../sight.js';
import { colours, pictureColours } from '../../theme.js';

/** Between two steps of the player: long enough to see what changed. */
const STEP_MS = 450;
const STEP_REDUCED_MS = 1400;
/** @type {'segment'|'mark'|null} what the player steps through; null: it stands */
let playing = null;
let timer = 0;
let painted = '';

/** @param {number} moment of all views */
export function goTo(moment) {
  const sight = current();
  if (!sight) return;
  const to = Math.min(Math.max(Math.round(moment), 0), sight.moments - 1);
  if (to === sight.moment) return;
  sight.moment = to;
  emit('moment');
  sight.client.latest('moment', () => {
    const asked = momentOf(sight);
    return Promise.all([sight.client.ask({ ask: 'moment', device: sight.device, moment: asked, stacking: sight.stacking }), placeOf(sight, asked)]);
  }, ([probe, place]) => {
    if (!probe || current() !== sight) return;
    sight.probe = probe;
    sight.cursor = (place.x0 + place.x1) / 2;
    emit('cursor');
  });
}

/**
 * @param {'event'|'mark'|'segment'|'oom'|'peak'} kind
 * @param {'previous'|'next'} towards
 * @returns {Promise<boolean>} whether there was one
 */
export async function step(kind, towards) {
  const sight = current();
  if (!sight) return false;
  const from = momentOf(sight);
  if (kind === 'event') {
    goTo(from + (towards === 'next' ? 1 : -1)); // a moment lies between two events: nothing to ask
    return momentOf(sight) !== from;
  }
  const found = await sight.client.ask({ ask: 'snap', device: sight.device, moment: from, kind, towards });
  const moment = found?.moment ?? null;
  if (moment === null || moment === from || current() !== sight) return false;
  goTo(moment);
  return true;
}

/** Plays or stands still. */
export function togglePlay() {
  if (playing) stop();
  else void play();
}

async function play() {
  const sight = current();
  if (!sight) return;
  playing = 'segment';
  showPlay();
  if (momentOf(sight) >= sight.moments - 1) goTo(0);
  if (!(await step('segment', 'next'))) playing = (await step('mark', 'next')) ? 'mark' : null;
  if (playing) timer = window.setTimeout(() => void next(), pause());
  showPlay();
}

async function next() {
  if (!playing) return;
  if (store.view !== 'state' || !(await step(playing, 'next'))) stop();
  else if (playing) timer = window.setTimeout(() => void next(), pause());
}

/** @returns {number} */
const pause = () => (matchMedia('(prefers-reduced-motion: reduce)').matches ? STEP_REDUCED_MS : STEP_MS);

export function stop() {
  clearTimeout(timer);
  playing = null;
  showPlay();
}

function showPlay() {
  const button = byId('play');
  button.replaceChildren(icon(playing ? 'pause' : 'play'));
  button.setAttribute('aria-label', playing ? 'Pause' : 'Play');
  button.title = `${playing ? 'Pause' : 'Play segment events'}  Space`;
}

/** Paints the whole recording into the track. */
function paint() {
  const sight = current();
  const track = byId('scrub');
  if (!sight || store.view !== 'state' || !track.clientWidth) return;
  const scale = devicePixelRatio || 1;
  const size = { width: Math.round(track.clientWidth * scale), height: Math.round(track.clientHeight * scale) };
  const view = { axis: 'event', x0: 0, x1: sight.moments, y0: 0, y1: yEnd(sight), ...size, stacking: sight.stacking };
  const request = { picture: 'minimap', device: sight.device, view, colours: { ...pictureColours(sight), background: colours().minimap }, labels: sight.labels, selected: null };
  const key = `${store.active?.id} ${JSON.stringify(sight.filter)} ${JSON.stringify(request)}`;
  if (key === painted) return;
  painted = key;
  sight.client.latest('scrub', () => sight.client.draw(request), (message) => {
    if (current() !== sight) return;
    const canvas = /** @type {HTMLCanvasElement} */ (byId('scrub-picture'));
    Object.assign(canvas, size);
    canvas.getContext('2d')?.putImageData(new ImageData(message.pixels, size.width, size.height), 0, 0);
  });
  const { peak, ooms } = sight.overview;
  byId('scrub-marks').replaceChildren(...[...(sight.moments < 2 ? [] : [{ moment: peak.moment, kind: '' }]), ...ooms.slice(-50).map((/** @type {any} */ oom) => ({ moment: oom.moment, kind: '.oom' }))].map(({ moment, kind }) => {
    const node = el(`div.mark${kind}`);
    node.style.left = `min(${((moment + 0.5) / sight.moments) * 100}%, calc(100% - 2px))`;
    return node;
  }));
}

/** The thumb, and in words where it stands. */
function layout() {
  const sight = current();
  if (!sight || store.view !== 'state') return;
  const moment = momentOf(sight);
  byId('scrub-thumb').style.left = `${((moment + 0.5) / sight.moments) * 100}%`;
  const oom = sight.overview.ooms.find((/** @type {any} */ each) => each.moment === moment);
  const atPeak = sight.moments > 1 && moment === sight.overview.peak.moment;
  const text = moment === 0 ? (sight.moments > 1 ? 'Before event 0' : 'This moment') : `Event ${formatCount(moment - 1)}`;
  const now = byId('state-now');
  now.dataset.event = moment === 0 ? '' : String(moment - 1);
  now.dataset.moment = String(moment);
  const time = moment > 0 && sight.probe?.moment === moment && sight.probe.time_us !== null ? formatDuration(sight.probe.time_us) : '';
  now.replaceChildren(el('b', null, text), ' ', oom ? el('span.is-error', { title: `${formatBytes(oom.requested_bytes)} did not fit` }, 'out of memory') : el('span.muted', null, atPeak ? 'peak' : time));
  const track = byId('scrub');
  track.setAttribute('aria-valuemin', '0');
  track.setAttribute('aria-valuemax', String(sight.moments - 1));
  track.setAttribute('aria-valuenow', String(moment));
  track.setAttribute('aria-valuetext', `${text}${oom ? ', out of memory' : atPeak ? ', peak' : ''}`);
  setText(byId('scrub-thumb'), '');
}

/** @param {PointerEvent} event */
function drag(event) {
  const sight = current();
  const box = byId('scrub').getBoundingClientRect();
  if (sight) goTo(Math.floor(((event.clientX - box.left) / box.width) * sight.moments));
}

/** @param {KeyboardEvent} event of the slider */
function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const sight = current();
  if (!sight) return;
  stop();
  if (event.key === 'ArrowLeft' || event.key === 'ArrowDown') void step('event', 'previous');
  else if (event.key === 'ArrowRight' || event.key === 'ArrowUp') void step('event', 'next');
  else if (event.key === 'PageUp') goTo(momentOf(sight) - sight.moments / 20);
  else if (event.key === 'PageDown') goTo(momentOf(sight) + sight.moments / 20);
  else if (event.key === 'Home') goTo(0);
  else if (event.key === 'End') goTo(sight.moments - 1);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

export function initScrub() {
  const track = byId('scrub');
  track.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    stop();
    track.setPointerCapture(event.pointerId);
    drag(event);
  });
  track.addEventListener('pointermove', (event) => {
    if (track.hasPointerCapture(event.pointerId)) drag(event);
  });
  track.addEventListener('keydown', key);
  byId('play').addEventListener('click', togglePlay);
  for (const [id, towards] of /** @type {const} */ ([['step-back', 'previous'], ['step-on', 'next']])) {
    byId(id).addEventListener('click', () => {
      stop();
      void step('segment', towards);
    });
  }
  for (const topic of /** @type {const} */ (['active', 'view', 'theme', 'filter', 'figures'])) on(topic, () => requestAnimationFrame(paint));
  for (const topic of /** @type {const} */ (['active', 'view', 'moment', 'cursor'])) on(topic, layout);
  on('view', () => {
    if (playing && store.view !== 'state') stop();
  });
  new ResizeObserver(paint).observe(track);
  showPlay();
}
