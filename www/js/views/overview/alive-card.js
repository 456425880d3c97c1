// "What is alive": bytes by category at the peak, as each phase of a step ends, and at the cursor.
import { CATEGORIES, categoryName, categorySwatch, colourOf } from '../../categories.js';
import { el, icon } from '../../dom.js';
import { bytesSpan, columnUnit, exactBytes, formatBytes, formatCount, formatShare } from '../../format.js';
import { current, on, store } from '../../store.js';
import { term } from '../../tooltip.js';
import { showMoment } from '../pin.js';

/** @typedef {import('../../sight.js').Sight} Sight */
/** @typedef {{name: Node|string, moment: number, cursor: boolean}} When */

const EIGHT = CATEGORIES.slice(0, 8);
/** @type {WeakMap<object, {key: string, rows: {when: When, answer: any}[]}>} what was asked last */
const known = new WeakMap();

/** @param {Sight} sight */
export function aliveSection(sight) {
  if (sight.moments < 2 && !sight.composition) return null;
  const section = el('section.card.alive-card.wide', { id: 'what-is-alive', 'aria-labelledby': 'alive-now-title' }, el('header', null, el('h2', { id: 'alive-now-title' }, 'What is alive')), el('div.table-frame.scroll-x', { id: 'alive-table' }));
  const have = known.get(sight);
  if (have) section.lastElementChild?.replaceChildren(table(have.rows));
  return section;
}

/** @param {Sight} sight @returns {When[]} */
function moments(sight) {
  const { peak } = sight.overview;
  const ends = sight.report?.phase_ends || [];
  const words = (/** @type {any} */ { phase, step }, /** @type {boolean} */ first) => el('span', null, 'End of ', term(phase, phase.replace('_', ' ')), first && step !== null ? `, step ${formatCount(step + 1)}` : '');
  return [
    { name: sight.moments < 2 ? 'This moment' : el('span', null, 'At the ', term('peak', 'peak')), moment: peak.moment, cursor: false },
    ...ends.map((/** @type {any} */ end, /** @type {number} */ at) => ({ name: words(end, at === 0), moment: end.moment, cursor: false })),
    ...(sight.moment !== null && sight.moments > 1 && sight.moment !== peak.moment ? [{ name: `At the cursor, ${sight.moment === 0 ? 'before the first event' : `event ${formatCount(sight.moment - 1)}`}`, moment: sight.moment, cursor: true }] : []),
  ];
}

/** Asks what is alive at each moment, and shows it. */
export async function refreshAlive() {
  const sight = current();
  if (!sight || store.view !== 'overview' || !document.getElementById('alive-table')) return;
  const whens = moments(sight);
  const key = JSON.stringify([sight.labels, sight.filter, whens.map(({ moment }) => moment)]);
  const have = known.get(sight);
  if (have?.key !== key) {
    const answers = await Promise.all(whens.map(({ moment }) => sight.client.ask({ ask: 'composition', device: sight.device, moment })));
    known.set(sight, { key, rows: whens.map((when, at) => ({ when, answer: answers[at] })).filter(({ answer }) => answer) });
  }
  const rows = known.get(sight)?.rows || [];
  if (current() === sight) document.getElementById('alive-table')?.replaceChildren(table(rows));
}

/** @param {{when: When, answer: any}[]} rows */
function table(rows) {
  const own = [...new Set(rows.flatMap(({ answer }) => answer.own.map((/** @type {any} */ each) => each.name)))];
  const most = Math.max(1, ...rows.map(({ answer }) => answer.requested_bytes));
  const { unit, text } = columnUnit(most);
  const columns = [...EIGHT.map((key) => ({ name: /** @type {Node|string} */ (term(key)), key, of: (/** @type {any} */ answer) => answer.categories[key] || 0 })),
    ...own.map((name) => ({ name: /** @type {Node|string} */ (name), key: 'own', of: (/** @type {any} */ answer) => answer.own.find((/** @type {any} */ each) => each.name === name)?.bytes || 0 }))];
  return el('table.alive-table', null,
    el('thead', null, el('tr', null, el('th', null, 'When'), el('th', null, el('span.visually-hidden', null, 'Shares as a bar')), el('th.num', null, term('requested'), `, ${unit}`), ...columns.map(({ name, key }) => el('th.num', null, el('span.tag', null, categorySwatch(key), name))))),
    el('tbody', null, ...rows.map(({ when, answer }) => row(when, answer, columns, most, text))));
}

/**
 * @param {When} when
 * @param {any} answer
 * @param {{key: string, of: (answer: any) => number}[]} columns
 * @param {number} most
 * @param {(bytes: number) => string} text
 */
function row(when, answer, columns, most, text) {
  const total = answer.requested_bytes;
  const pieces = columns.filter(({ of }) => of(answer) > 0).map(({ key, of }) => {
    const node = el(`span.c-${colourOf(key)}`, { title: `${categoryName(key)}: ${exactBytes(of(answer))}` });
    node.style.flex = String(of(answer) / Math.max(1, total));
    return node;
  });
  const bar = el('div.split-bar', { role: 'img', 'aria-label': `${formatBytes(total)} by category, as in this row` }, ...pieces);
  bar.style.width = `${(total / most) * 100}%`;
  return el(`tr${when.cursor ? '.at-cursor' : ''}`, { 'data-moment': when.moment },
    el('td', null, el('span.when', null, when.name, el('button.button.quiet.icon-only.small', { type: 'button', title: 'Show in the timeline', 'aria-label': 'Show in the timeline', onclick: () => void showMoment(when.moment) }, icon('jump')))),
    el('td.bar-cell', null, bar), el('td.num', null, bytesSpan(total, text(total))),
    ...columns.map(({ of }) => {
      const bytes = of(answer);
      return el('td.num', null, bytes ? bytesSpan(bytes, text(bytes)) : el('span.muted', null, '0'), bytes ? el('span.share', null, formatShare(bytes / Math.max(1, total))) : null);
    }));
}

export function initAliveCard() {
  for (const topic of /** @type {const} */ (['view', 'labels', 'filter', 'report', 'figures', 'active'])) on(topic, () => void refreshAlive());
}
