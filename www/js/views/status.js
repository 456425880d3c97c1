// The bar at the foot: does the allocator model agree, is the history complete, what kind of stacks, and that nothing leaves the tab.
import { byId, el, icon } from '../dom.js';
import { formatBytes, formatCount, plural } from '../format.js';
import { current, on, setView, store } from '../store.js';
import { term } from '../tooltip.js';
import { showMoment } from './pin.js';

/** @param {import('../sight.js').Sight} sight */
export function historyText(sight) {
  const { complete, baseline_bytes: before, unmatched_frees: unmatched } = sight.figures.history;
  if (sight.moments < 2) return 'No history: one moment only';
  if (complete) return 'History complete';
  if (before > 0) return `History incomplete: ${formatBytes(before)} were there before`;
  return unmatched > 0 ? `History incomplete: ${plural(unmatched, 'free')} of unknown blocks` : 'History incomplete';
}

/** @param {import('../store.js').OpenFile} file @returns {string} how far the check of the allocator model is */
export function checkedShare(file) {
  const { checked, events } = file.check;
  return `${events > 0 ? Math.min(99, Math.floor((checked / events) * 100)) : 0}\u00a0%`;
}

/**
 * What the allocator model says of this device: icon, words, why, and where it first differs.
 * @param {import('../sight.js').Sight} sight
 * @param {import('../store.js').OpenFile} file
 * @returns {{mark: string, words: (Node|string)[], why: string|null, moment: number|null}}
 */
export function modelState(sight, file) {
  const { model, model_reason: reason } = sight.figures;
  if (!file.check.done) return { mark: 'note', words: [`Checking the allocator model, ${checkedShare(file)}`], why: null, moment: null };
  if (!model) return { mark: 'note', words: ['Allocator model not checked'], why: reason || 'This recording has nothing it could be checked against.', moment: null };
  const { checked_events: of, agreeing_events: agreeing, first_difference: first } = model;
  const cause = model.difference ?? model.cause;
  const why = cause ? [cause.title, cause.text].map((text) => text.replace(/\.?$/, '.')).join(' ') : null;
  if (!of) return { mark: 'note', words: ['Allocator model: no events to check'], why, moment: null };
  if (first === null || first === undefined) return { mark: 'check', words: ['Allocator model agrees on ', el('b', null, `${formatCount(agreeing)} of ${formatCount(of)}`), ' events'], why, moment: null };
  const event = typeof first === 'object' ? first.event : first;
  if (event >= of) return { mark: 'warning', words: ['Allocator model agrees on ', el('b', null, plural(of, 'event')), ', but not on the end'], why, moment: event };
  return { mark: 'warning', words: ['Allocator model agrees until event ', el('b', null, formatCount(event))], why, moment: event };
}

/**
 * @param {import('../sight.js').Sight} sight
 * @param {import('../store.js').OpenFile} file
 */
function modelNode(sight, file) {
  const { mark, words, why, moment } = modelState(sight, file);
  const text = moment === null ? term('model', '', why) : el('button.link', { type: 'button', 'data-term': 'model', 'data-why': why, onclick: () => void showMoment(moment) });
  text.append(...words);
  return el('span', { 'data-role': 'model' }, icon(mark), ' ', text);
}

/** What the file does not tell, as one word that leads there. @param {import('../store.js').OpenFile} file */
function warningsNode(file) {
  const { warnings } = file.opened.summary;
  if (!warnings.length) return null;
  const wrong = warnings.some((/** @type {any} */ each) => each.severity !== 'note');
  return el('button.link', { type: 'button', title: 'What this file does not tell', onclick: () => {
    setView('overview');
    byId('warnings').scrollIntoView({ block: 'start' });
    byId('warnings').focus({ preventScroll: true });
  } }, icon(wrong ? 'warning' : 'note'), ' ', plural(warnings.length, 'note'));
}

function update() {
  const sight = current();
  const file = store.active;
  if (!sight || !file) return;
  const stacks = file.opened.stacks;
  byId('status').replaceChildren(...[
    modelNode(sight, file),
    el('span', null, icon(sight.figures.history.complete ? 'check' : 'warning'), ' ', term('history', historyText(sight))),
    el('span', null, stacks === 'none' ? 'No stacks in this file' : `Stacks: ${stacks}`),
    warningsNode(file),
    el('span', null, icon('lock'), ' Nothing leaves this tab')].filter((node) => node !== null));
}

export function initStatus() {
  for (const topic of /** @type {const} */ (['active', 'check', 'figures'])) on(topic, update);
}
