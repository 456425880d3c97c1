// What is simulated of each device: the recorded run, settings beside it, and what has been found so far.
import { Simulators } from '../../simulators.js';
import { emit, current, store } from '../../store.js';
import { wasm } from '../../wasm.js';

/** The usual settings are tried without being asked where it takes about a second. */
const SMALL_EVENTS = 200_000;

/**
 * @typedef {object} Found bytes; see `Simulated` of crates/vramscope-simulate
 * @property {number} reserved_peak_bytes
 * @property {number} reserved_peak_low_bytes
 * @property {number} reserved_peak_high_bytes
 * @property {number} allocated_peak_bytes
 * @property {number} segments_allocated
 * @property {{event: number, requested_bytes: number}|null} oom
 * @property {'avoided'|'repeated'|'none'} recorded_oom
 * @property {number} orders
 * @property {number} orders_with_oom
 *
 * @typedef {object} Row
 * @property {string} key settings and limit
 * @property {string} settings as PyTorch reads them; empty: its defaults
 * @property {number|null} limit_bytes
 * @property {string} why one would try it
 * @property {boolean} usual
 * @property {'waiting'|'running'|'done'|'stopped'|'failed'} state
 * @property {number} progress
 * @property {[number, number]} orders done, and all
 * @property {Found|null} found
 * @property {{events: number, reserved_bytes: number[], allocated_bytes: number[]}|null} curve
 * @property {{state: 'waiting'|'running'|'done'|'stopped'|'failed', progress: number, bytes: number|null}|null} limit the smallest that would do
 *
 * @typedef {object} WhatIf
 * @property {import('../../sight.js').Sight} sight
 * @property {any} basis the answer to `what_if`
 * @property {Row[]} rows
 * @property {Row} base the recorded settings and limit: for what is asked of the recorded run, too
 * @property {string} chosen key of a row, or RECORDED; empty: the best
 * @property {string} trouble what has gone wrong
 * @property {boolean} begun the usual settings were tried, or stopped
 * @property {{reserved: number[], requested: number[]}|null} recorded curves of the recording
 */

/** The key of the recorded run. */
export const RECORDED = 'recorded';

/** @type {WeakMap<import('../../sight.js').Sight, WhatIf>} */
const known = new WeakMap();
/** Workers of the device that is shown. @type {{of: WhatIf, pool: Simulators}|null} */
let pool = null;
let lastId = 0;
/** @type {Map<number, {row: Row, kind: 'run'|'limit'}>} */
const jobs = new Map();
/** What an address asks for: it waits until the model is checked. @type {{settings: string, limit_bytes: number|null|undefined}|null} */
let wish = null;

/** @returns {WhatIf|null} of the device shown, once the allocator model is checked */
export function whatIf() {
  const sight = current();
  return (sight && known.get(sight)) || null;
}

/** @param {string} text @returns {{fault: [string, string]|null, settings: string, options: any[]}} */
export const readSettings = (text) => JSON.parse(wasm().read_settings(text));

/** Asks once what simulations start from. @returns {Promise<void>} */
export async function prepare() {
  const [sight, file] = [current(), store.active];
  if (!sight || !file?.check.done || known.has(sight)) return;
  const [basis, chart] = await Promise.all([sight.client.ask({ ask: 'what_if', device: sight.device }), recordedCurves(sight)]);
  if (!basis || known.has(sight)) return;
  const first = basis.usual.map((/** @type {any} */ each) => makeRow(each.settings, basis.limit_high_bytes, each.why));
  known.set(sight, { sight, basis, rows: first, base: makeRow(basis.settings, basis.limit_high_bytes), chosen: '', trouble: '', begun: false, recorded: chart });
  if (current() !== sight) return;
  emit('whatif');
  takeWish();
  if (!basis.why_not && isSmall(/** @type {WhatIf} */ (known.get(sight)))) tryUsual();
}

/** In columns of equally many events, as those of simulated runs. @param {import('../../sight.js').Sight} sight */
async function recordedCurves(sight) {
  const events = sight.moments - 1;
  const chart = events > 0 ? await sight.client.ask({ ask: 'chart', device: sight.device, axis: 'event', columns: Math.min(events, 1024), x0: 1, x1: sight.moments }) : null;
  return chart && { reserved: chart.reserved, requested: chart.requested };
}

/** @param {string} settings @param {number|null} limit_bytes @param {string} [why] @returns {Row} */
function makeRow(settings, limit_bytes, why = '') {
  return { key: `${settings}@${limit_bytes ?? ''}`, settings, limit_bytes, why, usual: why !== '', state: 'stopped', progress: 0, orders: [0, 0], found: null, curve: null, limit: null };
}

/** @param {WhatIf} of */
function poolOf(of) {
  if (pool && pool.of !== of) end();
  const { sight } = of;
  pool ??= { of, pool: new Simulators(() => sight.client.take({ kind: 'requests', device: sight.device }), { told, died: (id, why) => died(of, id, why) }) };
  return pool.pool;
}

/** @param {WhatIf} of @param {Row[]} rows @param {'run'|'limit'} kind */
function begin(of, rows, kind) {
  const list = rows.map((row) => {
    lastId += 1;
    jobs.set(lastId, { row, kind });
    if (kind === 'limit') row.limit = { state: 'waiting', progress: 0, bytes: null };
    else Object.assign(row, { state: 'waiting', progress: 0 });
    return { id: lastId, kind, settings: row.settings, limit_bytes: row.limit_bytes };
  });
  void poolOf(of).run(list);
  emit('whatif');
}

/** Tries the usual settings that are not done. @returns {boolean} whether there are some */
export function tryUsual() {
  const of = whatIf();
  const rows = of?.rows.filter((row) => row.usual && row.state === 'stopped') || [];
  if (!of || of.basis.why_not || !rows.length) return false;
  of.begun = true;
  begin(of, rows, 'run');
  return true;
}

/** Simulates settings and chooses them. @param {string} settings as PyTorch reads them @param {number|null} limit_bytes */
export function simulate(settings, limit_bytes) {
  const of = whatIf();
  if (!of || of.basis.why_not) return;
  const made = makeRow(settings, limit_bytes);
  const row = of.rows.find((each) => each.key === made.key) || made;
  if (row === made) of.rows.push(row);
  of.begun = true;
  of.chosen = row.key;
  if (row.state === 'stopped' || row.state === 'failed') begin(of, [row], 'run');
  else emit('whatif');
}

/** @param {WhatIf} of @returns {boolean} whether everything takes about a second */
export const isSmall = (of) => of.sight.moments <= SMALL_EVENTS;

/** Searches the smallest limit that would do, for all settings that have none yet. @returns {boolean} whether there are some */
export function searchLimits() {
  const of = whatIf();
  const rows = of ? [of.base, ...of.rows.filter((row) => row.found && row.limit_bytes === of.basis.limit_high_bytes)].filter((row) => !row.limit) : [];
  if (!of || of.basis.why_not || !rows.length) return false;
  begin(of, rows, 'limit');
  return true;
}

/** @param {number} id @param {any} step */
function told(id, step) {
  const job = jobs.get(id);
  if (!job) return;
  const { row } = job;
  if (job.kind === 'limit') {
    row.limit = { state: step.ended ? (step.limit_bytes === null ? 'failed' : 'done') : 'running', progress: step.progress, bytes: step.limit_bytes };
  } else {
    const state = step.ended && step.orders[0] >= step.orders[1] ? (step.found ? 'done' : 'failed') : 'running';
    Object.assign(row, { state, progress: step.progress, orders: step.orders, found: step.found, curve: step.curve ?? row.curve });
  }
  emit('whatif');
}

/** @param {WhatIf} of @param {number|null} id @param {string} why */
function died(of, id, why) {
  const job = id === null ? null : jobs.get(id);
  if (job?.kind === 'limit') job.row.limit = { state: 'failed', progress: 0, bytes: null };
  else if (job) job.row.state = 'failed';
  of.trouble = `A simulation stopped${why ? `: ${why}` : ''}. Its worker was replaced; everything else goes on.`;
  emit('whatif');
}

/** @returns {boolean} whether something was under way */
export function cancel() {
  const of = whatIf();
  if (!of || !isBusy(of)) return false;
  pool?.pool.cancel();
  stopped(of);
  emit('whatif');
  return true;
}

/** @param {WhatIf} of what is not done is not under way any more; what was found stays */
function stopped(of) {
  for (const [id, { row, kind }] of jobs) {
    if (row !== of.base && !of.rows.includes(row)) continue;
    jobs.delete(id);
    if (kind === 'limit' && row.limit && row.limit.state !== 'done') row.limit = null;
    if (kind === 'run' && (row.state === 'waiting' || row.state === 'running')) row.state = 'stopped';
  }
}

/** Another device or file is shown, or none: its workers are not needed. */
export function end() {
  if (!pool) return;
  stopped(pool.of);
  pool.pool.end();
  pool = null;
}

/** Ends the workers unless what they work for is shown. */
export function endOthers() {
  if (pool && pool.of.sight !== current()) end();
}

/** @param {WhatIf} of */
export const isBusy = (of) => [of.base, ...of.rows].some((row) => row.state === 'waiting' || row.state === 'running' || row.limit?.state === 'waiting' || row.limit?.state === 'running');

/** @param {string} key */
export function choose(key) {
  const of = whatIf();
  if (!of || of.chosen === key) return;
  of.chosen = key;
  emit('whatif');
}

/** @param {{settings: string, limit_bytes: number|null|undefined}|null} asked by the address: undefined is the recorded limit */
export function setWish(asked) {
  wish = asked;
  takeWish();
}

function takeWish() {
  const of = whatIf();
  if (!of || !wish) return;
  const { settings, limit_bytes: limit } = wish;
  wish = null;
  if (settings === RECORDED) choose(RECORDED);
  else if (!readSettings(settings).fault) simulate(readSettings(settings).settings, limit === undefined ? of.basis.limit_high_bytes : limit);
}
