// Words that explain themselves: after 400 ms of hover, at once on focus, beside the word, gone with Esc.
import { byId, el } from './dom.js';

/** What PyTorch's words mean. Title and at most two sentences. */
const WORDS = {
  requested: ['Requested', 'The bytes the program asked for: the sizes of the live tensors, before the allocator rounds them up.'],
  allocated: ['Allocated', 'Requested bytes rounded up to whole blocks, 512 bytes at least. It needs the allocator model, which this version does not have yet.'],
  active: ['Active', 'Allocated blocks and those freed but still awaited by another stream. It needs the allocator model, which this version does not have yet.'],
  reserved: ['Reserved', 'What the allocator holds from the driver: allocated blocks and free pieces it keeps for reuse. Other programs cannot use it.'],
  gap: ['Reserved but not requested', 'Free pieces the allocator keeps, and what rounding adds to blocks. Nothing the program asked for lies there.'],
  event: ['Event', 'One entry of the recording: an allocation, a free, a segment taken from or given back to the driver, or a failed request. Counted from 0, as in the file.'],
  moment: ['Moment', 'The state between two events. The picture has one column for each moment, or the fullest of those that share a column.'],
  stack: ['Stack', 'The calls that led to an allocation. A colour stands for the innermost line that is neither torch nor C++.'],
  blocks: ['Blocks', 'How many allocations were alive at that moment.'],
  settings: ['Allocator settings', 'What PYTORCH_CUDA_ALLOC_CONF and the defaults amounted to when the snapshot was written.'],
  end: ['At the end', 'The state after the last event of the recording.'],
  history: ['History', 'Complete means: recording began before the first allocation and no event was dropped, so every block has its beginning in the file.'],
};

let timer = 0;
/** @type {HTMLElement|null} */
let shown = null;

/**
 * @param {keyof typeof WORDS} word
 * @param {string} [text] instead of the word's own title
 * @returns {HTMLElement}
 */
export function term(word, text = WORDS[word][0]) {
  return el('span.term', { tabindex: '0', 'data-term': word, 'aria-describedby': 'tip' }, text);
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
  tip.replaceChildren(el('b', null, title), el('p', null, text));
  tip.hidden = false;
  shown = node;
  const target = node.getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  const below = target.bottom + 6 + own.height < innerHeight - 8;
  tip.style.left = `${Math.max(8, Math.min(target.left, innerWidth - own.width - 8))}px`;
  tip.style.top = `${below ? target.bottom + 6 : Math.max(8, target.top - own.height - 6)}px`;
}
