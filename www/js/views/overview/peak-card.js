// One bar that adds up to the limit or to the peak, its list, and the figures of the peak and of the end. Before the diagnosis is there, and of a
// part of the recording, the bar is made of stacks.
import { el, setText } from '../../dom.js';
import { bytesSpan, exactBytes, formatBytes, formatBytesGroup, formatCount, formatShare, listTexts, place, splitUnit, swatch } from '../../format.js';
import { on, store } from '../../store.js';
import { categoryName, colourOf } from '../../categories.js';
import { WORDS } from '../../terms.js';
import { term } from '../../tooltip.js';
import { checkedShare } from '../status.js';

const FIGURES = /** @type {const} */ (['requested', 'allocated', 'active', 'reserved']);
/** Letters of a figure with its unit that four columns have room for. */
const LONG = 9;
/** @type {Record<string, string>} at the beginning of a sentence */
const NAMES = { allocated: 'Allocated', active: 'Active', reserved: 'Reserved' };

/**
 * @typedef {{slot: number, label: Node, name: string, bytes: number}} Part
 * @param {import('../../sight.js').Sight} sight
 * @returns {Part[]} largest stacks first, then all others
 */
function parts(sight) {
  const { legend, peak, stacks } = sight.overview;
  const freed = new Set(stacks.filter((/** @type {any} */ row) => row.of_free).map((/** @type {any} */ row) => row.slot));
  const named = legend.filter((/** @type {any} */ entry) => entry.slot < 7 && entry.bytes > 0).map((/** @type {any} */ entry) => ({ slot: entry.slot, label: place({ ...entry, of_free: freed.has(entry.slot) }), name: entry.name, bytes: entry.bytes }));
  const others = peak.requested_bytes - named.reduce((/** @type {number} */ sum, /** @type {Part} */ part) => sum + part.bytes, 0);
  if (others > 0) named.push({ slot: 7, label: el('span', null, 'All other stacks'), name: 'all others', bytes: others });
  return named;
}

/** @param {import('../../sight.js').Sight} sight */
export function barCard(sight) {
  const told = sight.filter ? null : sight.report?.bar;
  return told ? toldCard(sight, told) : stacksBar(sight);
}

/** How a part of the bar looks. @param {string} key */
const shapeOf = (key) => (key === 'free' || key === 'rounding' || key === 'outside' ? key : `c-${colourOf(key)}`);

/** The words of a part, of which the first explains itself. @param {any} part */
function partName({ key: of, label }) {
  const [word, ...rest] = label.split(/(?=, )/);
  const key = of === 'outside' ? 'never_reserved' : of;
  return Object.hasOwn(WORDS, key) ? el('span.part-name', null, term(key, word), rest.join('')) : el('span.part-name', null, label);
}

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {any} told the bar of the report
 */
function toldCard(sight, told) {
  const { parts: all, total_bytes: total, asked_bytes: asked } = told;
  const sum = Math.max(1, total, all.reduce((/** @type {number} */ bytes, /** @type {any} */ part) => bytes + part.bytes, 0));
  const texts = listTexts([...all.map((/** @type {any} */ part) => part.bytes), asked ?? 0]);
  const rows = all.map((/** @type {any} */ part, /** @type {number} */ index) => el('li', { 'data-key': part.key },
    el(`span.swatch.${shapeOf(part.key)}`, { 'aria-hidden': 'true' }), partName(part), bytesSpan(part.bytes, texts[index]), el('span.share', null, formatShare(part.bytes / sum))));
  if (asked) rows.push(el('li.rule.asked', null, el('span'), el('b', null, term('asked')), el('b', null, bytesSpan(asked, texts[all.length])), el('span')));
  return el('article.card.card-bar', { 'aria-labelledby': 'peak-title' },
    el('header', null, el('h2', { id: 'peak-title' }, told.title), sight.moments > 1 ? el('span.muted.push', null, told.moment === 0 ? 'before the first event' : `event ${formatCount(told.event)}`) : null),
    el('div.sum-bar', { role: 'img', 'aria-label': 'The bytes by what they hold; the list below says the same' }, ...all.map((/** @type {any} */ part) => barPiece(shapeOf(part.key), part.bytes / sum, part.label, part.bytes))),
    el('div.scale', null, el('span', null, '0'), el('span.right', { title: exactBytes(total) }, told.total_label)),
    el('ul.key-list', null, ...rows),
    figureTable(sight));
}

/** @param {string} shape @param {number} share @param {string} name @param {number} bytes */
function barPiece(shape, share, name, bytes) {
  const word = Object.hasOwn(WORDS, shape.slice(2)) ? categoryName(shape.slice(2)) : name;
  const text = [name, word].find((each) => share > (each.length * 6.6 + 14) / 400); // of the narrowest card
  const node = el(`span.${shape}`, { title: `${name}: ${exactBytes(bytes)}` }, text && shape !== 'rounding' ? el('span', null, text) : null);
  node.style.flex = String(share);
  return node;
}

/** @param {import('../../sight.js').Sight} sight */
function stacksBar(sight) {
  const { peak } = sight.overview;
  const shown = parts(sight);
  const gap = peak.reserved_bytes >= peak.requested_bytes ? peak.reserved_bytes - peak.requested_bytes : null;
  const total = peak.requested_bytes + (gap || 0);
  const texts = formatBytesGroup([...shown.map((part) => part.bytes), ...(gap === null ? [] : [gap])]);
  const share = (/** @type {number} */ bytes) => (total > 0 ? formatShare(bytes / total) : '–');
  const of = el('li.of', { 'aria-hidden': 'true' }, el('span', null, gap === null ? 'of requested' : 'of reserved'));
  const rows = shown.map((part, index) => el('li', null, swatch(part.slot), part.label, bytesSpan(part.bytes, texts[index]), el('span.share', { title: gap === null ? 'of the requested bytes' : 'of the reserved bytes' }, share(part.bytes))));
  if (gap !== null) rows.push(el('li.rule', null, el('span.swatch.hatch', { 'aria-hidden': 'true' }), term('gap'), bytesSpan(gap, texts[shown.length]), el('span.share', null, share(gap))));
  const [requested, reserved] = gap === null ? [formatBytes(peak.requested_bytes), ''] : formatBytesGroup([peak.requested_bytes, peak.reserved_bytes]);
  return el('article.card.card-bar', { 'aria-labelledby': 'peak-title' },
    el('header', null, el('h2', { id: 'peak-title' }, sight.moments > 1 ? 'At the peak' : 'At this moment'), sight.moments > 1 ? el('span.muted.push', null, peak.moment === 0 ? 'before the first event' : `event ${formatCount(peak.event)}`) : null),
    bar(shown, gap, total),
    el('div.scale', null, el('span', null, '0'), el('span.right', null, gap === null ? `requested ${requested}` : `requested ${requested} of ${reserved} reserved`)),
    el('ul.key-list', null, rows.length ? of : null, ...rows),
    figureTable(sight));
}

/**
 * @param {Part[]} shown
 * @param {number|null} gap
 * @param {number} total
 */
function bar(shown, gap, total) {
  const piece = (/** @type {string} */ shape, /** @type {number} */ bytes, /** @type {string} */ name) => {
    const wide = total > 0 && bytes / total > Math.max(0.16, (name.length * 8 + 14) / 420); // of the narrowest card
    const node = el(`span.${shape}`, { title: `${name}: ${exactBytes(bytes)}` }, wide ? el('span', null, name) : null);
    node.style.flex = String(total > 0 ? bytes / total : 0);
    return node;
  };
  return el('div.sum-bar', { role: 'img', 'aria-label': 'The bytes by stack; the list below says the same' },
    ...shown.map((part) => piece(`s-${part.slot}`, part.bytes, part.name)), gap ? piece('free', gap, 'not requested') : null);
}

/**
 * The four figures of the peak and of the end; of a part, when something is filtered out.
 * @param {import('../../sight.js').Sight} sight
 */
function figuresOf(sight) {
  const { figures, overview } = sight;
  return sight.filter ? overview.figures : { peak: figures.peak, end: figures.end };
}

/** Why a figure is not known, as part of a sentence. @param {import('../../sight.js').Sight} sight */
function whyUnknown(sight) {
  const reason = sight.figures.unknown_reason || 'The allocator model was not checked.';
  return reason.replace(/\.$/, '').replace(/^The|^This/, (/** @type {string} */ word) => word.toLowerCase());
}

/** @param {import('../../sight.js').Sight} sight */
function figureTable(sight) {
  const { peak, end } = figuresOf(sight);
  const { peak: requested, reserved_peak: reserved } = sight.overview;
  const course = sight.moments > 1;
  const apart = course && reserved && requested.reserved_bytes !== null && reserved.reserved_bytes !== requested.reserved_bytes;
  const isKnown = (/** @type {any} */ value) => value !== null && value !== undefined;
  const known = FIGURES.flatMap((name) => [peak[`${name}_bytes`], end[`${name}_bytes`]]).filter(isKnown);
  const texts = new Map(formatBytesGroup(known).map((text, index) => [known[index], text]));
  const waiting = !sight.filter && store.active && !store.active.check.done;
  const figure = (/** @type {any} */ from, /** @type {string} */ path, /** @type {string} */ name) => {
    const value = from[`${name}_bytes`];
    const metric = `${path}.${name}_bytes`;
    if (!isKnown(value) && waiting && store.active) return el('td.num.unknown.waiting', { 'data-metric': metric, title: 'The allocator is being replayed' }, 'replay ', el('span', { 'data-checked': true }, checkedShare(store.active)));
    if (!isKnown(value)) return el('td.num.unknown', { 'data-metric': metric, title: `Not known: ${whyUnknown(sight)}` }, el('b', null, '–'));
    const [number, unit] = splitUnit(texts.get(value) || '');
    return el('td.num', { 'data-metric': metric, 'data-bytes': value, title: exactBytes(value) }, el('b', null, number), el('small', null, ` ${unit}`), metric === 'peak.reserved_bytes' && apart ? el('span.own-peak', null, 'at its own peak') : null);
  };
  const unknown = FIGURES.filter((name) => !isKnown((course ? peak : end)[`${name}_bytes`]));
  return el('div.figure-block', { 'data-long': [...texts.values()].some((text) => text.length > LONG) },
    el('table.figure-table', null,
      el('thead', null, el('tr', null, el('th', null, el('span.visually-hidden', null, 'When')), ...FIGURES.map((name) => el('th.num', { scope: 'col' }, term(name))))),
      el('tbody', null,
        course ? el('tr.peak-row', null, el('th', { scope: 'row' }, 'Peak'), ...FIGURES.map((name) => figure(peak, 'peak', name))) : null,
        el(`tr.${course ? 'end' : 'peak'}-row`, null, el('th', { scope: 'row' }, course ? term('end', 'End') : 'At this moment'), ...FIGURES.map((name) => figure(end, 'end', name))))),
    apart ? el('p.figure-note', null, `Reserved, at its own peak: ${reserved.moment === 0 ? 'before the first event' : `event ${formatCount(reserved.event)}`}. At the peak of requested bytes `, bytesSpan(requested.reserved_bytes), ' were reserved.') : null,
    isKnown(peak.inactive_split_bytes) ? inactive(peak.inactive_split_bytes, end.inactive_split_bytes, course) : null,
    unknown.length && !waiting ? el('p.figure-note', null, `${unknown.map((name) => NAMES[name] || name).join(' and ')}: ${whyUnknown(sight)}.`) : null);
}

/**
 * @param {number} peak
 * @param {number|null|undefined} end
 * @param {boolean} course there is more than one moment
 */
function inactive(peak, end, course) {
  const known = end !== null && end !== undefined;
  const [most, last] = formatBytesGroup([peak, end ?? 0]);
  const value = (/** @type {string} */ path, /** @type {number} */ bytes, /** @type {string} */ text) => el('span', { 'data-metric': path, 'data-bytes': bytes, title: exactBytes(bytes) }, text);
  if (!course) return el('p.figure-note', null, term('inactive_split'), ': ', value('end.inactive_split_bytes', end ?? peak, known ? last : most), '.');
  return el('p.figure-note', null, term('inactive_split'), ': ', value('peak.inactive_split_bytes', peak, most), ' at its own peak', ...(known ? [', ', value('end.inactive_split_bytes', end, last), ' at the end'] : []), '.');
}

/** While the model is checked, its share stands where the figures will. */
export function initPeakCard() {
  on('check', () => {
    const file = store.active;
    if (file) for (const node of document.querySelectorAll('[data-checked]')) setText(node, checkedShare(file));
  });
}
