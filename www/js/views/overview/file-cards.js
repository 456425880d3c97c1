// Cards of the overview about the file itself: the allocator's settings, and what the file does not tell.
import { appendAll, copyAndSay, el, icon, shorten } from '../../dom.js';
import { bytesSpan, formatCount } from '../../format.js';
import { term } from '../../tooltip.js';

const MOST_SETTINGS = 60;
/** Warnings at once: files of very many devices have some for each. */
const MOST_WARNINGS = 100;
const STATES = /** @type {Record<string, string>} */ ({ in_force: 'in force', default: 'default', not_recorded: 'not recorded' });

/**
 * @param {any} settings the answer to `settings`
 * @param {any} raw as the file has them
 * @returns {HTMLElement|null}
 */
export function settingsCard(settings, raw) {
  if (!settings?.rows.length) return rawCard(raw);
  const { rows } = settings;
  const word = el('span', null, 'Copy');
  const { text: conf, fault } = settings;
  const text = JSON.stringify(raw ?? Object.fromEntries(rows.map((/** @type {any} */ row) => [row.key, row.raw])), null, 2);
  const rest = rows.length - MOST_SETTINGS;
  // What somebody has set comes first.
  const order = ['in_force', 'default', 'not_recorded'];
  const sorted = [...rows].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  return el('article.card', { 'aria-labelledby': 'settings-title', id: 'settings' },
    el('header', null, el('h2', { id: 'settings-title' }, term('settings')), el('button.button.small.quiet.push', { type: 'button', title: 'The settings as the file has them', onclick: () => void copyAndSay(word, text) }, icon('copy'), word)),
    conf === undefined || conf === null ? null : el('p.small.conf', null, el('span.soft', null, 'PYTORCH_ALLOC_CONF '), conf === '' ? el('span.soft', null, 'was not set') : el('code', null, shorten(conf, 400))),
    fault ? el('p.small.is-warning', null, icon('warning'), ' ', fault) : null,
    appendAll(el('dl.settings.explained'), sorted.slice(0, MOST_SETTINGS).map((row) => el('div', { 'data-state': row.state },
      el('dt', null, el('b', null, shorten(row.key)), row.what ? el('span', null, row.what) : null),
      el('dd', null, el('span.value', null, row.state === 'not_recorded' ? '–' : shorten(String(row.value ?? '–'))), el('span.state', null, STATES[row.state] || row.state))))),
    rest > 0 ? el('p.soft.small', null, `and ${formatCount(rest)} more`) : null);
}

/** @param {any} raw settings that nothing explains */
function rawCard(raw) {
  const entries = Object.entries(raw || {});
  if (!entries.length) return null;
  const rest = entries.length - MOST_SETTINGS;
  const word = el('span', null, 'Copy');
  return el('article.card', { 'aria-labelledby': 'settings-title', id: 'settings' },
    el('header', null, el('h2', { id: 'settings-title' }, term('settings')), el('button.button.small.quiet.push', { type: 'button', onclick: () => void copyAndSay(word, JSON.stringify(raw, null, 2)) }, icon('copy'), word)),
    appendAll(el('dl.settings'), entries.slice(0, MOST_SETTINGS).map(([name, value]) => el('div', null, el('dt', null, shorten(name)), el('dd', null, shorten(typeof value === 'object' ? JSON.stringify(value) : String(value)))))),
    rest > 0 ? el('p.soft.small', null, `and ${formatCount(rest)} more`) : null);
}

/**
 * @param {{code: string, count: number, bytes?: number|null, device?: number|null, severity?: string, message: string}[]} warnings
 * @param {{device: number, label: string}[]} devices
 * @returns {HTMLElement|null} hidden when there is nothing to say
 */
export function warningsCard(warnings, devices) {
  if (!warnings.length) return null;
  return el('article.card', { 'aria-labelledby': 'warnings-title', id: 'warnings', tabindex: -1 },
    el('header', null, el('h2', { id: 'warnings-title' }, 'What this file does not tell')),
    appendAll(el('ul.warnings'), warnings.slice(0, MOST_WARNINGS).map((warning) => {
      const note = warning.severity === 'note';
      const { bytes } = warning;
      const label = devices.length > 1 ? devices.find((each) => each.device === warning.device)?.label : null;
      return el('li', { 'data-code': warning.code, 'data-severity': note ? 'note' : 'warning' }, icon(note ? 'note' : 'warning'),
        el('span', null, label ? `${label}: ` : '', warning.message),
        el('span.num', null, warning.count > 1 ? el('span', null, `${formatCount(warning.count)}\u00a0×`) : null, bytes === null || bytes === undefined || bytes === 0 ? null : bytesSpan(bytes)));
    })),
    warnings.length > MOST_WARNINGS ? el('p.soft.small', null, `and ${formatCount(warnings.length - MOST_WARNINGS)} more: \u201cvramscope summary\u201d lists all of them`) : null);
}
