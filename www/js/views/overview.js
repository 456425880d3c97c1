// The overview: what the recording comes to in one sentence, what filled the memory at the peak, its course, and the largest stacks.
import { appendAll, byId, el, icon, shorten } from '../dom.js';
import { bytesSpan, formatBytesGroup, formatCount, formatDuration, formatShare, place, plural, shortPath } from '../format.js';
import { current, on, setView, store } from '../store.js';
import { term } from '../tooltip.js';
import { chartCard, paintChart } from './chart.js';
import { barCard } from './peak-card.js';
import { showFailedRequest, showMoment, showStack } from './pin.js';

/** @param {any} row */
const where = (row) => (row.at ? `${row.name}, ${shortPath(row.at)}` : row.name);

/** @returns {any} the failed request the page is about: the last one */
const lastOom = (/** @type {any} */ overview) => overview.ooms[overview.ooms.length - 1] || null;

/** @param {import('../sight.js').Sight} sight */
function headCard(sight) {
  const { overview, figures } = sight;
  const { peak, alive_at_peak: alive, stacks } = overview;
  const oom = lastOom(overview);
  const failed = oom !== null;
  const title = failed
    ? ['Out of memory at event ', formatCount(oom.event), ': ', bytesSpan(oom.requested_bytes), ' did not fit.']
    : sight.moments > 1
      ? ['The peak is ', bytesSpan(peak.requested_bytes), ' requested, ', peak.moment === 0 ? 'before the first event.' : `at event ${formatCount(peak.event)}.`]
      : ['This snapshot has no history: it shows ', bytesSpan(figures.end.requested_bytes), ' requested at one moment.'];
  return el('article.card.verdict', { 'data-severity': failed ? 'error' : 'note', 'aria-labelledby': 'head-title' },
    el(`p.eyebrow.${failed ? 'is-error' : 'is-note'}`, null, icon(failed ? 'error' : 'note'), failed ? 'Out of memory' : sight.moments > 1 ? 'Peak' : 'One moment'),
    el('h1', { id: 'head-title' }, ...title),
    el('p.why', null, ...(failed ? oomSentences(overview, oom) : []), ...peakSentences(alive, stacks, sight)),
    el('div.head-actions', null,
      failed ? el('button.button.primary', { type: 'button', onclick: () => void showFailedRequest(oom) }, icon('jump'), 'Show the failed request') : null,
      sight.moments > 1 ? el(failed ? 'button.button' : 'button.button.primary', { type: 'button', onclick: () => void showMoment(peak.moment) }, icon('jump'), 'Show the peak') : null),
    facts(sight));
}

/**
 * @param {any} overview
 * @param {any} oom
 */
function oomSentences(overview, oom) {
  const parts = [];
  if (overview.ooms.length > 1) parts.push(`${formatCount(overview.ooms.length)} requests failed; this is the last. `);
  if (oom.requested_at !== null && oom.reserved_at !== null) {
    const [requested, reserved] = formatBytesGroup([oom.requested_at, oom.reserved_at]);
    parts.push(el('b', null, bytesSpan(oom.requested_at, requested), ' were requested and ', bytesSpan(oom.reserved_at, reserved), ' reserved'), ' when it failed');
  }
  if (oom.device_free_bytes !== null) {
    parts.push(parts.length ? '; ' : '', 'the card reported ', bytesSpan(oom.device_free_bytes), ' free');
    // The driver had enough: what refused the request is a limit set for this process.
    if (oom.device_free_bytes > oom.requested_bytes) parts.push(', so a limit of this process was reached, not the end of the card');
  }
  if (parts.length) parts.push('. ');
  return parts;
}

/**
 * @param {any} alive
 * @param {any[]} stacks
 * @param {import('../sight.js').Sight} sight
 */
function peakSentences(alive, stacks, sight) {
  if (!alive.count) return ['No allocation was alive then.'];
  const parts = [`${sight.moments > 1 ? 'At the peak' : 'Then'} ${alive.count === 1 ? 'one allocation was' : `${plural(alive.count, 'allocation')} were`} alive`];
  const first = stacks[0];
  if (!first) return [...parts, '.'];
  return [...parts, '; the largest stack, ', el('code', null, where(first)), ', held ', el('b', null, bytesSpan(first.bytes), `, ${formatShare(first.bytes / Math.max(1, alive.bytes))}`),
    ` of the requested bytes, in ${plural(first.count, 'block')}.`];
}

/** @param {import('../sight.js').Sight} sight */
function facts(sight) {
  const { figures, overview } = sight;
  const opened = store.active?.opened;
  const fact = (/** @type {Node|string} */ name, /** @type {string|null} */ value) => (value === null ? null : el('span', null, el('b', null, name), ` ${value}`));
  return el('p.certain', null,
    fact(term('event', 'Events'), formatCount(figures.events)),
    fact('Allocations', formatCount(figures.allocations)),
    fact('Segments', formatCount(figures.segments)),
    fact('Recorded', overview.duration_us === null ? null : formatDuration(overview.duration_us)),
    fact('PyTorch', opened?.version ?? null));
}

/** @param {import('../sight.js').Sight} sight */
function stacksCard(sight) {
  const { stacks, alive_at_peak: alive } = sight.overview;
  const shared = formatBytesGroup(stacks.map((/** @type {any} */ row) => row.bytes));
  const most = Math.max(1, ...stacks.map((/** @type {any} */ row) => row.bytes));
  const rows = stacks.map((/** @type {any} */ row, /** @type {number} */ index) => {
    const meter = el(`div.meter.s-${row.slot}`);
    meter.style.width = `${(row.bytes / most) * 100}%`;
    return el('tr', {
      tabindex: 0, title: 'Show in the timeline', onclick: () => void showStack(row), onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.code === 'Enter' || event.code === 'Space') { event.preventDefault(); void showStack(row); }
      },
    },
    el('td.num', null, bytesSpan(row.bytes, shared[index])), el('td.num', null, formatCount(row.count)), el('td.num.muted', null, formatShare(row.bytes / Math.max(1, alive.bytes))),
    el('td.short-meter', null, meter), el(`td.grow${row.own ? '.own' : ''}`, null, place(row)));
  });
  return el('article.card', { 'aria-labelledby': 'stacks-title' },
    el('header', null, el('h2', { id: 'stacks-title' }, sight.moments > 1 ? 'Largest stacks at the peak' : 'Largest stacks')),
    rows.length
      ? el('table.picks', null, el('thead', null, el('tr', null, el('th.num', null, 'Bytes'), el('th.num', null, term('blocks')), el('th.num', null, 'Of requested'), el('th', null, el('span.visually-hidden', null, 'Share as a bar')), el('th', null, 'Made at'))), el('tbody', null, ...rows))
      : el('p.soft', null, 'Nothing was alive at the peak.'));
}

/** Settings for which a number stands for "not in force". */
const NO_LIMIT = ['max_split_size', 'max_round_threshold', 'max_cached_size'];
const OFF_AT_ZERO = ['garbage_collection_threshold', 'roundup_power2_divisions'];

/**
 * @param {string} name of an allocator setting
 * @param {unknown} value
 */
function setting(name, value) {
  if (value === null || value === undefined) return 'not readable';
  if (value === '') return 'not set';
  if (value === -1 && NO_LIMIT.includes(name)) return 'no limit';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return value === 0 && OFF_AT_ZERO.includes(name) ? 'off' : String(value);
  const entries = Object.entries(value);
  if (!entries.length) return 'none';
  if (Array.isArray(value) || entries.some(([, each]) => typeof each === 'object')) return JSON.stringify(value);
  if (entries.every(([, each]) => each === entries[0][1])) return entries[0][1] === 0 && OFF_AT_ZERO.includes(name) ? 'off' : `${entries[0][1]} for all`;
  return entries.filter(([, each]) => each !== 0).map(([size, each]) => `${size}: ${each}`).join(', ');
}

const MOST_SETTINGS = 60;

/** @param {any} settings */
function settingsCard(settings) {
  const entries = Object.entries(settings || {});
  const rest = entries.length - MOST_SETTINGS;
  if (!entries.length) return null;
  return el('article.card', { 'aria-labelledby': 'settings-title' },
    el('header', null, el('h2', { id: 'settings-title' }, term('settings'))),
    appendAll(el('dl.settings'), entries.slice(0, MOST_SETTINGS).map(([name, value]) => el('div', null, el('dt', null, shorten(name)), el('dd', null, shorten(setting(name, value)))))),
    rest > 0 ? el('p.soft.small', null, `and ${formatCount(rest)} more`) : null);
}

/** @param {{code: string, count: number, message: string}[]} warnings */
function warningsCard(warnings) {
  return el('article.card', { 'aria-labelledby': 'warnings-title' },
    el('header', null, el('h2', { id: 'warnings-title' }, 'Notes on this file')),
    warnings.length
      ? appendAll(el('ul.warnings'), warnings.map((warning) => el('li', null, icon('warning'), el('span', null, warning.message), el('span.num', null, `${formatCount(warning.count)}\u00a0×`))))
      : el('p.soft', null, 'Everything in the file was read and understood.'));
}

/** @param {any} banner */
function bannerRow(banner) {
  if (!banner) return null;
  return el(`div.banner.wide${banner.severity === 'warning' ? '.warning' : ''}`, { role: 'note' }, icon(banner.severity === 'warning' ? 'warning' : 'note'), el('span', null, el('b', null, banner.title), ' ', banner.text));
}

/**
 * @param {number} order in one column, on a narrow screen
 * @param {HTMLElement|null} card
 */
function placed(order, card) {
  card?.classList.add(`order-${order}`);
  return card;
}

function build() {
  const sight = current();
  const opened = store.active?.opened;
  if (!sight || !opened) return;
  const column = (/** @type {(HTMLElement|null)[]} */ ...cards) => el('div.overview-column', null, ...cards);
  byId('overview').replaceChildren(...[
    bannerRow(sight.overview.banner),
    column(placed(1, headCard(sight)), placed(3, chartCard(sight)), placed(5, settingsCard(opened.summary.allocator_settings))),
    column(placed(2, barCard(sight)), placed(4, stacksCard(sight)), placed(6, warningsCard(opened.summary.warnings))),
  ].filter((node) => node !== null));
  byId('overview').scrollTop = 0;
  paintChart();
}

export function initOverview() {
  on('active', build);
  on('view', () => {
    if (store.view === 'overview') paintChart();
  });
}
