// What can be taken away from the overview: the report as Markdown, the memory summary as PyTorch prints it; and how to read all of it.
import { announce, copyAndSay, el, icon } from '../../dom.js';
import { openDialog } from '../../dialogs.js';
import { momentOf } from '../../sight.js';
import { showGuide } from '../guide.js';

/** @typedef {import('../../sight.js').Sight} Sight */

/** @type {WeakMap<object, {report: any, markdown: string|null, summary: boolean}>} what a sight's worker can answer, by the report it was asked for */
const known = new WeakMap();

/** @param {Sight} sight */
export function reportTools(sight) {
  const word = el('span', null, 'Copy report');
  const copy = el('button.button.small.quiet', { type: 'button', id: 'copy-report', hidden: true, title: 'The whole diagnosis as Markdown', onclick: () => void copyReport(sight, word) }, icon('copy'), word);
  const summary = el('button.button.small.quiet', { type: 'button', id: 'memory-summary', hidden: true, title: 'The table that torch.cuda.memory_summary() prints', onclick: () => void showSummary(sight) }, 'Memory summary');
  const have = known.get(sight);
  const show = (/** @type {{markdown: string|null, summary: boolean}} */ can) => {
    copy.hidden = can.markdown === null;
    summary.hidden = !can.summary;
  };
  if (have?.report === sight.report) show(have);
  else void asked(sight).then(show);
  return el('div.report-tools', null, copy, summary, el('button.button.small.quiet', { type: 'button', id: 'open-guide', onclick: showGuide }, icon('help'), 'How to read this'));
}

/** @param {Sight} sight */
async function asked(sight) {
  const [report, summary] = await Promise.all([sight.client.ask({ ask: 'report', device: sight.device, ...(sight.limit === null ? {} : { limit_bytes: sight.limit }) }), summaryOf(sight)]);
  const can = { report: sight.report, markdown: typeof report?.markdown === 'string' ? report.markdown : null, summary: summary !== null };
  known.set(sight, can);
  return can;
}

/** @param {Sight} sight @returns {Promise<string|null>} */
async function summaryOf(sight) {
  const answer = await sight.client.ask({ ask: 'memory_summary', device: sight.device, moment: momentOf(sight) });
  return typeof answer?.text === 'string' ? answer.text : null;
}

/** @param {Sight} sight @param {HTMLElement} word */
async function copyReport(sight, word) {
  const markdown = known.get(sight)?.markdown;
  if (!markdown) return;
  await copyAndSay(word, markdown);
  announce(word.textContent || '');
}

/** @param {Sight} sight */
async function showSummary(sight) {
  const text = await summaryOf(sight);
  if (text === null) return;
  const word = el('span', null, 'Copy');
  const copy = async () => {
    await copyAndSay(word, text);
    announce(word.textContent || '');
  };
  openDialog({
    label: 'summary-title', shape: 'summary',
    content: (close) => [
      el('header.dialog-head', null, el('h2', { id: 'summary-title' }, 'Memory summary'), el('button.button.quiet.icon-only.push', { type: 'button', 'aria-label': 'Close', autofocus: true, onclick: close }, icon('close'))),
      el('div.summary-text', { tabindex: 0, role: 'region', 'aria-label': 'Memory summary' }, el('pre', null, text)),
      el('footer', null, el('button.button', { type: 'button', onclick: () => void copy() }, icon('copy'), word)),
    ],
  });
}
