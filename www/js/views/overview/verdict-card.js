// The answer: what happened in one sentence, why, what to change, and how sure that is. While it is looked for, the same card says how far that is.
import { el, icon } from '../../dom.js';
import { bytesSpan, formatBytes, formatCount, shortPath } from '../../format.js';
import { lastOom } from '../../report.js';
import { store } from '../../store.js';
import { term } from '../../tooltip.js';
import { reportTools } from './report-tools.js';
import { marked } from '../words.js';

/** @typedef {import('../../sight.js').Sight} Sight */

const ICONS = /** @type {Record<string, string>} */ ({ error: 'error', warning: 'warning', note: 'note', good: 'check' });
/** What comes after a stage. */
const NEXT = /** @type {Record<string, string>} */ ({ '': 'Reading stacks', stacks: 'Finding phases and categories', categories: 'Looking for growth from step to step', growth: 'Weighing causes', verdict: 'Weighing causes' });
/** How a cause is called in a line. */
export const CAUSES = /** @type {Record<string, string>} */ ({
  weights_optimizer: 'model state', activation_peak: 'activations', fragmentation: 'fragmentation', leak: 'leak', gc_sawtooth: 'reference cycles', stable: 'healthy', no_history: 'no history', unknown: 'unknown',
});

/** @param {Sight} sight */
export function verdictCard(sight) {
  const { report } = sight;
  if (!report) return waiting(sight);
  const tone = ICONS[report.tone] ? report.tone : 'note';
  return el(`article.card.verdict${sight.moments > 1 ? '' : '.of-one-moment'}`, { 'data-severity': tone, 'aria-labelledby': 'verdict-title' },
    el('div.verdict-head', null, el(`p.eyebrow.is-${tone}`, null, icon(ICONS[tone]), el('span', null, report.eyebrow)), reportTools(sight)),
    el('h1', { id: 'verdict-title', 'data-metric': 'verdict', 'data-code': report.verdict }, ...marked(report.sentence)),
    el('p.why', null, ...report.why.flatMap((/** @type {string} */ text, /** @type {number} */ at) => [...(at ? [' '] : []), ...marked(text)])),
    adviceList(report), certainty(report));
}

/** @param {any} report */
function adviceList({ advice, tone }) {
  if (!advice.length) return null;
  const good = tone === 'good';
  const title = good ? 'If it must be smaller' : 'What to change';
  return el('div.advice', null, el('h2', null, advice.length > 1 ? `${title}, largest effect first` : title),
    el('ol', null, ...advice.map((/** @type {any} */ { title: what, text, effect_bytes: effect }) => el('li', null,
      el('p.what', null, ...marked(what)),
      effect ? el('span.effect', { title: `${good ? 'up to ' : ''}${formatCount(effect)} bytes less`, 'data-bytes': effect }, `${good ? 'up to ' : ''}\u2212${formatBytes(effect)}`) : null,
      text ? el('p.how', null, ...marked(text)) : null))));
}

/** How sure it is, in one line. @param {any} report */
function certainty({ evidence, confidence, confidence_reason: reason, runner_up: next }) {
  const facts = evidence.map((/** @type {any} */ each) => (each.threshold ? `${each.text}, ${each.threshold}` : each.text)).join('; ');
  return el('p.certain', null,
    facts ? el('span', null, el('b', null, term('evidence')), ' ', ...marked(facts)) : null,
    el('span', null, el('b', null, term('confidence', 'Confidence', reason ? `${reason[0].toUpperCase()}${reason.slice(1).replace(/\.?$/, '.')}` : null)), ` ${confidence.toFixed(2)}`),
    next ? el('span', null, el('b', null, term('runner_up')), ' ', ...marked(next.text || CAUSES[next.verdict] || next.verdict)) : null);
}

/** What is known before the cause is. @param {Sight} sight */
function waiting(sight) {
  const { peak } = sight.overview;
  const oom = lastOom(sight);
  const at = peak.moment === 0 ? 'before the first event' : `at event ${formatCount(peak.event)}`;
  const sentence = oom ? ['Out of memory at event ', formatCount(oom.event), ': ', bytesSpan(oom.requested_bytes), ' did not fit.']
    : sight.moments > 1 ? ['The peak is ', bytesSpan(peak.requested_bytes), ` requested, ${at}.`] : ['This snapshot shows ', bytesSpan(peak.requested_bytes), ' requested at one moment.'];
  const [row] = sight.overview.stacks;
  return el('article.card.verdict', { 'data-severity': 'note', 'aria-labelledby': 'verdict-title' },
    el('div.verdict-head', null, el('p.eyebrow.is-note', null, icon('note'), el('span', { id: 'stage' }, stageText()))),
    el('h1', { id: 'verdict-title' }, ...sentence),
    el('p.why', null, row?.at ? el('span', null, 'The largest stack at the peak is ', el('code', null, `${row.name}, ${shortPath(row.at)}`), ' with ', bytesSpan(row.bytes), '.') : null),
    el('div.progress.diagnosing', { id: 'stage-bar', role: 'progressbar', 'aria-label': 'Diagnosing', 'aria-valuemin': 0, 'aria-valuemax': 100 }, el('span')));
}

/** @returns {[number, number]} stages done, and of how many */
function stages() {
  const file = store.active;
  return file ? [file.diagnosis.stages, 2 + 2 * file.opened.devices.length] : [0, 1];
}

/** @returns {string} what is being done, and how far it is */
function stageText() {
  const [done, all] = stages();
  return `${NEXT[store.active?.diagnosis.stage || ''] || 'Diagnosing'}… stage ${Math.min(done + 1, all)} of ${all}`;
}

/** One stage further. */
export function showStage() {
  const text = document.getElementById('stage');
  const bar = document.getElementById('stage-bar');
  if (!text || !bar) return;
  const [done, all] = stages();
  const part = Math.min(100, Math.round((done / all) * 100));
  text.textContent = stageText();
  bar.setAttribute('aria-valuenow', String(part));
  /** @type {HTMLElement} */ (bar.firstChild).style.width = `${part}%`;
}
