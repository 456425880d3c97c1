// The page's end of one worker: questions as promises, pictures and probes of which only the latest counts.
import { more, ready, startWorker } from './platform.js';

/**
 * @typedef {object} Handlers
 * @property {(message: any) => void} progress
 * @property {() => void} building
 * @property {(message: any) => void} opened
 * @property {(message: {stage: string, stages: number}) => void} diagnosing
 * @property {() => void} labelled labels have come or changed
 * @property {() => void} diagnosed
 * @property {(message: {checked: number, events: number}) => void} checking
 * @property {(summary: any) => void} checked the summary anew, or null
 * @property {(error: any) => void} failed
 * @property {(message: string, wasmBytes: number) => void} died
 */

export class Client {
  /** @param {Handlers} handlers */
  constructor(handlers) {
    this.handlers = handlers;
    this.seq = 0;
    this.dead = false;
    /** The worker's linear memory, as it last said. */
    this.wasmBytes = 0;
    /** @type {Map<number, (answer: any) => void>} */
    this.waiting = new Map();
    /** @type {Map<string, {make: () => any, then: (value: any) => void}>} what is wanted next, by purpose */
    this.wanted = new Map();
    /** @type {Map<number, object>} what every question and picture about a device leaves out */
    this.filters = new Map();
    /** @type {Set<string>} purposes with a request on its way */
    this.busy = new Set();
    /** @type {Worker|null} */
    this.worker = null;
  }

  /**
   * @param {Blob} file
   * @param {string} name
   */
  async open(file, name) {
    try {
      const module = await ready();
      if (this.dead) return;
      this.worker = startWorker();
      this.worker.onmessage = (event) => this.receive(event.data);
      this.worker.onerror = (event) => {
        event.preventDefault();
        this.die(event.message || 'the worker did not start', 0);
      };
      this.worker.postMessage({ type: 'open', file, module, name });
      // If it does not come, app.js says so.
      more().then((module) => this.worker?.postMessage({ type: 'more', module }), () => {});
    } catch (reason) {
      this.die(String(reason), 0);
    }
  }

  openReadable() {
    this.worker?.postMessage({ type: 'open_readable' });
  }

  /**
   * @param {any} question
   * @returns {Promise<any>} null when the question makes no sense for this file; never settles when the worker is gone
   */
  ask(question) {
    return this.send('ask', { question: this.filtered(question) }).then((answer) => (answer && !answer.error ? answer : null));
  }

  /**
   * @param {any} request
   * @returns {Promise<any>} the worker's `picture`
   */
  draw(request) {
    return this.send('draw', { request: this.filtered(request) });
  }

  /**
   * Makes a file of what is open, in the worker.
   * @param {object} request
   * @returns {Promise<Blob>}
   */
  take(request) {
    return this.send('take', { request });
  }

  /** @param {any} wish a question or a picture */
  filtered(wish) {
    const filter = this.filters.get(wish.device);
    return filter ? { ...wish, filter } : wish;
  }

  /**
   * One request for each purpose on its way; while it is, only the latest wish is kept.
   * @param {string} purpose
   * @param {() => Promise<any>} make sends the request
   * @param {(value: any) => void} then gets the answer
   */
  latest(purpose, make, then) {
    if (this.busy.has(purpose)) {
      this.wanted.set(purpose, { make, then });
      return;
    }
    this.busy.add(purpose);
    make().then((value) => {
      this.busy.delete(purpose);
      const next = this.wanted.get(purpose);
      this.wanted.delete(purpose);
      if (next) this.latest(purpose, next.make, next.then);
      then(value);
    });
  }

  /**
   * @param {'ask'|'draw'|'take'} type
   * @param {object} rest
   * @returns {Promise<any>}
   */
  send(type, rest) {
    const seq = (this.seq += 1);
    return new Promise((resolve) => {
      this.waiting.set(seq, resolve);
      this.worker?.postMessage({ type, seq, ...rest });
    });
  }

  /** @param {any} message */
  receive(message) {
    if (this.dead) return;
    this.wasmBytes = message.wasmBytes || this.wasmBytes;
    switch (message.type) {
      case 'answer':
        this.settle(message.seq, message.answer);
        break;
      case 'picture':
        this.settle(message.seq, message);
        break;
      case 'progress':
        this.handlers.progress(message);
        break;
      case 'building':
        this.handlers.building();
        break;
      case 'opened':
        this.handlers.opened(message);
        break;
      case 'diagnosing':
        this.handlers.diagnosing(message);
        break;
      case 'labelled':
        this.handlers.labelled();
        break;
      case 'diagnosed':
        this.handlers.diagnosed();
        break;
      case 'checking':
        this.handlers.checking(message);
        break;
      case 'checked':
        this.handlers.checked(message.summary);
        break;
      case 'failed':
        this.handlers.failed(message.error);
        break;
      case 'died':
        this.die(message.message, message.wasmBytes);
        break;
    }
  }

  /**
   * @param {number} seq
   * @param {any} value
   */
  settle(seq, value) {
    const resolve = this.waiting.get(seq);
    this.waiting.delete(seq);
    if (resolve) resolve(value);
  }

  /**
   * @param {string} message
   * @param {number} wasmBytes
   */
  die(message, wasmBytes) {
    if (this.dead) return;
    this.stop();
    this.handlers.died(message, wasmBytes);
  }

  /** Ends the worker and gives its memory back. */
  stop() {
    this.dead = true;
    this.worker?.terminate();
    this.worker = null;
    this.waiting.clear();
    this.wanted.clear();
  }
}
