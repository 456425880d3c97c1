// The find bar of the timeline: a pattern over all stacks, and a walk through the allocations that have such a frame.
import { movesBoxes } from '../../boxes.js';
import { byId, el, icon, setText } from '../../dom.js';
import { addCommands } from '../../commands.js';
import { exactBytes, formatBytes, formatCount, plural } from '../../format.js';
import { measureSince } from '../../input.js';
import { current, on, setView, store } from '../../store.js';
import { setRange } from '../../sight.js';
import { pinAllocation, setMoment } from '../pin.js';

const field = /** @type {HTMLInputElement} */ (el('input', {
  id: 'find-input', type: 'search', autocomplete: 'off', spellcheck: 'false', placeholder: 'Function, file or pattern',
  'aria-label': 'Find in all stacks: a regular expression', 'aria-describedby': 'find-fault',
}));
const told = el('output.told', { id: 'find-told', for: 'find-input', 'aria-live': 'polite' });
const fault = el('p.fault', { id: 'find-fault', role: 'status', 'aria-live': 'polite', hidden: true });
/** @type {any} what was found for the pattern in the field, or null */
let found = null;
/** Steps come one after the other, however fast the keys do. */
let steps = Promise.resolve();

const isOpen = () => !byId('find').hidden;

function open() {
  if (!store.active) return false;
  setView('timeline');
  byId('find').hidden = false;
  byId('find-open').setAttribute('aria-expanded', 'true');
  field.focus();
  field.select();
  search();
  return true;
}

function close() {
  byId('find').hidden = true;
  byId('find-open').setAttribute('aria-expanded', 'false');
  byId('timeline-canvas').focus();
}

/** Asks for what is in the field. @param {number} [since] when it came there */
function search(since = 0) {
  const sight = current();
  const pattern = field.value;
  if (!sight || !isOpen()) return;
  if (!pattern) {
    show(null);
    return;
  }
  const { client } = sight;
  // Not `ask`: it takes an answer with an error for none.
  client.latest('search', () => client.send('ask', { question: client.filtered({ ask: 'search', device: sight.device, pattern }) }), (answer) => {
    if (current() !== sight || field.value !== pattern) return;
    show(answer);
    measureSince('vramscope:search', since, { pattern });
  });
}

/** @param {any} answer @param {{index: number, of: number}|null} [at] which of them is pinned */
function show(answer, at = null) {
  found = answer && !answer.error ? answer : null;
  const wrong = answer?.error ? answer : null;
  field.setAttribute('aria-invalid', String(wrong !== null));
  fault.hidden = wrong === null;
  if (wrong) {
    const letters = [...field.value];
    fault.replaceChildren(`${wrong.error} `, el('code', null, letters.slice(0, wrong.at).join(''), el('mark', null, letters.slice(wrong.at).join('') || ' ')));
  }
  for (const button of ['find-previous', 'find-next']) /** @type {HTMLButtonElement} */ (byId(button)).disabled = !found?.allocations;
  setText(told, found ? summary(found, at) : '');
  told.title = found?.allocations ? `${exactBytes(found.alive_at_peak.bytes)} in ${plural(found.alive_at_peak.count, 'block')} at the peak` : '';
}

/** @param {any} answer @param {{index: number, of: number}|null} at */
function summary(answer, at) {
  if (!answer.allocations) return 'No allocation has such a frame.';
  const which = at ? `${formatCount(at.index + 1)} of ` : '';
  return `${which}${plural(answer.allocations, 'allocation')} · ${plural(answer.stacks, 'stack')} · ${formatBytes(answer.alive_at_peak.bytes)} at the peak`;
}

/** Pins the next allocation found after the one that is pinned. @param {'next'|'previous'} towards */
async function step(towards) {
  const sight = current();
  const pattern = field.value;
  if (!sight || !pattern) return;
  const from = sight.selection?.kind === 'allocation' ? sight.selection.id : null;
  const next = await sight.client.ask({ ask: 'search_next', device: sight.device, pattern, from, towards });
  if (!next || next.id === null || current() !== sight) return;
  await pinAllocation(next.id, next.moment);
  await setMoment(next.moment);
  if (current() !== sight || field.value !== pattern) return;
  revealBytes(sight);
  if (found) show(found, next);
}

/** Scrolls the bytes so that the middle of what is pinned is in sight. @param {import('../../sight.js').Sight} sight */
function revealBytes({ selection, range }) {
  const details = selection?.kind === 'allocation' ? selection.details : null;
  if (!details || typeof details.offset_bytes !== 'number') return;
  const middle = details.offset_bytes + details.requested_bytes / 2;
  const half = (range.y1 - range.y0) / 2;
  if (middle < range.y0 || middle > range.y1) setRange({ y0: middle - half, y1: middle + half });
}

/** @param {'next'|'previous'} towards */
const go = (towards) => void (steps = steps.then(() => step(towards)));

/** @param {KeyboardEvent} event */
function key(event) {
  const again = event.code === 'KeyF' && (event.ctrlKey || event.metaKey);
  if (event.isComposing) return;
  if (event.key === 'Escape') close();
  else if (event.key === 'Enter' && event.target === field) go(event.shiftKey ? 'previous' : 'next');
  else if (again) field.select();
  else return;
  event.preventDefault();
}

export function initFind() {
  /** @param {string} id @param {string} label @param {string} keys @param {string} picture @param {() => void} act */
  const button = (id, label, keys, picture, act) => el('button.button.quiet.icon-only', { id, type: 'button', 'aria-label': label, title: `${label}  ${keys}`, onclick: act }, icon(picture));
  const bar = byId('find');
  bar.append(field, button('find-previous', 'Previous match', 'Shift Enter', 'prev', () => go('previous')), button('find-next', 'Next match', 'Enter', 'next', () => go('next')), told, button('find-close', 'Close', 'Esc', 'close', close), fault);
  bar.addEventListener('keydown', key);
  movesBoxes(bar); // in a narrow window the picture moves down
  field.addEventListener('input', () => search(performance.now()));
  byId('find-open').addEventListener('click', () => (isOpen() ? close() : open()));
  show(null);
  for (const topic of /** @type {const} */ (['active', 'filter'])) on(topic, () => search());
  addCommands([{ title: 'Find in all stacks; then next, previous match: Enter, Shift Enter', group: 'Timeline', keys: ['/', 'Mod+KeyF'], shown: ['/', 'Ctrl F'], run: open }]);
}
