// The allocator's state of the chosen simulated run beside the recorded one, at the moment that all views share. Pictures come from the file's worker.
import { byId, el, setText } from '../../dom.js';
import { bytesSpan, exactBytes, formatBytes, formatCount, listTexts, plural } from '../../format.js';
import { framed } from '../../frame.js';
import { momentOf } from '../../sight.js';
import { store } from '../../store.js';
import { colours, pictureColours } from '../../theme.js';
import { pinAllocation } from '../pin.js';
import { blockLabels } from '../state/block-labels.js';
import { momentText } from '../compare/marks.js';
import { signedSpan } from '../compare/tables.js';
import { whatIf } from './runs.js';
import { breaksOff, chosenRow, nameOf } from './words.js';

/** @typedef {import('./runs.js').WhatIf} WhatIf */
/** @typedef {'recorded'|'simulated'} Side */

/** @type {readonly Side[]} */
const SIDES = ['recorded', 'simulated'];
/** What each canvas shows: the wish, and figures of it. @type {Record<Side, {key: string, total: any}>} */
const shown = { recorded: { key: '', total: null }, simulated: { key: '', total: null } };

/** @param {Side} side */
const column = (side) => el('div.state-side', null, el('h3.truncate', { id: `states-${side}-name` }),
  el('div.state-box', { id: `states-${side}-box`, tabindex: '0', role: 'group', 'aria-labelledby': `states-${side}-name`, onscroll: () => soon() }, el('div', { id: `states-${side}-all` }, el('div.blocks-frame', null, el('canvas', { id: `states-${side}`, 'data-side': side, role: 'img', 'aria-label': 'Segments and blocks', onpointermove: (/** @type {PointerEvent} */ event) => void probe(side, event, false), onpointerleave: () => tell(''), onclick: (/** @type {MouseEvent} */ event) => void probe(side, event, true) }), el('div.block-labels', { id: `states-${side}-labels`, 'aria-hidden': 'true' })))));

export const statesCard = () => el('article.card.whatif-wide', { 'aria-labelledby': 'states-title', id: 'whatif-states' },
  el('header', null, el('h2', { id: 'states-title' }, 'The allocator\u2019s state under each'), el('span.soft', { id: 'states-moment' })),
  el('div.state-pair', null, el('div', null, el('table', { 'data-role': 'states' }, el('thead', null, el('tr', null, el('th', null, el('span.visually-hidden', null, 'Figure')), el('th.num', null, 'Recorded'), el('th.num', null, 'Simulated'), el('th.num', null, 'Change'))), el('tbody', { id: 'states-rows' })), el('p.soft.small.note', { id: 'states-told', 'aria-live': 'polite' })), ...SIDES.map(column)));

/** @param {WhatIf} of @param {Side} side */
function wishOf(of, side) {
  const { sight } = of;
  const row = chosenRow(of);
  const scale = devicePixelRatio || 1;
  const box = byId(`states-${side}-box`);
  const view = { moment: momentOf(sight), group: 'pool_stream', sort: 'size', stacking: sight.stacking, columns: null, zoom: 1, left: 0, top: Math.round(box.scrollTop * scale), width: Math.max(1, Math.round(/** @type {HTMLElement} */ (byId(`states-${side}`).parentElement).clientWidth * scale)), height: Math.max(1, Math.round(box.clientHeight * scale)), scale };
  const run = side === 'simulated' && row ? { settings: row.settings, limit_bytes: row.limit_bytes } : null;
  return { device: sight.device, view, run, selected: sight.selection?.kind === 'allocation' ? sight.selection.id : null, segment: null };
}

/** Asks for what is in sight and not shown yet. */
function paint() {
  const of = whatIf();
  const card = document.getElementById('whatif-states');
  if (!of || store.view !== 'whatif' || !card || card.getBoundingClientRect().top > innerHeight) return;
  const { sight } = of;
  const row = chosenRow(of);
  for (const side of SIDES) {
    if (side === 'simulated' && !row?.found) continue;
    const wish = wishOf(of, side);
    const key = JSON.stringify([wish, store.active?.id, colours().key, sight.labels]);
    if (shown[side].key === key) continue;
    sight.client.latest(`whatif-${side}`, () => Promise.all([
      sight.client.draw({ ...wish, picture: 'state', colours: { ...pictureColours(sight), ...colours().state } }), sight.client.ask({ ...wish, ask: 'state_layout' }), sight.client.ask({ ...wish, ask: 'state_figures' })]), ([picture, layout, figures]) => {
      if (whatIf() !== of || !layout || !document.getElementById(`states-${side}`)) return;
      shown[side] = { key, total: figures.total };
      put(of, side, wish.view, { picture, layout, figures });
      soon();
    });
  }
}

const soon = framed(paint);
export const paintStates = soon;

/** @param {WhatIf} of @param {Side} side @param {any} view @param {{picture: any, layout: any, figures: any}} found */
function put(of, side, view, { picture, layout, figures }) {
  const canvas = /** @type {HTMLCanvasElement} */ (byId(`states-${side}`));
  Object.assign(canvas, { width: view.width, height: view.height });
  canvas.getContext('2d', { alpha: false })?.putImageData(new ImageData(picture.pixels, view.width, view.height), 0, 0);
  byId(`states-${side}-all`).style.height = `${Math.ceil(layout.height / view.scale)}px`;
  byId(`states-${side}-labels`).replaceChildren(...blockLabels(view, layout, figures));
  const { total } = figures;
  canvas.setAttribute('aria-label', `${byId(`states-${side}-name`).textContent}, ${byId('states-moment').textContent}: ${plural(total.segments, 'segment')}, ${formatBytes(total.reserved_bytes)} reserved, ${formatBytes(total.allocated_bytes)} live, ${formatBytes(total.free_bytes)} free in ${plural(total.free_pieces, 'piece')}. The table beside mirrors the picture.`);
  table(of);
}

/** @type {[string, string, boolean][]} name, field, and whether it is bytes */
const FIGURES = [['Reserved', 'reserved_bytes', true], ['Live', 'allocated_bytes', true], ['Free', 'free_bytes', true], ['Largest free piece', 'largest_free_bytes', true], ['Free pieces', 'free_pieces', false], ['Segments', 'segments', false]];

/** @param {WhatIf} of */
function table(of) {
  const [a, b] = [shown.recorded.total, chosenRow(of) ? shown.simulated.total : null];
  const values = FIGURES.filter(([, , bytes]) => bytes).flatMap(([, field]) => [a?.[field] ?? 0, b?.[field] ?? 0, Math.abs((b?.[field] ?? 0) - (a?.[field] ?? 0))]);
  const texts = listTexts(values);
  byId('states-rows').replaceChildren(...FIGURES.map(([name, field, bytes], index) => {
    const cell = (/** @type {any} */ total, /** @type {number} */ at) => el('td.num', null, total ? (bytes ? bytesSpan(total[field], texts[index * 3 + at]) : formatCount(total[field])) : '\u2013');
    const delta = a && b ? b[field] - a[field] : null;
    return el('tr', null, el('th', { scope: 'row' }, name), cell(a, 0), cell(b, 1), el('td.num', null, delta === null ? '' : bytes ? signedSpan(delta, texts[index * 3 + 2]) : el('b', null, `${delta > 0 ? '+' : ''}${formatCount(delta)}`)));
  }));
}

/** @param {string} text */
const tell = (text) => setText(byId('states-told'), text || 'A block that is selected here is marked in both, and in the other views. Point at one to see what it is.');

/** What is under the pointer. @param {Side} side @param {MouseEvent} event @param {boolean} pin */
async function probe(side, event, pin) {
  const of = whatIf();
  if (!of) return;
  const { sight } = of;
  const wish = wishOf(of, side);
  const box = byId(`states-${side}`).getBoundingClientRect();
  const at = { x: (event.clientX - box.left) * wish.view.scale, y: (event.clientY - box.top) * wish.view.scale };
  sight.client.latest('whatif-probe', () => sight.client.ask({ ...wish, ...at, ask: 'state_probe' }), (found) => {
    if (whatIf() !== of || !document.getElementById('states-told')) return;
    const { segment, block, allocation } = found ?? {};
    const parts = [block ? `${{ allocated: 'Live', free: 'Free', pending: 'Awaiting free' }[/** @type {'free'} */ (block.state)] ?? block.state}, ${exactBytes(block.bytes)}` : '', allocation ? `made at ${allocation.name}${allocation.at ? ` ${allocation.at}` : ''}` : '', segment ? `in a segment of ${formatBytes(segment.bytes)}, ${formatBytes(segment.free_bytes)} of it free` : ''];
    tell(parts.filter(Boolean).join(', '));
    if (pin && Number.isInteger(allocation?.id)) void pinAllocation(allocation.id, wish.view.moment);
  });
}

/** @param {WhatIf} of */
export function updateStates(of) {
  const row = chosenRow(of);
  setText(byId('states-moment'), `after ${momentText(momentOf(of.sight))}`.replace('after before', 'before'));
  setText(byId('states-recorded-name'), 'As recorded');
  const ended = row && breaksOff(of, row) && row.found?.oom && row.found.oom.event < momentOf(of.sight) - 1 ? `, where it ended at event ${formatCount(row.found.oom.event)}` : '';
  setText(byId('states-simulated-name'), row ? `${nameOf(of, row)}${ended}` : 'Choose a setting above to see its state here');
  byId('states-simulated-box').classList.toggle('is-empty', !row);
  if (!row) table(of);
  if (!byId('states-told').textContent) tell('');
  soon();
}
