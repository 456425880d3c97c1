// The card while the first file is read: phases with their numbers, one bar of bytes read, and Cancel.
import { byId, el, setText } from '../../dom.js';
import { closeFile } from '../../files.js';
import { formatBytesGroup, formatCount, formatSeconds, plural, splitUnit } from '../../format.js';
import { on, store } from '../../store.js';

const SHOW_AFTER_MS = 250;
/** @type {import('../../store.js').OpenFile|null} the file on the card */
let shown = null;
/** @type {Record<string, HTMLElement>} */
let parts = {};

/** @param {import('../../store.js').OpenFile} file */
export const isLoading = (file) => file.state !== 'ready' && file.state !== 'failed';

/** @returns {import('../../store.js').OpenFile|null} what the card is about, if there is to be one */
export function loadingFile() {
  if (store.active) return null;
  const file = store.files.find(isLoading);
  return file && performance.now() - file.since >= SHOW_AFTER_MS ? file : null;
}

/** @param {import('../../store.js').OpenFile} file */
export function percent(file) {
  if (file.state === 'drawing' || file.progress.drawing) return 100;
  return file.progress.total ? Math.min(100, Math.floor((file.progress.bytes / file.progress.total) * 100)) : 0;
}

/** @param {import('../../store.js').OpenFile} file */
function build(file) {
  const row = (/** @type {string} */ name) => {
    parts[`${name}-what`] = el('span');
    parts[`${name}-time`] = el('span.num');
    parts[name] = el('li', null, el('span.dot'), el('span', null, name), parts[`${name}-what`], parts[`${name}-time`]);
    return parts[name];
  };
  parts = {};
  parts.percent = el('b');
  parts.fill = el('span');
  parts.bar = el('div.progress', { role: 'progressbar', 'aria-label': `Opening ${file.name}`, 'aria-valuemin': 0, 'aria-valuemax': 100 }, parts.fill);
  parts.cancel = el('button.button', { type: 'button', onclick: () => closeFile(file) }, 'Cancel');
  byId('loading').replaceChildren(el('article.card.loading', null,
    el('div.total', null, el('h1.loading-title.truncate', { title: file.name }, `Opening ${file.name}`), parts.percent),
    parts.bar,
    el('ol.phases-list', null, row('Read'), row('Decode'), row('Draw')),
    el('div.loading-foot', null, el('span.soft', null, 'Read here, in this tab. Nothing is sent anywhere.'), parts.cancel)));
}

/** Brings the card up to date. */
export function updateLoading() {
  const file = loadingFile();
  if (!file) {
    shown = null;
    return;
  }
  if (shown !== file) build(file);
  shown = file;
  const { bytes, total, events, stacks, ms, drawing } = file.progress;
  const draws = drawing || file.state === 'drawing';
  const done = percent(file);
  setText(parts.percent, `${done}\u00a0%`);
  parts.bar.setAttribute('aria-valuenow', String(done));
  parts.fill.style.width = `${done}%`;
  const [read, all] = formatBytesGroup([draws ? total : bytes, total]);
  phase('Read', draws ? 'done' : 'active', draws ? all : `${splitUnit(read)[0]} of ${all}`, formatSeconds(ms / 1000));
  phase('Decode', draws ? 'done' : 'active', `${plural(events, 'event')}, ${plural(stacks, 'stack')}`, formatSeconds(ms / 1000));
  phase('Draw', draws ? 'active' : 'waiting', draws ? `${formatCount(events)} events` : 'starts when the last event is in', draws ? formatSeconds(Math.max(0, performance.now() - file.since - ms) / 1000) : '–');
  const stopping = file.state === 'stopping';
  setText(parts.cancel, stopping ? 'Stopping…' : 'Cancel');
  parts.cancel.toggleAttribute('disabled', stopping);
}

/**
 * @param {string} name
 * @param {'waiting'|'active'|'done'} state
 * @param {string} what
 * @param {string} time
 */
function phase(name, state, what, time) {
  parts[name].className = state;
  setText(parts[`${name}-what`], what);
  setText(parts[`${name}-time`], time);
}

/** @param {() => void} show called when the card may appear */
export function initLoading(show) {
  on('files', () => {
    const waiting = !store.active && store.files.some(isLoading);
    if (waiting && !loadingFile()) setTimeout(show, SHOW_AFTER_MS + 5);
  });
}
