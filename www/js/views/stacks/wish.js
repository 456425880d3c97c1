// Which tree of stacks is shown: what is weighed, how it lies, what was done to it. Kept with the sight, asked for in every question.
import { chosenBy } from '../../expression.js';
import { emit, current } from '../../store.js';
import { momentOf } from '../../sight.js';

/** @typedef {'alive'|'peak'|'allocated'|'freed'|'retained'|'lifetime'} Weigh */
/** @typedef {'name'|'total'|'share'|'own'|'blocks'|'category'} RowColumn */
/** @typedef {{what: 'focus'|'drop'|'merge', path: number[], function: boolean, inverted: boolean}} Change keys as the worker numbers them */
/**
 * @typedef {object} Stacks
 * @property {Weigh} weigh
 * @property {'top_down'|'bottom_up'|'sandwich'} form
 * @property {number|null} middle key of the function in a sandwich; null: the one with the most bytes of its own
 * @property {boolean} folded
 * @property {string} hidden
 * @property {Change[]} changes
 * @property {number|null} zoom id of the frame that is as wide as the picture
 * @property {number} x0 share of that frame at the left border
 * @property {number} x1 share at the right border
 * @property {number|null} selected id of a node
 * @property {{column: RowColumn, down: boolean}} sort of the rows below one another
 * @property {Set<number>} flipped rows opened or closed by hand
 * @property {Map<number, string>} names of keys that were met, for the breadcrumb
 */

/** @type {Record<Weigh, [string, string]>} */
export const WEIGHS = {
  alive: ['alive at this moment', 'The moment that all views share'], peak: ['alive at the peak', 'The most requested bytes'],
  allocated: ['allocated in the range', 'All that was allocated in the range of the timeline'], freed: ['freed in the range', 'By the stack that allocated it'],
  retained: ['retained over the range', 'Allocated in the range and alive at its end'], lifetime: ['bytes × lifetime', 'Within the range: large for what is large and lives long'],
};

/** @type {WeakMap<object, Stacks>} */
const kept = new WeakMap();

/** @param {import('../../sight.js').Sight} sight @returns {Stacks} */
export function stacksOf(sight) {
  const known = kept.get(sight);
  if (known) return known;
  /** @type {Stacks} */
  const fresh = { weigh: 'peak', form: 'top_down', middle: null, folded: true, hidden: '', changes: [], zoom: null, x0: 0, x1: 1, selected: null, sort: { column: 'total', down: true }, flipped: new Set(), names: new Map() };
  kept.set(sight, fresh);
  return fresh;
}

/** @param {Partial<Stacks>} wish */
export function setStacks(wish) {
  const sight = current();
  if (!sight) return;
  Object.assign(stacksOf(sight), wish);
  emit('options');
}

/** @param {import('../../sight.js').Sight} sight @returns {boolean} whether frames show what of them the filter chooses: with nothing else shown all of them is */
export const marksMatches = (sight) => Boolean(sight.expression.trim()) && !sight.fault && !sight.only;

/** @param {import('../../sight.js').Sight} sight what every question about the tree holds */
export function treeOf(sight) {
  const { weigh, form, middle, folded, hidden, changes } = stacksOf(sight);
  const ranged = weigh !== 'alive' && weigh !== 'peak';
  const { x0, x1 } = sight.range;
  return {
    device: sight.device, ...(marksMatches(sight) ? chosenBy(sight) : {}),
    tree: { weigh, ...(weigh === 'alive' ? { moment: momentOf(sight) } : {}), ...(ranged ? { axis: sight.axis, x0, x1 } : {}), form, function: form === 'sandwich' ? middle : null, folded, hidden, changes },
  };
}

/** @param {import('../../sight.js').Sight} sight @returns {'bytes'|'us'|'events'} what the numbers count */
export const unitOf = (sight) => (stacksOf(sight).weigh !== 'lifetime' ? 'bytes' : sight.hasTime ? 'us' : 'events');

/** @param {Change} change adds a step, which the breadcrumb undoes */
export function addChange(change) {
  const sight = current();
  if (!sight) return;
  const { changes } = stacksOf(sight);
  setStacks({ changes: [...changes, change], zoom: null, x0: 0, x1: 1, selected: null });
}

/** @param {number} count leaves so many steps */
export function keepChanges(count) {
  const sight = current();
  if (sight) setStacks({ changes: stacksOf(sight).changes.slice(0, count), zoom: null, x0: 0, x1: 1 });
}

const LETTERS = { focus: 'f', drop: 'd', merge: 'm' };

/**
 * weigh=retained · form=sandwich · mid=KEY · fold=0 · hide=PATTERN · do=f.1-2-3,D.7 (upper case: a function; `~`: from the bottom up) · zoom=ID · node=ID · rows=own- (with a minus the largest first)
 * @param {import('../../sight.js').Sight} sight
 * @param {URLSearchParams} parts
 */
export function writeStacks(sight, parts) {
  const { weigh, form, middle, folded, hidden, changes, zoom, selected, sort } = stacksOf(sight);
  if (weigh !== 'peak') parts.set('weigh', weigh);
  if (form !== 'top_down') parts.set('form', form);
  if (middle !== null && form === 'sandwich') parts.set('mid', String(middle));
  if (!folded) parts.set('fold', '0');
  if (hidden) parts.set('hide', hidden);
  if (changes.length) parts.set('do', changes.map((change) => `${change.inverted ? '~' : ''}${change.function ? LETTERS[change.what].toUpperCase() : LETTERS[change.what]}.${change.path.join('-')}`).join(','));
  if (zoom !== null) parts.set('zoom', String(zoom));
  if (selected !== null) parts.set('node', String(selected));
  const rows = `${sort.column}${sort.down ? '-' : ''}`;
  if (rows !== 'total-') parts.set('rows', rows);
}

/** @param {string|null} text */
const id = (text) => (/^\d{1,16}$/.test(text || '') ? Number(text) : null);

/** @param {URLSearchParams} parts */
export function readStacks(parts) {
  const changes = (parts.get('do') || '').split(',').flatMap((text) => {
    const found = /^(~?)([fdmFDM])\.(\d{1,10}(?:-\d{1,10})*)$/.exec(text);
    if (!found) return [];
    const what = /** @type {'focus'} */ (Object.keys(LETTERS).find((each) => each[0] === found[2].toLowerCase()));
    return [{ what, path: found[3].split('-').map(Number).filter((key) => key < 2 ** 32), function: found[2] < 'a', inverted: found[1] === '~' }];
  });
  const form = /** @type {const} */ (['bottom_up', 'sandwich']).find((each) => each === parts.get('form')) ?? 'top_down';
  const weigh = /** @type {Weigh} */ (Object.keys(WEIGHS).find((each) => each === parts.get('weigh')) ?? 'peak');
  const middle = id(parts.get('mid'));
  const rows = /^(name|total|share|own|blocks|category)(-?)$/.exec(parts.get('rows') || 'total-');
  const sort = { column: /** @type {RowColumn} */ (rows?.[1] ?? 'total'), down: !rows || rows[2] === '-' };
  setStacks({ sort, weigh, form, middle: middle !== null && middle < 2 ** 32 ? middle : null, folded: parts.get('fold') !== '0', hidden: (parts.get('hide') || '').slice(0, 1000), changes, zoom: id(parts.get('zoom')), x0: 0, x1: 1, selected: id(parts.get('node')) });
}
