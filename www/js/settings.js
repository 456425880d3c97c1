// What this browser remembers of the person: theme, axis, columns, own rules, names of files. A file opened from the disk may have no storage; then nothing is.

/** @typedef {'theme'|'axis'|'recent'|'folding'|'columns'|'rules'} Setting */

/** @param {Setting} name @returns {string|null} */
export function remembered(name) {
  try {
    return localStorage.getItem(`vramscope.${name}`);
  } catch {
    return null;
  }
}

/** @param {Setting} name @returns {any} what was remembered as JSON; null if it is none */
export function rememberedJson(name) {
  try {
    return JSON.parse(remembered(name) || 'null');
  } catch {
    return null; // somebody else wrote it
  }
}

/** @param {Setting} name @param {string|null} value null: forgotten */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(`vramscope.${name}`);
    else localStorage.setItem(`vramscope.${name}`, value);
  } catch {
    // not remembered, still in force
  }
}
