// Words that explain themselves: after 400 ms of hover, at once on focus, beside the word, gone with Esc.
import { byId, el } from './dom.js';

/** What PyTorch's words mean. Title and at most two sentences. */
const WORDS = {
  requested: ['Requested', 'The bytes the program asked for: the sizes of the live tensors, before the allocator rounds them up.'],
  allocated: ['Allocated', 'Requested bytes rounded up to whole blocks, 512 bytes at least. Known where the replayed allocator agrees with the file.'],
  active: ['Active', 'Allocated blocks and those freed but still awaited by another stream.'],
  inactive_split: ['Inactive split', 'Free pieces of segments that are partly in use: kept, but not one whole segment that could go back.'],
  reserved: ['Reserved', 'What the allocator holds from the driver: allocated blocks and free pieces it keeps for reuse. Other programs cannot use it.'],
  gap: ['Reserved but not requested', 'Free pieces the allocator keeps, and what rounding adds to blocks. Nothing the program asked for lies there.'],
  event: ['Event', 'One entry of the recording: an allocation, a free, a segment taken from or given back to the driver, or a failed request. Counted from 0, as in the file.'],
  moment: ['Moment', 'The state between two events. The picture has one column for each moment, or the fullest of those that share a column.'],
  stack: ['Stack', 'The calls that led to an allocation. A colour stands for the innermost line that is neither torch nor C++.'],
  blocks: ['Blocks', 'How many allocations were alive at that moment.'],
  settings: ['Allocator settings', 'What PYTORCH_CUDA_ALLOC_CONF and the defaults amounted to when the snapshot was written.'],
  end: ['At the end', 'The state after the last event of the recording.'],
  model: ['Allocator model', 'vramscope replays the allocator event by event and compares every address with the file. Where both agree, sizes of blocks and free pieces are exact.'],
  live: ['Live', 'Blocks that hold an allocation now, rounded up as the allocator does.'],
  free: ['Free', 'Pieces of segments that hold nothing: kept for reuse, not given back to the driver.'],
  pending: ['Awaiting free', 'Freed by the program, but another stream may still use it: it is free only when that stream has caught up.'],
  rounding: ['Rounding', 'Bytes of a block beyond what was requested: sizes are rounded up, and small rests are not split off.'],
  pinned: ['Half-empty', 'At most half used, and yet it cannot go back to the driver: a live block holds the whole segment.'],
  segment: ['Segment', 'A piece of memory taken from the driver at once, cut into blocks. It goes back only when all of it is free.'],
  largest: ['Largest free', 'The largest piece that is free in one run: a larger request needs a new segment.'],
  fragmentation: ['Fragmentation', '1 − largest free piece ÷ all free bytes. 0: all that is free is one piece; near 1: it lies in many small ones.'],
  limit: ['Limit', 'What the process could reserve at most, inferred from what failed and what was granted.'],
  outside: ['Outside of segments', 'Allocations whose segment the file does not tell.'],
  steps: ['Steps', 'Rounds of the program: forward, backward and optimizer, or one round of inference. Found from the stacks and from what repeats.'],
  phases: ['Phases', 'What the program was doing: forward, backward, the optimizer’s step. Found from the stacks of allocations.'],
  driver: ['Driver', 'Calls to the driver: segments taken or mapped point up, those freed or unmapped down.'],
  group: ['Pool and stream', 'Segments serve one pool, small (requests up to 1 MiB) or large, of one stream: free pieces cannot be used across.'],
  age: ['Age', 'Segments taken from the driver first stand first.'],
  made: ['Made at', 'The innermost line that is neither torch nor C++. Where only the free was recorded, the line that freed: “freed at”.'],
  of_requested: ['Of requested', 'The share of all bytes that were requested at that moment.'],
  segments: ['Segments', 'How many segments the allocator held at the end of the recording: each is a piece of memory taken from the driver at once.'],
  allocations: ['Allocations', 'How many allocations the recording tells of, those from before its first event included.'],
  inside: ['Free inside', 'What lay free in segments that the request could have used, in however many pieces.'],
  card: ['Free on the card', 'What the driver reported as free on the whole card when the request failed, other programs and limits of this one aside.'],
  held_free: ['Held free', 'Free bytes of the segment, which cannot go back to the driver while anything in it is live.'],
  by_live: ['By live', 'The live bytes in the segment: what holds all of it.'],
  history: ['History', 'Complete means: recording began before the first allocation and no event was dropped, so every block has its beginning in the file.'],
};

let timer = 0;
/** @type {HTMLElement|null} */
let shown = null;

/**
 * @param {keyof typeof WORDS} word
 * @param {string} [text] instead of the word's own title
 * @param {string|null} [why] a further sentence, of this file
 * @returns {HTMLElement}
 */
export function term(word, text = WORDS[word][0], why = null) {
  return el('span.term', { tabindex: '0', 'data-term': word, 'data-why': why, 'aria-describedby': 'tip' }, text);
}

/** @param {EventTarget|null} target */
const termOf = (target) => /** @type {HTMLElement|null} */ (target instanceof Element ? target.closest('[data-term]') : null);

export function initTooltips() {
  document.addEventListener('pointerover', (event) => {
    const node = termOf(event.target);
    if (node === shown) return;
    hide();
    if (node && event.pointerType !== 'touch') timer = window.setTimeout(() => show(node), 400);
  });
  document.addEventListener('focusin', (event) => {
    hide();
    const node = termOf(event.target);
    if (node) show(node);
  });
  document.addEventListener('focusout', hide);
  document.addEventListener('scroll', hide, true);
}

/** @returns {boolean} whether there was one to hide */
export function hide() {
  clearTimeout(timer);
  const was = shown !== null;
  byId('tip').hidden = true;
  shown = null;
  return was;
}

/** @param {HTMLElement} node */
function show(node) {
  const [title, text] = WORDS[/** @type {keyof typeof WORDS} */ (node.dataset.term)];
  const tip = byId('tip');
  const { why } = node.dataset;
  tip.replaceChildren(el('b', null, title), why ? el('p.why', null, why) : '', el('p', null, text));
  tip.hidden = false;
  shown = node;
  const target = node.getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  const below = target.bottom + 6 + own.height < innerHeight - 8;
  tip.style.left = `${Math.max(8, Math.min(target.left, innerWidth - own.width - 8))}px`;
  tip.style.top = `${below ? target.bottom + 6 : Math.max(8, target.top - own.height - 6)}px`;
}
