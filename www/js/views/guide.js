// "How to read this": what a snapshot is, what the page says of it, and what it cannot know. Reached from the overview and from the help.
import { openDialog } from '../dialogs.js';
import { el, icon } from '../dom.js';
import { WORDS } from '../terms.js';
import { withCode } from './words.js';

/** @type {[string, string[]][]} */
const CHAPTERS = [
  ['What a snapshot is', [
    'A snapshot is a diary of PyTorch’s memory allocator on one card: every allocation and every free since recording began, with the stack that asked, and all segments and blocks at the moment the file was written. This page plays the diary again, so it can show any moment, not just the last one.',
    'The diary has a length, `max_entries`. When it is full, the oldest events are dropped; what was made before the first event is known only as far as it was alive at the end or freed later. The status bar says whether the history is complete.',
  ]],
  ['Four byte counts', [
    'Requested is what the program asked for. Allocated is the same rounded up to whole blocks. Active adds blocks that were freed while another stream may still use them. Reserved is all that the allocator holds from the driver, free pieces included; it is what `nvidia-smi` shows, together with the context of CUDA itself.',
    'A gap between requested and allocated is rounding. A gap between allocated and reserved is free memory kept for reuse: useful when the next request fits into it, lost when it lies in pieces that fit nothing.',
  ]],
  ['The verdict, and how sure it is', [
    'Causes are tried in a fixed order, and the first whose measured value passes its threshold is the verdict. The evidence shows value and threshold side by side. Confidence is a number between 0 and 1 with its reason; the runner-up is the cause that came next.',
    'What to change is sorted by effect. A figure such as −3.6 GiB is what would have been saved at the moment of the bar, “up to” says that less is possible. Findings are facts that hold whatever the cause is; Show me leads to the moment and the block.',
  ]],
  ['Timeline, lanes and allocator state', [
    'In the timeline every allocation is an area: as wide as its life, as high as its bytes. By category, parameters are at the bottom and what is unknown at the top. The ink line above is reserved memory. A sawtooth is a healthy step; a staircase is something that stays.',
    'Lanes below it show steps and phases, as the stacks and what repeats tell them; grey words, no colours. A click on one shows it alone.',
    'The allocator state is one moment: each row is a segment, hatched is free, crossed waits for another stream, a dark end is rounding, an amber frame is a segment that is mostly empty but held by a live block.',
  ]],
  ['What a snapshot cannot tell', [
    'Who holds a tensor: it shows where a block was made, never which variable keeps it alive. Shapes and data types: only bytes. Other processes on the card, and what CUDA itself takes: only how much the driver had left when a request failed. What a stack does not show: categories and phases are drawn from names in stacks and from lifetimes, and say how sure they are.',
  ]],
];

export function showGuide() {
  const words = Object.values(WORDS).map(([title, text]) => /** @type {[string, string]} */ ([title, text])).sort(([a], [b]) => a.localeCompare(b, 'en'));
  openDialog({
    label: 'guide-title', shape: 'guide',
    content: (close) => [
      el('header.dialog-head', null, el('h2', { id: 'guide-title' }, 'How to read this'), el('button.button.quiet.icon-only.push', { type: 'button', 'aria-label': 'Close', autofocus: true, onclick: close }, icon('close'))),
      ...CHAPTERS.map(([title, texts]) => el('section', null, el('h3', null, title), ...texts.map((text) => el('p', null, ...withCode(text))))),
      el('details', null, el('summary', null, `All ${words.length} words`), el('dl', null, ...words.flatMap(([title, text]) => [el('dt', null, title), el('dd', null, ...withCode(text))]))),
    ],
  });
}
