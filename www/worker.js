// One file, one worker: reads it in slices, holds the Session, answers questions and draws pictures in the order they come.
// Or a simulator: holds the requests of one device, and runs them under one setting after the other.
// A classic script: the page starts it from one text that holds the glue, too; on its own it loads the glue itself.
/* global wasm_bindgen, importScripts */
if (typeof wasm_bindgen === 'undefined') importScripts('./vramscope.js');

/** Bytes of a piece, at most: the browser's pipe holds no more. */
const PIECE = 2 * 1024 * 1024;
const REPORT_EVERY_MS = 50;
/** A slice of checking takes about so long: questions and pictures come between two. */
const CHECK_MS = 9;
const WORK_WITHIN_MS = 400;
/** @type {any} the open file's Session */
let session = null;
/** Checking the allocator model: events for each slice, and when it was last reported. */
const checking = { events: 2000, reported: 0 };
/** How many stages the diagnosis has gone through, and when it last told. */
const diagnosing = { stages: 0, reported: 0 };
/** The requests of one device, in a worker that simulates. @type {any} */
let simulator = null;
/** Simulating: steps for each slice, the id of the job in hand, and when it last told. @type {{steps: number, id: number|null, reported: number}} */
const simulating = { steps: 20000, id: null, reported: 0 };
/** What is done between questions, one after the other; null before the first picture. @type {'diagnose'|'check'|'refine'|'done'|null} */
let work = null;
/** The file cannot be read on: the browser's own reason, not one of the reader's. */
const UNREADABLE = {
  code: 'unreadable',
  title: 'The browser may not read {name}.',
  looks_like: null,
  at: null,
  expected: null,
  found: null,
  cause: 'It was moved, changed or deleted while it was read.',
  advice: 'Drop it again.',
  readable: 0,
};

/** The second part of the wasm, when it comes. @type {(module: WebAssembly.Module) => void} */
let bring = () => {};
/** Resolves when all that `Session` offers can be called. @type {Promise<any>} */
let more = new Promise((resolve) => {
  bring = resolve;
});

/** Messages are handled one after the other, though reading a file waits in between; some wait for the second part, which comes past them. */
let queue = Promise.resolve();
self.onmessage = (event) => {
  if (event.data.type === 'more') bring(event.data.module);
  else queue = queue.then(() => handle(event.data)).catch(report);
};

/**
 * Whether the first part of the wasm answers this by itself: `BEFORE_FIRST_PICTURE` of crates/vramscope-web/src/open.rs.
 * @param {any} wish @param {string} key @param {string} name
 */
const isFirst = (wish, key, name) => wish[key] === name && !wish.filter && !wish.expr;

/** @param {any} message */
async function handle(message) {
  switch (message.type) {
    case 'open': {
      const first = await wasm_bindgen({ module_or_path: message.module });
      more = more.then((module) => new WebAssembly.Instance(module, { f: first }));
      more.catch(report);
      session = new wasm_bindgen.Session(message.name);
      session.expect(message.file.size);
      await read(message.file);
      self.postMessage({ type: 'building' });
      opened(session.finish());
      break;
    }
    case 'simulate': {
      const first = await wasm_bindgen({ module_or_path: message.module });
      new WebAssembly.Instance(message.more, { f: first });
      simulator = new wasm_bindgen.Simulator(new Uint8Array(await message.requests.arrayBuffer()));
      break;
    }
    case 'begin':
      simulator.begin(JSON.stringify(message.job));
      simulating.id = message.job.id;
      turn.port2.postMessage(null);
      break;
    case 'stop':
      simulating.id = null;
      break;
    case 'open_readable':
      self.postMessage({ type: 'building' });
      opened(session.finish_readable());
      break;
    case 'ask':
      if (!isFirst(message.question, 'ask', 'overview')) await more;
      self.postMessage({ type: 'answer', seq: message.seq, answer: JSON.parse(session.ask(JSON.stringify(message.question))) });
      break;
    case 'take': {
      /** @type {BlobPart[]} pieces; a Blob of many can lie on the disk */
      const pieces = [];
      await more;
      session.take(JSON.stringify(message.request), (/** @type {Uint8Array<ArrayBuffer>} */ piece) => pieces.push(new Blob([piece])));
      self.postMessage({ type: 'answer', seq: message.seq, answer: new Blob(pieces) });
      break;
    }
    case 'draw': {
      if (!isFirst(message.request, 'picture', 'timeline')) await more;
      const pixels = session.draw(JSON.stringify(message.request));
      self.postMessage({ type: 'picture', seq: message.seq, request: message.request, pixels, wasmBytes: memoryBytes() }, [pixels.buffer]);
      beginWork(); // the first picture comes first
      break;
    }
  }
}

/** @param {Blob} file read so that the next piece is on its way while this one is decoded */
async function read(file) {
  const start = performance.now();
  const pieces = file.stream();
  const take = taker(pieces);
  let reported = start;
  let next = take(null);
  for (;;) {
    const { done, value } = await next.catch(() => Promise.reject(UNREADABLE));
    if (done) break;
    next = take(spare.pop() || null);
    session.feed(value);
    spare.push(value.buffer);
    const now = performance.now();
    if (now - reported >= REPORT_EVERY_MS) {
      reported = now;
      progress(file, now - start);
    }
  }
  progress(file, performance.now() - start);
}

/** @type {ArrayBuffer[]} buffers of pieces that are decoded */
const spare = [];

/**
 * Pieces of a stream, into buffers that are used again where the browser can: fresh memory for each costs as much as reading.
 * @param {ReadableStream<Uint8Array>} pieces
 * @returns {(buffer: ArrayBuffer|null) => Promise<{done: boolean, value: Uint8Array}>}
 */
function taker(pieces) {
  let reader;
  try {
    reader = pieces.getReader({ mode: 'byob' });
  } catch {
    const plain = pieces.getReader();
    return () => handled(plain.read());
  }
  return (buffer) => handled(reader.read(new Uint8Array(buffer || new ArrayBuffer(PIECE))));
}

/** @param {Promise<any>} promise whose failure is told when it is awaited, if it ever is */
function handled(promise) {
  promise.catch(() => {});
  return promise;
}

/** @param {Blob} file @param {number} ms */
function progress(file, ms) {
  self.postMessage({ type: 'progress', total: file.size, ms, ...JSON.parse(session.progress()) });
}

/** @param {string} text the session's JSON */
function opened(text) {
  self.postMessage({ type: 'opened', opened: JSON.parse(text), wasmBytes: memoryBytes() });
  setTimeout(beginWork, WORK_WITHIN_MS);
}

/** Slices of work come as messages to itself, in turn with those of the page. */
const turn = new MessageChannel();
turn.port1.onmessage = () => {
  queue = queue.then(() => (simulator ? simulate() : work === 'check' ? check() : diagnose())).catch(report);
};

async function beginWork() {
  await more.catch(() => new Promise(() => {})); // has been told
  if (!work) goOn('diagnose');
}

/** @param {'diagnose'|'check'|'refine'} next */
function goOn(next) {
  work = next;
  turn.port2.postMessage(null);
}

/** One slice of the diagnosis: before the check, and what may be refined after it. */
function diagnose() {
  const { stage, done, labels } = JSON.parse(session.diagnose());
  // Files of very many devices have very many stages.
  diagnosing.stages += 1;
  if (done || performance.now() - diagnosing.reported > REPORT_EVERY_MS) {
    diagnosing.reported = performance.now();
    self.postMessage({ type: 'diagnosing', stage, stages: diagnosing.stages });
  }
  if (labels) self.postMessage({ type: 'labelled' });
  if (!done) return goOn(/** @type {'diagnose'|'refine'} */ (work));
  self.postMessage({ type: 'diagnosed' });
  if (work === 'diagnose') return goOn('check');
  work = 'done';
  // Whoever hears that everything is checked finds the diagnosis as it will stay.
  self.postMessage({ type: 'checked', summary: JSON.parse(session.ask(JSON.stringify({ ask: 'summary' }))), wasmBytes: memoryBytes() });
}

/** One slice: about as many events as fit into its time. */
function check() {
  const start = performance.now();
  const { done, checked_events: checked, events } = JSON.parse(session.check(Math.round(checking.events)));
  const now = performance.now();
  checking.events = inTime(checking.events, now - start);
  if (done) return goOn('refine');
  if (now - checking.reported >= REPORT_EVERY_MS) {
    checking.reported = now;
    self.postMessage({ type: 'checking', checked, events });
  }
  goOn('check');
}

/** One slice of the job in hand, until an order of addresses is at its end. */
function simulate() {
  const { id } = simulating;
  if (id === null) return;
  const start = performance.now();
  const step = simulator.step(Math.round(simulating.steps));
  const now = performance.now();
  simulating.steps = inTime(simulating.steps, now - start);
  const { ended } = JSON.parse(step);
  if (ended || now - simulating.reported >= REPORT_EVERY_MS) {
    simulating.reported = now;
    self.postMessage({ type: 'simulated', id, step });
  }
  if (ended) simulating.id = null;
  else turn.port2.postMessage(null);
}

/** So many for the next slice: the first ones teach how fast it goes; a step of the clock must not mislead. @param {number} count @param {number} ms */
const inTime = (count, ms) => Math.min(Math.max(count * Math.min(4, Math.max(0.25, CHECK_MS / Math.max(ms, 0.1))), 50), 4e6);

function memoryBytes() {
  try {
    return wasm_bindgen.memory_bytes();
  } catch {
    return 0;
  }
}

function lastWords() {
  try {
    return wasm_bindgen.last_panic();
  } catch {
    return null;
  }
}

/** @param {any} thrown an error object of the reader, or a trap, after which this worker is of no use */
function report(thrown) {
  const error = asError(thrown);
  if (error) self.postMessage({ type: 'failed', error });
  else self.postMessage({ type: 'died', message: lastWords() || String((thrown && thrown.message) || thrown), wasmBytes: memoryBytes() });
}

/** @param {any} thrown */
function asError(thrown) {
  if (thrown && typeof thrown.code === 'string') return thrown;
  if (typeof thrown !== 'string') return null;
  try {
    const error = JSON.parse(thrown);
    return error && typeof error.code === 'string' ? error : null;
  } catch {
    return null;
  }
}
