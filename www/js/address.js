// What views add to the address bar: each writes its part, and reads it back. url.js asks them.

/**
 * @typedef {object} AddressPart
 * @property {(parts: URLSearchParams, sight: import('./sight.js').Sight) => void} write what differs from how a file opens
 * @property {(parts: URLSearchParams, sight: import('./sight.js').Sight) => void|Promise<void>} read what is missing or wrong is as a file opens
 */

/** @type {AddressPart[]} */
export const addressParts = [];

/** @param {AddressPart} part */
export function addAddressPart(part) {
  addressParts.push(part);
}
