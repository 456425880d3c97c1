// Why a request could not be served: what was asked for against the limit, what was in use, and what lay free where.
import { announce, el, icon } from '../../dom.js';
import { bytesSpan, formatCount, limitText, listTexts, place, plural } from '../../format.js';
import { lastOom, setLimit } from '../../report.js';
import { setView } from '../../store.js';
import { term } from '../../tooltip.js';
import { showAllocation, showFailedRequest } from '../pin.js';
import { goTo } from '../state/scrub.js';
import { withCode } from '../words.js';

/** @typedef {import('../../sight.js').Sight} Sight */

const GIB = 2 ** 30;
const FITS = /** @type {Record<string, string>} */ ({ yes: 'Yes', likely: 'Likely', no: 'No', unknown: 'Not known' });
const WHOSE = /** @type {Record<string, string>} */ ({ card: 'all of the card', process: 'a cap of this process', unknown: '' });
/** Whose stack it is that is named. */
const STACK_OF = /** @type {Record<string, string>} */ ({ release: ', by the stack of memory it gave back', before: ', by the stack of the allocation before it' });

/** @param {any} bytes of a key that may be missing */
const shown = (bytes) => (typeof bytes === 'number' ? bytesSpan(bytes) : null);

/** @param {Sight} sight */
export function oomSection(sight) {
  const oom = sight.report?.oom;
  const failed = lastOom(sight);
  if (!oom || sight.filter) return null;
  return el('section.card.oom-card.wide', { id: 'oom', 'aria-labelledby': 'oom-title' },
    el('header', null, el('h2', { id: 'oom-title' }, 'Why the request failed'),
      el('span.muted', null, `event ${formatCount(oom.event)}${oom.ooms > 1 ? `, the last of ${formatCount(oom.ooms)} that failed` : ''}`),
      failed ? el('span.push.head-actions', null,
        el('button.button.small', { type: 'button', onclick: () => void showFailedRequest(failed) }, icon('jump'), 'Show the failed request'),
        el('button.button.small', { type: 'button', onclick: () => { goTo(failed.moment); setView('state'); } }, icon('jump'), 'Show the allocator’s state')) : null),
    el('div.oom-parts', null, facts(sight, oom, failed), el('div', null, inside(oom), pinned(oom))));
}

/**
 * @param {Sight} sight
 * @param {any} oom
 * @param {any} failed the same request in `overview`
 */
function facts(sight, oom, failed) {
  const by = oom.asked_by?.name ? oom.asked_by : failed?.name ? failed : null;
  const limit = limitText(oom.limit_low_bytes ?? null, oom.limit_high_bytes ?? null);
  const whose = oom.limit_is_typed ? 'given by you' : WHOSE[oom.limit_whose] || '';
  const fits = (/** @type {string|undefined} */ word, /** @type {string|undefined} */ reason) => (word ? el('span', null, el('b', null, FITS[word] || word), reason ? el('span.reason', null, '. ', ...withCode(reason)) : null) : null);
  /** @type {[Node|string, Node|string|null][]} */
  const rows = [
    [term('asked'), el('span', null, bytesSpan(oom.requested_bytes), by ? el('span.by', null, ' by ', place({ name: by.name, at: by.at || null }), STACK_OF[oom.asked_by?.stack_of] || '') : null)],
    [term('limit'), limit === null ? null : el('span', null, limit, whose ? `, ${whose}` : '')],
    [term('allocated'), shown(oom.allocated_bytes)],
    [term('rounding', 'Of that, rounding'), shown(oom.rounding_bytes)],
    [term('pending'), oom.pending_bytes ? shown(oom.pending_bytes) : null],
    [term('reserved'), shown(oom.reserved_bytes)],
    [term('inside', 'Free inside reserved'), shown(oom.free_in_reserved_bytes)],
    [term('usable'), shown(oom.largest_usable_free_bytes)],
    [term('card', 'Free on the card'), shown(oom.device_free_bytes)],
    ['Not served because', oom.not_served ? el('span', null, ...withCode(oom.not_served)) : null],
    [term('unfragmented'), fits(oom.would_fit_unfragmented, undefined)],
    [term('expandable', 'Fits with expandable segments'), fits(oom.expandable_would_fit, oom.expandable_reason)],
    [term('short_by'), oom.short_by_bytes ? bytesSpan(oom.short_by_bytes) : null],
  ];
  return el('div', null, el('dl.facts.oom-facts', null, ...rows.flatMap(([name, value]) => (value === null ? [] : [el('dt', null, name), el('dd', null, value)]))), limitField(sight, oom));
}

/** @param {Sight} sight @param {any} oom */
function limitField(sight, oom) {
  const field = /** @type {HTMLInputElement} */ (el('input.field', { type: 'text', inputmode: 'decimal', id: 'known-limit', size: 8, autocomplete: 'off', 'aria-describedby': 'limit-note', value: sight.limit === null ? '' : String(Math.round((sight.limit / GIB) * 1000) / 1000) }));
  const note = el('p.small.limit-note', { id: 'limit-note', role: 'status' }, oom.limit_contradiction || '');
  const apply = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = field.value.trim().replace(',', '.');
    const number = Number(text);
    const wrong = text !== '' && !(number > 0 && number < 1e6);
    field.setAttribute('aria-invalid', String(wrong));
    note.textContent = wrong ? 'A number of GiB, such as 23.6.' : '';
    if (wrong) return;
    await setLimit(sight, text === '' ? null : Math.round(number * GIB));
    announce(text === '' ? 'Diagnosed with the limit that the file shows' : `Diagnosed with a limit of ${text} GiB`);
    document.getElementById('known-limit')?.focus();
  };
  return el('form.limit-form', { onsubmit: apply }, el('label', { for: 'known-limit' }, 'I know the limit'), field, el('span.soft', null, 'GiB'), el('button.button.small', { type: 'submit' }, 'Apply'), note);
}

/** What lay free, by pool and stream. @param {any} oom */
function inside({ free_inside: rows }) {
  if (!rows?.length) return null;
  const pool = (/** @type {any} */ row) => `${row.private_pool?.some((/** @type {number} */ part) => part > 0) ? `Private ${row.private_pool.join(':')}, ` : ''}${row.kind}`;
  const texts = listTexts(rows.flatMap((/** @type {any} */ row) => [row.reserved_bytes, row.free_bytes, row.largest_free_bytes]));
  return el('div.scroll-x', null, el('table', null, el('caption', null, 'Free inside, by pool and stream'),
    el('thead', null, el('tr', null, el('th', null, term('pool')), el('th', null, term('stream')), el('th.num', null, term('reserved')), el('th.num', null, term('free', 'Free')), el('th.num', null, term('largest', 'Largest')), el('th', null, 'Usable'))),
    el('tbody', null, ...rows.map((/** @type {any} */ row, /** @type {number} */ at) => el('tr', null, el('td', null, pool(row)), el('td', null, row.stream),
      el('td.num', null, bytesSpan(row.reserved_bytes, texts[3 * at])), el('td.num', null, bytesSpan(row.free_bytes, texts[3 * at + 1])), el('td.num', null, bytesSpan(row.largest_free_bytes, texts[3 * at + 2])), el('td', null, row.usable ? 'yes' : 'no'))))));
}

/** What keeps half-empty segments. @param {any} oom */
function pinned(oom) {
  if (!oom.pinned_bytes) return null;
  const rows = oom.pinned_by || [];
  const texts = listTexts(rows.flatMap((/** @type {any} */ row) => [row.bytes, row.free_bytes]));
  const run = (/** @type {any} */ row) => () => void showAllocation('state', row.allocation, oom.moment ?? oom.event + 1);
  return el('div.scroll-x', null,
    el('p.small.pinned-line', null, term('pinned', 'Pinned'), ' ', bytesSpan(oom.pinned_bytes), ' free', oom.pinned_segments ? ` in ${plural(oom.pinned_segments, 'segment')}, held by ` : '', oom.pinning_bytes ? bytesSpan(oom.pinning_bytes) : '', oom.pinning_bytes ? ' in use.' : ''),
    rows.length ? el('table.picks', null, el('thead', null, el('tr', null, el('th.num', null, 'Block'), el('th.num', null, term('held_free')), el('th', null, term('made')))),
      el('tbody', null, ...rows.map((/** @type {any} */ row, /** @type {number} */ at) => el('tr', { tabindex: 0, title: 'Show in the allocator state', onclick: run(row), onkeydown: (/** @type {KeyboardEvent} */ event) => (event.key === 'Enter' ? run(row)() : undefined) },
        el('td.num', null, bytesSpan(row.bytes, texts[2 * at])), el('td.num', null, bytesSpan(row.free_bytes, texts[2 * at + 1])), el('td.grow', null, place({ name: row.name, at: row.at || null })))))) : null);
}
