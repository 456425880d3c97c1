// What the table is of, in words.
import { formatCount } from '../../format.js';
import { momentOf } from '../../sight.js';
import { tableOf } from './view.js';

/** @typedef {import('../../sight.js').Sight} Sight */

/** @param {number} moment */
const after = (moment) => (moment === 0 ? 'before the first event' : `event ${formatCount(moment - 1)}`);

/** @param {Sight} sight */
function rangeText(sight) {
  const { x0, x1 } = sight.range;
  return sight.axis === 'time' || (x0 <= 0 && x1 >= sight.moments) ? '' : `, events ${formatCount(Math.floor(x0))} to ${formatCount(Math.max(0, Math.ceil(x1) - 2))}`;
}

/** @param {Sight} sight @param {import('./view.js').Of} of @returns {[string, string]} what they do, and when */
export function ofText(sight, of) {
  switch (of) {
    case 'moment': return ['Alive', `at the moment shown, ${after(momentOf(sight))}`];
    case 'end': return ['Alive', 'at the end'];
    case 'made': return ['Allocated', `in the range shown${rangeText(sight)}`];
    case 'freed': return ['Freed', `in the range shown${rangeText(sight)}`];
    case 'all': return ['All', 'allocations of the recording'];
    default: return ['Alive', sight.moments < 2 ? 'at the one moment' : `at the peak, ${after(sight.overview.peak.moment)}`];
  }
}

/** @param {Sight} sight @returns {string} as the end of a sentence: "alive at the peak" */
export function ofSentence(sight) {
  const { of } = tableOf(sight);
  const [verb, when] = ofText(sight, of);
  return of === 'all' ? 'in the recording' : `${verb.toLowerCase()} ${when.split(',')[0]}`;
}
