// Estimates: the requests at another batch, or of a changed program, simulated under the recorded settings. Each has its own worker while it runs.
import { el } from '../../dom.js';
import { formatBytes, formatShare } from '../../format.js';
import { Simulators } from '../../simulators.js';

/** @typedef {import('./runs.js').WhatIf} WhatIf */

/**
 * @typedef {object} Wish see `Wish` of crates/vramscope-simulate
 * @property {string} [change]
 * @property {string} [module]
 * @property {[number, number]} [batch]
 * @property {[number, number]} [length]
 *
 * @typedef {object} Scenario
 * @property {string} title
 * @property {string} assumption
 * @property {string[]} notes
 * @property {number|null} uncertainty_percent
 * @property {{scaling_bytes: number, fixed_bytes: number}[]|null} parts of the recorded and of the estimated peak
 *
 * @typedef {object} Estimate
 * @property {string} why why there is none
 * @property {Scenario|null} scenario
 * @property {import('./runs.js').Found|null} found
 * @property {boolean} done
 */

/** @type {Set<Simulators>} */
const pools = new Set();

/** @param {Simulators} pool */
function end(pool) {
  pool.end();
  pools.delete(pool);
}

/** Estimates that are under way are not wanted any more. */
export const endEstimates = () => pools.forEach(end);

/**
 * @param {WhatIf} of
 * @param {Wish} wish
 * @param {(estimate: Estimate) => void} told as it becomes known, more than once
 */
export async function estimate(of, wish, told) {
  const { client, device } = of.sight;
  const answer = await client.ask({ ask: 'estimate', device, wish });
  if (!answer) return;
  const { why_not: why, scenario } = answer;
  const tell = (/** @type {import('./runs.js').Found|null} */ found, done = false, fault = '') => told({ why: why || fault, scenario, found, done });
  if (why) return tell(null, true);
  tell(null);
  const pool = new Simulators(() => client.take({ kind: 'requests', device, wish }), {
    told(_, { found, ended, orders }) {
      const done = ended && orders[0] >= orders[1];
      if (done) end(pool);
      tell(found, done, done && !found ? 'What was there before the first event contradicts itself.' : '');
    },
    died(_, fault) {
      end(pool);
      tell(null, true, `The simulation stopped: ${fault}`);
    },
  });
  pools.add(pool);
  void pool.run([{ id: 1, kind: 'run', settings: of.basis.settings, limit_bytes: of.basis.limit_high_bytes }]);
}

export const badge = () => el('span.estimate-badge', { title: 'Not exact: it rests on the assumption that stands beside it. The simulation itself is exact.' }, 'estimate');

/** @param {number} bytes @param {number} than @returns {string} */
export const changeText = (bytes, than) => `${bytes < than ? '\u2212' : '+'}${formatBytes(Math.abs(bytes - than))}, ${bytes < than ? '\u2212' : '+'}${formatShare(Math.abs(bytes - than) / Math.max(than, 1))}`;

/** @param {WhatIf} of @param {import('./runs.js').Found} found @returns {string} */
export function fateText(of, found) {
  if (found.oom) return 'Runs out of memory under the recorded limit.';
  return of.basis.oom_event === null ? '' : 'The recorded out-of-memory error is avoided.';
}
