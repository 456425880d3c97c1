// Findings: facts that hold whatever the cause is, most severe first, each with where to look; and what there is to say of the recording itself.
import { el, icon } from '../../dom.js';
import { bytesSpan, formatCount, formatDuration, shortPath } from '../../format.js';
import { store } from '../../store.js';
import { term } from '../../tooltip.js';
import { showAllocation } from '../pin.js';
import { stackList } from '../stack-list.js';
import { modelState } from '../status.js';
import { marked, withCode } from '../words.js';

/** @typedef {import('../../sight.js').Sight} Sight */

/** More than so many are closed at first. */
const MOST_OPEN = 6;
const NAMES = /** @type {Record<string, string>} */ ({ error: 'Error', warning: 'Warning', note: 'Note' });
/** @type {WeakMap<object, Map<string, boolean>>} findings that were opened or closed by hand */
const touched = new WeakMap();

/** @param {Sight} sight */
export function findingsSection(sight) {
  const findings = sight.report?.findings || [];
  const closed = findings.length > MOST_OPEN;
  const count = findings.length ? el('span.muted', null, formatCount(findings.length)) : null;
  return el('section.findings-section.wide', { id: 'findings', 'aria-labelledby': 'findings-title' },
    el('h2', { id: 'findings-title' }, 'Findings ', count),
    sight.report && !findings.length ? el('p.soft', null, 'Nothing stands out.') : null,
    el('div.findings', null, ...findings.map((/** @type {any} */ each, /** @type {number} */ at) => finding(sight, each, `${each.code} ${at}`, closed)), recordingCard(sight)));
}

/**
 * @param {Sight} sight
 * @param {any} what
 * @param {string} key
 * @param {boolean} closed unless opened by hand
 */
function finding(sight, what, key, closed) {
  const { code, severity, title, bytes, evidence, advice, stack_id: stack, show } = what;
  const hand = touched.get(sight) || new Map();
  touched.set(sight, hand);
  const card = el('details.card.finding', { 'data-code': code, 'data-severity': severity, open: hand.get(key) ?? !closed },
    el('summary', { onclick: () => hand.set(key, !card.hasAttribute('open')) },
      el(`span.eyebrow.is-${severity}`, null, icon(severity), NAMES[severity] || severity),
      bytes === null ? null : el('span.finding-bytes', null, bytesSpan(bytes)),
      el('h3', null, ...marked(title))),
    evidence.length ? el('ul.dashes', null, ...evidence.map((/** @type {string} */ text) => el('li', null, ...marked(text)))) : null,
    advice.length ? el('ul.dashes.to-do', { 'aria-label': 'What to do' }, ...advice.map((/** @type {string} */ text) => el('li', null, ...marked(text)))) : null,
    stack === null || stack === undefined ? null : stackOf(sight, stack),
    show ? el('footer', null, el('button.button.small', { type: 'button', 'data-show': show.view, 'data-moment': show.moment, 'data-allocation': show.allocation, title: show.view === 'state' ? 'In the allocator state' : 'In the timeline', onclick: () => void showAllocation(show.view, show.allocation, show.moment) },
      icon('jump'), 'Show me', el('span.visually-hidden', null, `: ${title}`))) : null);
  return card;
}

/** The user's own frames; all of them open on request. @param {Sight} sight @param {number} id */
function stackOf(sight, id) {
  const list = el('div');
  const own = el('span.own-frames', null, '\u00a0');
  const node = el('details.finding-stack', null, el('summary', null, own), list);
  void sight.client.ask({ ask: 'stack', device: sight.device, id }).then((answer) => {
    const groups = answer?.stack || [];
    const frames = groups.filter((/** @type {any} */ group) => group.kind === 'own').flatMap((/** @type {any} */ group) => group.frames);
    const shown = (frames.length ? frames : groups.flatMap((/** @type {any} */ group) => group.frames)).slice(0, 2);
    own.replaceChildren(...shown.map((/** @type {any} */ { name, file, line }) => el('span.frame', { title: file ? `${name}\n${file}:${line}` : name }, el('b', null, name), file ? el('span.muted', null, ` ${shortPath(file)}:${line}`) : null)), ...(shown.length ? [] : ['No stack']));
    list.replaceChildren(stackList(groups));
  });
  return node;
}

/** What the file is, how far the allocator model agrees, and what the next recording should do otherwise. @param {Sight} sight */
function recordingCard(sight) {
  const file = store.active;
  if (!file) return null;
  const advice = file.advice.filter((each) => each.device === null || each.device === sight.device);
  return el('article.card.finding.recording', { 'aria-labelledby': 'recording-title' },
    el('p.eyebrow.is-note', null, icon('note'), 'Note'), el('h3', { id: 'recording-title' }, 'About this recording'),
    facts(sight), modelRow(sight),
    advice.length ? el('dl.recording-advice', null, ...advice.flatMap(({ title, text }) => [el('dt', null, ...withCode(title)), el('dd', null, ...withCode(text))])) : null);
}

/** @param {Sight} sight */
function facts(sight) {
  const { overview } = sight;
  const figures = sight.filter ? { ...sight.figures, allocations: overview.allocations, segments: overview.segments } : sight.figures;
  const fact = (/** @type {Node|string} */ name, /** @type {string|null} */ value) => (value === null ? null : el('span', null, el('b', null, name), ` ${value}`));
  return el('p.certain', null,
    fact(term('event', 'Events'), formatCount(figures.events)),
    fact(term('allocations'), formatCount(figures.allocations)),
    fact(term('segments'), formatCount(figures.segments)),
    fact('Recorded', overview.duration_us === null ? null : formatDuration(overview.duration_us)),
    fact('PyTorch', store.active?.opened?.version ?? null));
}

/** What the allocator model says, as a line. @param {Sight} sight */
export function modelRow(sight) {
  const file = store.active;
  if (!file) return null;
  const { mark, words, why } = modelState(sight, file);
  return el(`p.model-line${mark === 'warning' ? '.is-warning' : ''}`, { id: 'model-line' }, icon(mark), el('span', null, ...words, '.', why ? ` ${why}` : ''));
}
