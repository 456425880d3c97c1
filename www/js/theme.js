// Light, dark or as the system says; and the colours in force, read from the tokens for those who paint.
import { CATEGORIES } from './categories.js';
import { byId } from './dom.js';
import { remember, remembered } from './settings.js';
import { emit } from './store.js';

const ORDER = ['system', 'light', 'dark'];
const SLOTS = ['--stack-1', '--stack-2', '--stack-3', '--stack-4', '--stack-5', '--stack-6', '--stack-7', '--stack-rest-a', '--stack-rest-b'];

const CATEGORY_SLOTS = CATEGORIES.map((category) => `--cat-${category}`);

/** @param {string} theme */
function apply(theme) {
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
  const button = byId('theme');
  button.setAttribute('aria-label', `Theme: ${theme}`);
  button.title = `Theme: ${theme}  (system, light, dark)`;
}

/** The next theme; the first press always changes what is seen. */
export function cycleTheme() {
  const now = document.documentElement.dataset.theme || 'system';
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const order = dark ? ['system', 'light', 'dark'] : ['system', 'dark', 'light'];
  const next = order[(order.indexOf(now) + 1) % ORDER.length];
  remember('theme', next);
  apply(next);
  changed();
}

export function initTheme() {
  const theme = remembered('theme') ?? 'system';
  apply(ORDER.includes(theme) ? theme : 'system');
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)']) matchMedia(query).addEventListener('change', changed);
  byId('theme').addEventListener('click', cycleTheme);
}

/** @type {any} */
let cache = null;
function changed() {
  cache = null;
  emit('theme');
}

/**
 * @param {string} token a custom property
 * @returns {[number, number, number, number]} red, green, blue, and opacity of one
 */
function resolve(token) {
  const probe = byId('probe');
  probe.style.color = `var(${token})`;
  const [r, g, b, a = 1] = (getComputedStyle(probe).color.match(/[\d.]+/g) || ['0', '0', '0']).map(Number);
  return [r, g, b, a];
}

/**
 * @param {string} token
 * @param {string} [ground] what a translucent colour lies on
 * @returns {string} `#rrggbb`
 */
function hex(token, ground = '--surface-panel') {
  const [r, g, b, a] = resolve(token);
  const under = a < 1 ? resolve(ground) : [0, 0, 0];
  return `#${[r, g, b].map((part, index) => Math.round(part * a + under[index] * (1 - a)).toString(16).padStart(2, '0')).join('')}`;
}

/**
 * @param {string} token
 * @param {number} opacity
 * @returns {string} what it looks like in a large field
 */
function field(token, opacity) {
  const [over, under] = [resolve(token), resolve('--surface-panel')];
  return `#${[0, 1, 2].map((part) => Math.round(over[part] * opacity + under[part] * (1 - opacity)).toString(16).padStart(2, '0')).join('')}`;
}

/** @returns {any} the colours of pictures, grids and charts, as the wasm takes them */
export function colours() {
  if (cache) return cache;
  const opacity = Number(getComputedStyle(document.documentElement).getPropertyValue('--area-opacity')) || 1;
  cache = {
    key: String(Math.random()),
    picture: {
      slots: SLOTS.map((slot) => hex(slot)),
      opacity,
      background: hex('--surface-panel'),
      reserved: hex('--line-reserved'),
      edge: hex('--surface-panel'),
    },
    categories: CATEGORY_SLOTS.map((slot) => hex(slot)),
    state: { free: hex('--state-free-line'), pending: hex('--state-pending-line'), rounding: hex('--state-rounding'), pinned: hex('--warning-line'), ink: hex('--ink-1'), several: hex('--surface-sunken'), several_foot: hex('--ink-3') },
    minimap: hex('--surface-app'),
    // Laid over data by a translucent canvas, see timeline.css.
    grid: { grid: hex('--ink-1'), axis: hex('--ink-1') },
    compare: { a: hex('--ink-1'), b: hex('--accent'), between: hex('--accent-soft'), grid: hex('--plot-grid'), axis: hex('--line-strong') },
    whatif: { recorded: hex('--ink-1'), best: hex('--good-line'), worse: hex('--warning-line'), rest: hex('--stack-rest-b'), fill: hex('--line'), grid: hex('--plot-grid'), axis: hex('--line-strong') },
    chart: { categories: CATEGORY_SLOTS.map((slot) => field(slot, opacity)), requested: hex('--stack-rest-a'), reserved: hex('--line-reserved'), grid: hex('--plot-grid'), axis: hex('--line-strong'), peak: hex('--ink-1'), oom: hex('--line-limit') },
  };
  return cache;
}

/**
 * The colours of a picture of allocations, which are those of all views.
 * @param {import('./sight.js').Sight} sight
 */
export function pictureColours(sight) {
  const { picture, categories } = colours();
  return sight.stacking === 'category' ? { ...picture, slots: categories } : picture;
}
