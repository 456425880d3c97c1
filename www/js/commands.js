// Every action is a named command; keys, the help dialog and the palette are made from this list.

/**
 * @typedef {object} Command
 * @property {string} title what it does
 * @property {string} group heading in the help dialog; that of a view: it acts there
 * @property {string[]} keys physical key codes, with `Shift+`, `Alt+`, `Mod+` before them
 * @property {string[]} shown how the keys are written
 * @property {(event?: Event) => boolean|void} run false: not applicable now, the key goes on
 * @property {string} [listed] what help says for it and those after it that have an empty text here: "Previous, next event"
 * @property {boolean} [always] its keys count while somebody types, too
 */

/** @type {Command[]} */
export const commands = [];

/** @type {(() => Command[])[]} */
const sources = [];

/** @param {Command[]} list */
export function addCommands(list) {
  commands.push(...list);
}

/** @param {() => Command[]} source of commands that depend on what is open */
export function addCommandSource(source) {
  sources.push(source);
}

/** @returns {Command[]} everything that can be done by name */
export const allCommands = () => [...sources.flatMap((source) => source()), ...commands.filter(({ title }) => title)];

/**
 * @param {string} pressed e.g. `Shift+Slash`
 * @param {Event} event
 * @param {boolean} typing somebody types: only what always counts
 * @returns {boolean} whether a command took it
 */
export function runKey(pressed, event, typing) {
  return commands.some((command) => (command.always || !typing) && command.keys.includes(pressed) && command.run(event) !== false);
}

/**
 * Commands that help shows in one row.
 * @param {string} group
 * @param {string} listed what help says
 * @param {[string, string[], string, () => boolean|void][]} halves title, keys, how the key is written, action
 * @returns {Command[]}
 */
export function pair(group, listed, halves) {
  return halves.map(([title, keys, shown, run], index) => ({ title, group, keys, shown: [shown], run, listed: index ? '' : listed }));
}
