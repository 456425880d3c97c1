// Every action is a named command; keys and the help dialog are made from this list.

/**
 * @typedef {object} Command
 * @property {string} title what it does
 * @property {string} group heading in the help dialog
 * @property {string[]} keys physical key codes, with `Shift+`, `Mod+` before them
 * @property {string[]} shown how the keys are written in the help dialog
 * @property {(event?: Event) => boolean|void} run false: not applicable now, the key goes on
 */

/** @type {Command[]} */
export const commands = [];

/** @param {Command[]} list */
export function addCommands(list) {
  commands.push(...list);
}

/**
 * @param {string} pressed e.g. `Shift+Slash`
 * @param {Event} event
 * @returns {boolean} whether a command took it
 */
export function runKey(pressed, event) {
  return commands.some((command) => command.keys.includes(pressed) && command.run(event) !== false);
}
