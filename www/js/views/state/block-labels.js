// The words over the picture of the allocator's state: headings, sizes of segments and blocks. What does not fit is left out, never cut.
import { CATEGORIES } from '../../categories.js';
import { byId, el } from '../../dom.js';
import { columnUnit, formatBytes, formatBytesGroup, formatCount, plural } from '../../format.js';

const MOST_LABELS = 1500;
/** 11 px figures, the widest of the fonts, and the air around them. */
const DIGIT_PX = 7.4;
const AIR_PX = 10;
/**
 * @param {any} figures of a group
 * @returns {string[]} in one unit
 */
export function groupParts(figures) {
  const { reserved_bytes: reserved, allocated_bytes: allocated, free_bytes: free, pending_bytes: pending } = figures;
  const [held, live, unused, waiting] = formatBytesGroup([reserved, allocated, free, pending]);
  return [
    `${plural(figures.segments, 'segment')}, ${held} reserved`,
    allocated > 0 ? `${live} live in ${plural(figures.live_blocks, 'block')}` : 'nothing live',
    ...(pending > 0 ? [`${waiting} awaiting free in ${plural(figures.pending_blocks, 'block')}`] : []),
    free > 0 ? `${unused} free in ${plural(figures.free_pieces, 'piece')}` : 'nothing free',
  ];
}

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {import('./blocks.js').Shown} shown
 */
export function layoutLabels(sight, { view, layout, state }) {
  byId('block-labels').replaceChildren(...blockLabels(view, layout, state));
  byId('state-canvas').setAttribute('aria-label', sentence(sight, state));
}

/** @param {any} view @param {any} layout @param {any} state figures @returns {HTMLElement[]} */
export function blockLabels(view, layout, state) {
  const px = (/** @type {number} */ value) => value / view.scale;
  const nodes = layout.groups.map((/** @type {any} */ group) => heading(group, state, px, view.zoom));
  const height = px(view.height);
  for (const row of layout.rows) {
    const group = layout.groups.findLast((/** @type {any} */ each) => each.y <= row.y) || layout.groups[0];
    const { text: sizeText } = columnUnit(group?.full_width_bytes || row.bytes);
    const middle = px(row.y + row.height / 2);
    if (middle < 0 || middle > height || nodes.length > MOST_LABELS) continue;
    const gutter = el(`span.gutter${row.pinned ? '.pinned' : ''}`, null, sizeText(row.bytes).replace(/\.0$/, ''));
    Object.assign(gutter.style, { left: `${px(row.x) - 5}px`, top: `${middle}px` });
    nodes.push(gutter);
    if (row.height / view.scale < 12) continue;
    for (const label of row.labels) {
      const from = Math.max(label.x, row.x), to = Math.min(label.x + label.width, view.width);
      const text = sizeText(label.bytes);
      if (px(to - from) < text.length * DIGIT_PX + AIR_PX) continue;
      const slot = label.state === 'allocated' && Number.isInteger(label.slot) ? (view.stacking === 'category' ? `.c-${CATEGORIES[label.slot]}` : `.s-${label.slot}`) : '';
      const node = el(`span.size${slot}`, null, text);
      Object.assign(node.style, { left: `${px(from) + 4}px`, top: `${middle}px` });
      nodes.push(node);
    }
  }
  return nodes;
}

/**
 * @param {any} group
 * @param {any} state
 * @param {(value: number) => number} px
 * @param {number} zoom
 */
function heading(group, state, px, zoom) {
  const figures = group.key === 'all' ? state && { ...state.total, label: 'All segments' } : state?.groups.find((/** @type {any} */ each) => each.key === group.key);
  const { unit } = columnUnit(group.full_width_bytes);
  const node = el('div.heading', null,
    el('span.parts', null, el('b', null, figures?.label ?? group.label ?? 'All segments'), ...(figures ? groupParts(figures).map((text) => el('span', null, text)) : [])),
    el('span.muted.scale', { title: `Rows of a group are drawn to one scale: the full width is that of its widest segment. Each group has its own. Sizes are in ${unit}.` }, `full width ${formatBytes(group.full_width_bytes / zoom).replace(/\.0(?=\D)/, '')}${figures?.pending_bytes > 0 ? '' : `, sizes in ${unit}`}`));
  node.style.top = `${px(group.y) + 9}px`;
  return node;
}

/**
 * @param {import('../../sight.js').Sight} sight
 * @param {any} state
 */
function sentence(sight, state) {
  if (!state) return 'Segments and blocks of the allocator';
  const { total, pinned } = state;
  return `${plural(total.segments, 'segment')}, each group at its own scale, ${formatBytes(total.reserved_bytes)} reserved, ${formatBytes(total.allocated_bytes)} live in ${plural(total.live_blocks, 'block')}, ${total.pending_bytes > 0 ? `${formatBytes(total.pending_bytes)} awaiting free in ${plural(total.pending_blocks, 'block')}, ` : ''}${formatBytes(total.free_bytes)} free in ${plural(total.free_pieces, 'piece')}. ${pinned?.segments ? `${formatCount(pinned.segments)} are at most half used and cannot be released. ` : ''}Arrow keys move between blocks, Enter shows one in the timeline; the table beside mirrors the picture.`;
}
