// Workers that simulate: started on the first simulation, each with its own copy of one device's requests. The most likely order of addresses
// of every job comes before further orders of any, so that there is a number for all soon, and ranges after that.
import { more, ready, startWorker } from './platform.js';

/** As many workers as leave a processor to the page. */
const MOST = 4;
/** Workers that may die until nothing more is tried. */
const DEATHS = 3;

/**
 * @typedef {object} Job
 * @property {number} id
 * @property {'run'|'limit'} kind
 * @property {string} settings
 * @property {number|null} limit_bytes
 *
 * @typedef {object} Handlers
 * @property {(id: number, step: any) => void} told how far a job has come
 * @property {(id: number|null, why: string) => void} died a worker, and the job that it had in hand
 *
 * @typedef {{worker: Worker, job: Job|null, rest: Job[]}} Hand a worker; rest: jobs begun there that have further orders
 */

export class Simulators {
  /** @param {() => Promise<Blob>} requests @param {Handlers} handlers */
  constructor(requests, handlers) {
    this.requests = requests;
    this.handlers = handlers;
    /** Jobs that are not begun. @type {Job[]} */
    this.jobs = [];
    /** @type {Hand[]} */
    this.hands = [];
    this.deaths = 0;
    this.ended = false;
    /** Both parts of the wasm, and the requests. @type {Promise<[WebAssembly.Module, WebAssembly.Module, Blob]>|null} */
    this.load = null;
  }

  /** @param {Job[]} jobs */
  async run(jobs) {
    this.jobs.push(...jobs);
    this.load ??= Promise.all([ready(), more(), this.requests()]);
    const parts = await this.load;
    const most = Math.min(MOST, Math.max(1, (navigator.hardwareConcurrency || 2) - 1));
    while (!this.ended && this.hands.length < Math.min(most, this.jobs.length + this.hands.filter(({ job }) => job).length)) this.hands.push(this.start(parts));
    for (const hand of this.hands) if (!hand.job) this.next(hand);
  }

  /** @param {[WebAssembly.Module, WebAssembly.Module, Blob]} parts @returns {Hand} */
  start([module, more, requests]) {
    const hand = { worker: startWorker(), job: null, rest: [] };
    hand.worker.onmessage = ({ data }) => (data.type === 'simulated' ? this.told(hand, data) : this.died(hand, data.message || data.error?.cause || ''));
    hand.worker.onerror = (event) => {
      event.preventDefault();
      this.died(hand, event.message || 'the worker did not start');
    };
    hand.worker.postMessage({ type: 'simulate', module, more, requests });
    return hand;
  }

  /** @param {Hand} hand */
  next(hand) {
    hand.job = this.jobs.shift() || hand.rest.shift() || null;
    if (hand.job) hand.worker.postMessage({ type: 'begin', job: hand.job });
  }

  /** @param {Hand} hand @param {{id: number, step: string}} message */
  told(hand, { id, step }) {
    if (hand.job?.id !== id) return; // cancelled meanwhile
    const told = JSON.parse(step);
    if (told.ended && told.orders[0] < told.orders[1]) hand.rest.push(hand.job);
    if (told.ended) this.next(hand);
    this.handlers.told(id, told);
  }

  /** A worker that has died is replaced; what it had begun, but for the job in hand, is begun anew. @param {Hand} hand @param {string} why */
  died(hand, why) {
    hand.worker.terminate();
    this.hands = this.hands.filter((each) => each !== hand);
    if (this.ended) return;
    const [job, again] = [hand.job, hand.rest];
    this.deaths += 1;
    this.handlers.died(job?.id ?? null, why);
    if (this.deaths < DEATHS) void this.run(again);
    else for (const { id } of [...this.jobs.splice(0), ...again]) this.handlers.died(id, why);
  }

  /** Nothing more is run; the workers stay. */
  cancel() {
    this.jobs = [];
    for (const hand of this.hands) {
      hand.worker.postMessage({ type: 'stop' });
      Object.assign(hand, { job: null, rest: [] });
    }
  }

  /** Gives all memory back. */
  end() {
    this.ended = true;
    for (const { worker } of this.hands) worker.terminate();
    this.hands = [];
  }
}
