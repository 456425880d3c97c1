// Numbers as text. Bytes, durations and ticks come from the same Rust code as on the command line.
import { wasm } from './wasm.js';
import { el } from './dom.js';

const NBSP = '\u00a0';

/** @param {number} count */
export function formatCount(count) {
  return Math.round(count).toString().replace(/^-/, '\u2212').replace(/\B(?=(\d{3})+$)/g, ',');
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function plural(count, one, many = `${one}s`) {
  return `${formatCount(count)}${NBSP}${count === 1 ? one : many}`;
}

/** @param {number} bytes */
export function formatBytes(bytes) {
  return wasm().format_bytes(bytes);
}

/** @param {number} bytes */
export function exactBytes(bytes) {
  return `${formatCount(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`;
}

/**
 * Neighbours that share a unit and as many decimals as tell them apart.
 * @param {number[]} values
 * @returns {string[]}
 */
export function formatBytesGroup(values) {
  return values.length ? JSON.parse(wasm().format_bytes_group(values)) : [];
}

/** @type {[string, number, number][]} unit, its bytes, decimals */
const UNITS = [['GiB', 2 ** 30, 2], ['MiB', 2 ** 20, 1], ['KiB', 2 ** 10, 1], ['B', 1, 0]];

/**
 * One unit for a column of numbers of very different size: small enough that the small ones are seen, too.
 * @param {number} most the largest of them
 * @returns {{unit: string, text: (bytes: number) => string}}
 */
export function columnUnit(most) {
  const [unit, size, decimals] = UNITS.find(([, each]) => most >= each * (each === 2 ** 30 ? 64 : 1)) || UNITS[3];
  const least = 0.5 / 10 ** decimals;
  return { unit, text: (bytes) => {
    const value = bytes / size;
    if (bytes > 0 && value < least) return `<${NBSP}${(2 * least).toFixed(decimals)}`;
    const [whole, part] = value.toFixed(decimals).split('.');
    return bytes === 0 ? '0' : `${formatCount(Number(whole))}${part ? `.${part}` : ''}`;
  } };
}

/**
 * Texts of a list whose numbers differ much: in MiB while they are short enough, so that the small ones can be read, too.
 * @param {number[]} values
 * @returns {string[]}
 */
export function listTexts(values) {
  const most = Math.max(0, ...values);
  if (most < 2 ** 20 || most >= 10 * 2 ** 30) return formatBytesGroup(values);
  return values.map((bytes) => (bytes > 0 && bytes < 2 ** 20 / 20 ? formatBytes(bytes) : `${columnUnit(2 ** 20).text(bytes)}${NBSP}MiB`));
}

/**
 * What is known of a limit, from both sides.
 * @param {number|null} low
 * @param {number|null} high
 * @returns {string|null} null: nothing
 */
export function limitText(low, high) {
  if (low === null || high === null) return low !== null ? `at least ${formatBytes(low)}` : high !== null ? `at most ${formatBytes(high)}` : null;
  const [from, to] = formatBytesGroup([low, high]);
  return low === high ? from : `${splitUnit(from)[1] === splitUnit(to)[1] ? splitUnit(from)[0] : from} to ${to}`;
}

/** @param {number} us */
export function formatDuration(us) {
  return wasm().format_duration_us(us);
}

/** @param {number} part of one */
export function formatShare(part) {
  if (part > 0 && part < 0.001) return `<${NBSP}0.1${NBSP}%`;
  if (part < 1 && part > 0.999) return `>${NBSP}99.9${NBSP}%`;
  return `${(part * 100).toFixed(1)}${NBSP}%`;
}

/** @param {number} seconds */
export function formatSeconds(seconds) {
  return `${seconds.toFixed(1)}${NBSP}s`;
}

/**
 * @param {'bytes'|'events'|'time'} kind
 * @param {number} from
 * @param {number} to
 * @param {number} pixels
 * @returns {{at: number, label: string}[]}
 */
export function ticks(kind, from, to, pixels) {
  return JSON.parse(wasm().ticks(JSON.stringify({ kind, from, to, pixels: Math.max(1, Math.round(pixels)) })));
}

/**
 * A number of bytes that tells its exact value.
 * @param {number} bytes
 * @param {string} [text] when it belongs to a group
 */
export function bytesSpan(bytes, text = formatBytes(bytes)) {
  return el('span', { 'data-bytes': bytes, title: exactBytes(bytes) }, text);
}

/**
 * Splits "43.8 GiB" into number and unit.
 * @param {string} text
 * @returns {[string, string]}
 */
export function splitUnit(text) {
  const at = text.search(/[\s\u00a0](?=[^\s\u00a0]*$)/);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param {number} slot 0 to 8 */
export function swatch(slot) {
  return el(`span.swatch.s-${slot}`, { 'aria-hidden': 'true' });
}

/**
 * Where something was made, or freed if only that is known: function and file, whole path on hover.
 * @param {{name: string, at: string|null, own?: boolean, of_free?: boolean}} row
 */
export function place(row) {
  const at = row.at || '';
  const freed = row.of_free === true;
  return el(/:\d+$/.test(at) ? 'span.place.by-line' : 'span.place', { title: at ? `${freed ? 'Freed at ' : ''}${row.name}\n${at}` : row.name }, freed ? el('span.muted', null, 'freed at') : null, el('span.fn', null, row.name), at ? el('span.at', null, shortPath(at)) : null);
}

/** @param {string} at `dir/dir/file.py:12` */
export function shortPath(at) {
  return at.slice(Math.max(at.lastIndexOf('/'), at.lastIndexOf('\\')) + 1);
}
