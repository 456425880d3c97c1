// Tables of a comparison: by category, by stack, by identity, by rank. One row at a time has the focus; arrow keys move it.
import { categoryName, categorySwatch, colourOf } from '../../categories.js';
import { el } from '../../dom.js';
import { bytesSpan, exactBytes, formatBytes, formatBytesGroup, formatCount, listTexts, place } from '../../format.js';

/** @param {number} bytes @param {string} [text] of its size */
export function signedSpan(bytes, text = formatBytes(Math.abs(bytes))) {
  return el('b', { 'data-bytes': bytes, title: exactBytes(bytes) }, bytes === 0 ? '0' : `${bytes < 0 ? '\u2212' : '+'}${text}`);
}

/** A bar from a common zero: less to the left, more to the right. @param {number} bytes @param {number} most @param {string} category */
export function bar(bytes, most, category) {
  const inner = el(`span.${bytes < 0 ? 'less' : 'more'}.c-${category}`);
  inner.style.width = `${most ? (Math.abs(bytes) / most) * 100 : 0}%`;
  return el('div.delta', { 'aria-hidden': 'true' }, inner);
}

/** @param {string} name */
const categoryTag = (name) => el('span.tag', null, categorySwatch(colourOf(name)), colourOf(name) === 'unknown' && name !== 'unknown' ? name : categoryName(name));

/** @param {number[]} values signed */
const sizes = (values) => listTexts(values.map(Math.abs));

/**
 * @param {HTMLElement} table whose rows take the focus one at a time
 * @param {(index: number) => void} run Enter or a click on a row
 * @param {(key: string) => void} [flip] opens or closes a row that can be
 */
export function roving(table, run, flip) {
  const rows = /** @type {HTMLElement[]} */ ([...table.querySelectorAll('tbody tr')]);
  const focusRow = (/** @type {number} */ to) => {
    if (!rows[to]) return;
    for (const each of rows) each.tabIndex = each === rows[to] ? 0 : -1;
    rows[to].focus();
  };
  for (const [index, row] of rows.entries()) {
    row.tabIndex = index === 0 ? 0 : -1;
    row.addEventListener('click', (event) => {
      if (!(event.target instanceof Element && event.target.closest('button'))) run(index);
    });
    row.addEventListener('keydown', (event) => {
      if (event.target !== row) return;
      const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key];
      const open = row.ariaExpanded;
      const turns = { ArrowRight: open === 'false', ArrowLeft: open === 'true' }[event.key];
      const out = event.key === 'ArrowLeft' && !turns ? rows.slice(0, index).findLastIndex((each) => Number(each.ariaLevel) < Number(row.ariaLevel)) : -1;
      if (event.key === 'Enter' || event.key === ' ') run(index);
      else if (turns && flip) flip(row.dataset.key ?? '');
      else if (out >= 0) focusRow(out);
      else if (to === undefined) return;
      else focusRow(to);
      event.preventDefault();
      event.stopPropagation();
    });
  }
  return table;
}

/** @param {any[]} categories */
export function categoryTable(categories) {
  const most = Math.max(1, ...categories.map((each) => Math.abs(each.bytes)));
  const texts = sizes(categories.flatMap((each) => [each.a_bytes, each.b_bytes, each.bytes]));
  return el('table', { 'data-role': 'by-category' }, el('thead', null, el('tr', null, el('th', null, 'Category'), el('th.num', null, 'A'), el('th.num', null, 'B'), el('th.num', null, 'Change'), el('th', null, el('span.visually-hidden', null, 'Change as a bar')))),
    el('tbody', null, ...categories.map((each, index) => el('tr', { 'data-category': each.name }, el('td', null, categoryTag(each.name)), el('td.num', null, bytesSpan(each.a_bytes, texts[index * 3])), el('td.num', null, bytesSpan(each.b_bytes, texts[index * 3 + 1])),
      el('td.num', null, signedSpan(each.bytes, texts[index * 3 + 2])), el('td.bar-cell', null, bar(each.bytes, most, colourOf(each.name)))))));
}

const HOW = { stack: null, moved: 'lines moved', line: 'called another way', function: 'same function', only_a: 'only in A', only_b: 'only in B' };
/** Frames of C++ and of the interpreter, as the worker numbers them. */
const CPP = 3;
/** Columns of the table by line. */
const COLUMNS = 7;

/**
 * Change by line of code. A row opens: to its stacks, a stack to its frames.
 * @param {any[]} lines
 * @param {Record<'a'|'b', any>} held whose frames these are
 * @param {(row: any, side: 'a'|'b') => void} show
 * @param {Set<string>} open rows that are open, by their key; kept by whoever builds the table anew
 */
export function lineTable(lines, held, show, open) {
  const most = Math.max(1, ...lines.map((row) => Math.abs(row.bytes)));
  const texts = sizes(lines.flatMap((row) => [row.bytes, row.a_bytes, row.b_bytes]));
  const body = el('tbody');
  const table = el('table.picks', { 'data-role': 'by-stack', role: 'treegrid', 'aria-label': 'Change by line of code' }, el('thead', null, el('tr', null, el('th.num', null, 'Change'), el('th', null, el('span.visually-hidden', null, 'Change as a bar')), el('th.num', null, 'A \u2192 B'), el('th.num', null, 'Blocks'), el('th', null, 'Category'), el('th', null, 'Made at'), el('th', null, 'Show in'))), body);
  const go = (/** @type {any} */ row, /** @type {'a'|'b'} */ side) => row[`${side}_stack`] === null ? null : el('button.button.small.quiet', { type: 'button', tabindex: '-1', 'data-show': side, 'aria-label': `Show ${row.name} in ${side.toUpperCase()}`, title: `Show in ${side.toUpperCase()}  ${side.toUpperCase()}`, onclick: () => show(row, side) }, side.toUpperCase());
  const best = (/** @type {any} */ row) => show(row, row.a_bytes >= row.b_bytes && row.a_stack !== null ? 'a' : 'b');

  /** @param {any} row @param {string[]} words @param {string} key @param {number} level @param {() => HTMLElement[]} below */
  function rows(row, words, key, level, below) {
    const isOpen = open.has(key);
    const twist = el('span.twist', { 'aria-hidden': 'true' }, isOpen ? '▾' : '▸');
    const node = el(level === 1 ? 'tr' : 'tr.under', { role: 'row', 'data-match': row.match, 'data-key': key, 'aria-level': level, 'aria-expanded': String(isOpen) }, el('td.num', null, signedSpan(row.bytes, words[0])), el('td.bar-cell', null, bar(row.bytes, most, colourOf(row.category))),
      el('td.num', { title: `${exactBytes(row.a_bytes)} \u2192 ${exactBytes(row.b_bytes)}` }, fromTo(words[1], words[2])), el('td.num', null, `${formatCount(row.a_count)} \u2192 ${formatCount(row.b_count)}`),
      el('td', null, categoryTag(row.category)), el('td.grow', null, el('div.with-how', null, twist, ...(level === 1 ? [place({ name: row.name, at: row.at || null })] : [el('span.truncate', null, nameOf(row, held))]), how(row, level))), el('td.ab-cell', null, go(row, 'a'), go(row, 'b')));
    twist.addEventListener('click', (event) => { event.stopPropagation(); flip(key); });
    acts.set(node, () => best(row));
    node.addEventListener('keydown', (event) => {
      const side = event.ctrlKey || event.altKey || event.metaKey ? null : /** @type {const} */ (['a', 'b']).find((each) => each === event.key.toLowerCase());
      if (!side || event.target !== node || row[`${side}_stack`] === null) return;
      event.preventDefault();
      event.stopPropagation();
      show(row, side);
    });
    return isOpen ? [node, ...below()] : [node];
  }

  /** @param {any} row @param {string} key */
  const framesOf = (row, key) => el('tr.frames', { role: 'row', 'aria-level': 3, 'data-key': key }, el('td', { colspan: COLUMNS }, frameList(row, held)));

  /** @type {WeakMap<HTMLElement, () => void>} */
  const acts = new WeakMap();

  function build() {
    body.replaceChildren(...lines.flatMap((line, index) => {
      const key = `${line.name} ${line.at}`;
      return rows(line, texts.slice(index * 3), key, 1, () => {
        // One stack has the figures of its line.
        if (line.stacks.length === 1) return [framesOf(line.stacks[0], `${key} 0 frames`)];
        const inside = sizes(line.stacks.flatMap((/** @type {any} */ row) => [row.bytes, row.a_bytes, row.b_bytes]));
        const more = line.n_stacks - line.stacks.length;
        return [...line.stacks.flatMap((/** @type {any} */ row, /** @type {number} */ at) => rows(row, inside.slice(at * 3), `${key} ${at}`, 2, () => [framesOf(row, `${key} ${at} frames`)])),
          ...(more > 0 ? [el('tr.frames', { role: 'row' }, el('td.soft', { colspan: COLUMNS }, `${formatCount(more)} stacks with smaller changes are not listed.`))] : [])];
      });
    }));
    roving(table, (index) => {
      const row = /** @type {HTMLElement} */ (body.rows[index]);
      acts.get(row)?.();
    }, flip);
  }

  /** @param {string} key opens or closes a row */
  function flip(key) {
    open.has(key) ? open.delete(key) : open.add(key);
    build();
    const row = /** @type {HTMLElement|undefined} */ ([...body.rows].find((each) => each.dataset.key === key));
    if (!row) return;
    for (const each of body.rows) each.tabIndex = each === row ? 0 : -1;
    row.focus();
  }

  build();
  return table;
}

/** The call that tells a stack from others of its line: the innermost frame of one side alone, or else what calls the line. @param {any} row @param {Record<'a'|'b', any>} held */
function nameOf(row, held) {
  const named = row.frames.map((/** @type {[number, number]} */ [side, at]) => ({ side, ...held[side === 2 ? 'b' : 'a'].frames[at] }));
  const line = named.findIndex((/** @type {any} */ frame) => frame.kind === 0);
  const inner = named.slice(0, line < 0 ? 1 : line).filter((/** @type {any} */ frame) => frame.kind !== 3);
  const operator = named.find((/** @type {any} */ frame) => /^at::|^aten::|^torch::autograd/.test(frame.name));
  const caller = named.slice(line + 1).find((/** @type {any} */ frame) => frame.kind === 0);
  const shown = inner[0] ?? operator ?? caller ?? named[0];
  return shown ? `${shown.name}${shown.line ? ` ${shown.file.split(/[/\\]/).pop()}:${shown.line}` : ''}` : 'no stack';
}

const SIDES = ['', 'only in A', 'only in B'];

/** @param {any} row a stack @param {Record<'a'|'b', any>} held */
function frameList(row, held) {
  /** @type {HTMLElement[]} */
  const items = [];
  /** @type {HTMLElement[]} those of C++ since the last other frame */
  let run = [];
  const fold = () => {
    if (run.length > 1) items.push(foldOf(run));
    items.push(...run);
    run = [];
  };
  for (const [side, at] of /** @type {[number, number][]} */ (row.frames)) {
    const frame = held[side === 2 ? 'b' : 'a'].frames[at];
    const item = el(`li${frame.kind === 0 ? '.own' : ''}${side ? `.${side === 1 ? 'a' : 'b'}` : ''}`, { 'data-side': SIDES[side] || 'both' }, side ? el(`span.ab.${side === 1 ? 'a' : 'b'}`, { title: SIDES[side] }, side === 1 ? 'A' : 'B') : el('span.ab.none', { 'aria-hidden': 'true' }),
      el('span.fn', null, frame.name), el('span.at', null, frame.line ? `${frame.file}:${frame.line}` : frame.file), side ? el('span.visually-hidden', null, SIDES[side]) : null);
    if (frame.kind === CPP) run.push(item);
    else {
      fold();
      items.push(item);
    }
  }
  fold();
  return items.length ? el('ol.frame-list', { 'aria-label': 'Frames, innermost first' }, ...items) : el('p.soft', null, 'These have no stack.');
}

/** One row for a run of C++ frames, which opens it. @param {HTMLElement[]} run */
function foldOf(run) {
  for (const item of run) item.hidden = true;
  const only = ['a', 'b'].filter((side) => run.some((item) => item.classList.contains(side)));
  const button = el('button.text-link', { type: 'button', 'aria-expanded': 'false', onclick: () => {
    const open = button.getAttribute('aria-expanded') === 'false';
    button.setAttribute('aria-expanded', String(open));
    for (const item of run) item.hidden = !open;
  } }, `${formatCount(run.length)} C++ frames${only.length ? `, some only in ${only.map((side) => side.toUpperCase()).join(' or ')}` : ''}`);
  return el('li.fold', null, el('span.ab.none', { 'aria-hidden': 'true' }), button);
}

/** Two sizes, their unit once if it is one. @param {string} a @param {string} b */
function fromTo(a, b) {
  const [number, unit] = a.split('\u00a0');
  return `${unit && b.endsWith(`\u00a0${unit}`) ? number : a} \u2192 ${b}`;
}

/** @param {any} row @param {number} level */
function how(row, level) {
  const text = HOW[/** @type {'stack'} */ (row.match)];
  const stacks = level === 1 && row.n_stacks > 1 ? `${formatCount(row.n_stacks)} stacks` : '';
  const words = [stacks, text].filter(Boolean).join(', ');
  return words ? el('span.how', null, words) : null;
}

/**
 * @param {any} changes
 * @param {(row: any, side: 'a'|'b') => void} show
 */
export function changesTable(changes, show) {
  const rows = changes.by_stack.filter((/** @type {any} */ row) => row.new.count + row.released.count > 0);
  const parts = /** @type {const} */ (['new', 'released', 'still']);
  const texts = sizes(rows.flatMap((/** @type {any} */ row) => parts.map((part) => row[part].bytes)));
  const cell = (/** @type {any} */ lot, /** @type {string} */ text) => el('td.num', { title: `${exactBytes(lot.bytes)} in ${formatCount(lot.count)} blocks` }, lot.count ? `${text} \u00d7${formatCount(lot.count)}` : '\u2013');
  const table = el('table.picks', { 'data-role': 'changes' }, el('thead', null, el('tr', null, el('th.num', null, 'New'), el('th.num', null, 'Released'), el('th.num', null, 'Still there'), el('th', null, 'Category'), el('th', null, 'Made at'))),
    el('tbody', null, ...rows.map((/** @type {any} */ row, /** @type {number} */ index) => el('tr', null, ...parts.map((part, at) => cell(row[part], texts[index * 3 + at])), el('td', null, categoryTag(row.category)), el('td.grow', null, place({ name: row.name, at: row.at || null }))))));
  return roving(table, (index) => show({ ...rows[index], a_stack: rows[index].stack, b_stack: rows[index].stack }, rows[index].new.bytes >= rows[index].released.bytes ? 'b' : 'a'));
}

/**
 * @param {any} ranks
 * @param {(index: number) => void} compareWithMedian
 */
export function rankTable(ranks, compareWithMedian) {
  const peaks = formatBytesGroup(ranks.rows.map((/** @type {any} */ row) => row.peak_bytes));
  const reserved = formatBytesGroup(ranks.rows.map((/** @type {any} */ row) => row.reserved_bytes));
  const most = Math.max(1, ...ranks.rows.map((/** @type {any} */ row) => row.peak_bytes));
  const table = el('table.picks', { 'data-role': 'ranks' }, el('thead', null, el('tr', null, el('th', null, 'Rank'), el('th.num', null, 'Peak'), el('th', null, el('span.visually-hidden', null, 'Peak as a bar')), el('th.num', null, 'Reserved'), el('th.num', null, 'To the median'), el('th', null, el('span.visually-hidden', null, 'Verdict')))),
    el('tbody', null, ...ranks.rows.map((/** @type {any} */ row, /** @type {number} */ index) => {
      const meter = el('div.meter');
      meter.style.width = `${(row.peak_bytes / most) * 100}%`;
      return el('tr', { title: 'Compare with the median rank', 'data-outlier': row.outlier || null }, el('td.truncate', null, row.name), el('td.num', null, bytesSpan(row.peak_bytes, peaks[index])), el('td.bar-cell', null, meter), el('td.num', null, bytesSpan(row.reserved_bytes, reserved[index])), el('td.num', null, signedSpan(row.difference_bytes)),
        el('td', null, row.outlier ? el('b.is-warning', null, 'out of line') : ranks.median === index ? 'median' : ''));
    })));
  return roving(table, compareWithMedian);
}
