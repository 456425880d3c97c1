// The overview: what the recording comes to in one sentence, what filled the memory at the peak, its course, and the largest stacks.
import { byId, el, icon } from '../dom.js';
import { bytesSpan, formatBytesGroup, formatCount, formatDuration, formatShare, limitText, place, plural, shortPath } from '../format.js';
import { current, on, setView, store } from '../store.js';
import { term } from '../tooltip.js';
import { chartCard, paintChart } from './chart.js';
import { filterText, setFilter } from '../filter.js';
import { settingsCard, warningsCard } from './file-cards.js';
import { barCard } from './peak-card.js';
import { showFailedRequest, showMoment, showStack } from './pin.js';
import { goTo } from './scrub.js';
import { modelState } from './status.js';

/** How rows are named that have none. */
const NO_STACK = 'no stack';

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
      : ['This snapshot has no history: it shows ', bytesSpan((sight.filter ? peak : figures.end).requested_bytes), ' requested at one moment.'];
  return el('article.card.verdict', { 'data-severity': failed ? 'error' : 'note', 'aria-labelledby': 'head-title' },
    el(`p.eyebrow.${failed ? 'is-error' : 'is-note'}`, null, icon(failed ? 'error' : 'note'), failed ? 'Out of memory' : sight.moments > 1 ? 'Peak' : 'One moment'),
    el('h1', { id: 'head-title' }, ...title),
    el('p.why', null, ...(failed ? oomSentences(overview, oom) : []), ...peakSentences(alive, stacks, sight)),
    el('div.head-actions', null,
      failed ? el('button.button.primary', { type: 'button', onclick: () => void showFailedRequest(oom) }, icon('jump'), 'Show the failed request') : null,
      failed ? el('button.button', { type: 'button', onclick: () => { goTo(oom.moment); setView('state'); } }, icon('jump'), 'Show the allocator’s state') : null,
      sight.moments > 1 ? el(failed ? 'button.button' : 'button.button.primary', { type: 'button', onclick: () => void showMoment(peak.moment) }, icon('jump'), 'Show the peak') : null),
    modelRow(sight), facts(sight));
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
  return [...parts, ...limitSentence(oom)];
}

/** Why it failed: what was the most, and what lay free in pieces. @param {any} oom */
function limitSentence({ limit_low_bytes: low, limit_high_bytes: high, free_bytes: free, largest_free_bytes: largest }) {
  const limit = limitText(low ?? null, high ?? null);
  const inside = free === null || free === undefined ? [] : free === 0 ? ['nothing was free inside reserved memory']
    : [bytesSpan(free), ' were free inside reserved memory, ', ...(largest < free ? ['the largest piece ', bytesSpan(largest)] : ['in one piece'])];
  if (limit === null && !inside.length) return [];
  if (limit === null) return [free === 0 ? 'Nothing was free inside reserved memory' : el('span', null, ...inside), '. '];
  return [`The limit was ${limit}`, inside.length ? '; ' : '', ...inside, '. '];
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
  const group = first.of_free ? ['; the largest group, whose allocs were not recorded, was freed at ', el('code', null, where(first)), '; it held ']
    : first.name === NO_STACK ? ['; without a stack were '] : ['; the largest stack, ', el('code', null, where(first)), ', held '];
  return [...parts, ...group, el('b', null, bytesSpan(first.bytes), `, ${formatShare(first.bytes / Math.max(1, alive.bytes))}`),
    ` of the requested bytes, in ${plural(first.count, 'block')}.`];
}

/** @param {import('../sight.js').Sight} sight */
function facts(sight) {
  const { overview } = sight;
  const figures = sight.filter ? { ...sight.figures, allocations: overview.allocations, segments: overview.segments } : sight.figures;
  const opened = store.active?.opened;
  const fact = (/** @type {Node|string} */ name, /** @type {string|null} */ value) => (value === null ? null : el('span', null, el('b', null, name), ` ${value}`));
  return el('p.certain', null,
    fact(term('event', 'Events'), formatCount(figures.events)),
    fact(term('allocations'), formatCount(figures.allocations)),
    fact(term('segments'), formatCount(figures.segments)),
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
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); void showStack(row); }
      },
    },
    el('td.num', null, bytesSpan(row.bytes, shared[index])), el('td.num', null, formatCount(row.count)), el('td.num.muted', null, formatShare(row.bytes / Math.max(1, alive.bytes))),
    el('td.short-meter', null, meter), el(`td.grow${row.own ? '.own' : ''}`, null, place(row)));
  });
  return el('article.card.stacks-card', { 'aria-labelledby': 'stacks-title' },
    el('header', null, el('h2', { id: 'stacks-title' }, sight.moments > 1 ? 'Largest stacks at the peak' : 'Largest stacks')),
    rows.length
      ? el('table.picks', null, el('thead', null, el('tr', null, el('th.num', null, 'Bytes'), el('th.num', null, term('blocks')), el('th.num', null, term('of_requested')), el('th', null, el('span.visually-hidden', null, 'Share as a bar')), el('th', null, term('made')))), el('tbody', null, ...rows))
      : el('p.soft', null, `Nothing was alive ${sight.moments > 1 ? 'at the peak' : 'then'}.`));
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

/** @param {HTMLElement|null} card over both columns */
function wide(card) {
  card?.classList.add('wide');
  return card;
}

/** Figures of a part say so first. @param {import('../sight.js').Sight} sight */
function partRow(sight) {
  if (!sight.filter) return null;
  return el('div.banner.wide', { role: 'note', 'data-role': 'part' }, icon('filter'), el('span', null, el('b', null, 'Figures of a part.'), ` Everything below is about ${filterText(sight.filter, sight.choices)} only.`),
    el('button.button.small.push', { type: 'button', onclick: () => void setFilter(null) }, 'Show everything'));
}

/** What the allocator model says, as a line. @param {import('../sight.js').Sight} sight */
function modelRow(sight) {
  const file = store.active;
  if (!file) return null;
  const { mark, words, why } = modelState(sight, file);
  return el(`p.model-line${mark === 'warning' ? '.is-warning' : ''}`, { id: 'model-line' }, icon(mark), el('span', null, ...words, '.', why ? ` ${why}` : ''));
}

/** @type {WeakMap<object, any>} answers to `settings`, by file */
const settings = new WeakMap();

/** @param {import('../store.js').OpenFile} file */
async function loadSettings(file) {
  if (settings.has(file)) return;
  settings.set(file, null);
  settings.set(file, await file.client.ask({ ask: 'settings' }));
  const card = settingsCard(settings.get(file), file.opened.summary.allocator_settings);
  if (store.active === file && card) document.getElementById('settings')?.replaceWith(wide(placed(5, card)) || card);
}

/** @param {boolean} [stay] where it is scrolled to */
function build(stay = false) {
  const sight = current();
  const file = store.active;
  if (!sight || !file) return;
  const { summary } = file.opened;
  const { scrollTop } = byId('overview');
  const column = (/** @type {(HTMLElement|null)[]} */ ...cards) => el('div.overview-column', null, ...cards);
  byId('overview').replaceChildren(...[
    partRow(sight),
    bannerRow(sight.overview.banner),
    column(placed(1, headCard(sight)), placed(3, chartCard(sight))),
    column(placed(2, barCard(sight)), placed(4, stacksCard(sight)), placed(6, warningsCard(summary.warnings, file.opened.devices))),
    wide(placed(5, settingsCard(settings.get(file), summary.allocator_settings))),
  ].filter((node) => node !== null));
  byId('overview').scrollTop = stay ? scrollTop : 0;
  void loadSettings(file);
  paintChart();
}

export function initOverview() {
  on('active', () => build());
  for (const topic of /** @type {const} */ (['filter', 'figures'])) on(topic, () => build(true));
  on('check', () => {
    const sight = current();
    const line = sight && modelRow(sight);
    if (line) document.getElementById('model-line')?.replaceWith(line);
  });
  on('view', () => {
    if (store.view === 'overview') paintChart();
  });
}
