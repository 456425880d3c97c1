// The table taken away: all rows that match, as CSV or JSON, made by the worker piece by piece; the first of them to the clipboard.
import { openDialog } from '../../dialogs.js';
import { announce, byId, copyText, el, icon, setText } from '../../dom.js';
import { formatCount, formatShare, plural } from '../../format.js';
import { saveBlob, stemOf } from '../../save.js';
import { current, store } from '../../store.js';
import { inOrder, question, tableOf } from './view.js';
import { ofSentence } from './words.js';

/** Rows of a piece. */
const AT_ONCE = 20_000;
/** Rows that a clipboard takes without harm. */
const COPIED = 20_000;

/** @typedef {'csv'|'json'} Format */

/**
 * @param {import('./view.js').Sight} sight
 * @param {{format: Format, groups: boolean, most?: number}} wish
 * @param {(part: number) => boolean} tell hears how far it is; false: no longer wanted
 * @returns {Promise<{parts: Blob[], text: string, of: number}|null>} null: it was given up
 */
async function made(sight, { format, groups, most = Infinity }, tell) {
  const asked = question(sight, 'table_export', { ...inOrder(sight), format, groups });
  const parts = [];
  let [from, text, of] = [/** @type {number|null} */ (0), '', 0];
  while (from !== null && from < most) {
    const piece = await sight.client.ask({ ...asked, from, count: Math.min(AT_ONCE, most) });
    if (!piece || !tell(piece.of > 0 ? Math.min(1, (piece.next ?? piece.of) / piece.of) : 1)) return null;
    // Texts of the page's own memory are few: a Blob may lie on the disk.
    if (most === Infinity) parts.push(new Blob([piece.text]));
    else text += piece.text;
    [from, of] = [piece.next, piece.of];
  }
  return { parts, text, of };
}

/** @param {Format} format @param {boolean} groups */
function fileName(format, groups) {
  const name = stemOf(store.active?.name || 'snapshot');
  return `${name}-${groups ? 'groups' : 'allocations'}.${format}`;
}

/** Copies the first rows, or all groups when there are some. */
export async function copyTable() {
  const sight = current();
  if (!sight) return;
  const word = byId('table-copy-word');
  const groups = tableOf(sight).group !== '';
  const got = await made(sight, { format: 'csv', groups, most: COPIED }, () => current() === sight);
  if (!got) return;
  const done = await copyText(got.text);
  const cut = got.of > COPIED;
  setText(word, !done ? 'Not allowed' : 'Copied');
  announce(!done ? 'Not allowed' : cut ? `Copied the first ${formatCount(COPIED)} of ${formatCount(got.of)} rows` : `Copied ${formatCount(got.of)} rows`);
  setText(byId('table-note'), done && cut ? `First ${formatCount(COPIED)} of ${formatCount(got.of)} rows copied; Export… has all` : '');
  setTimeout(() => {
    setText(word, 'Copy as CSV');
    setText(byId('table-note'), '');
  }, done && cut ? 6000 : 1500);
}

/** @param {number} count of the allocations that match */
export function exportDialog(count) {
  const sight = current();
  if (!sight) return;
  let wanted = true;
  const grouped = tableOf(sight).group !== '';
  const progress = el('p.soft', { role: 'status', id: 'export-told' }, ' ');
  openDialog({
    label: 'export-title', closed: () => (wanted = false),
    content: (close) => {
      /** @param {Format} format @param {boolean} groups */
      const button = (format, groups) => el('button.button', { type: 'button', 'data-export': `${groups ? 'groups' : 'rows'}-${format}`, onclick: (/** @type {MouseEvent} */ { target }) => void run(format, groups, target) }, `${groups ? 'Groups' : 'Rows'} as ${format.toUpperCase()}`);
      const run = async (/** @type {Format} */ format, /** @type {boolean} */ groups, /** @type {EventTarget|null} */ target) => {
        for (const each of document.querySelectorAll('[data-export]')) /** @type {HTMLButtonElement} */ (each).disabled = each !== target;
        const got = await made(sight, { format, groups }, (part) => {
          setText(progress, `${formatShare(part)} made`);
          return wanted;
        });
        if (!got || !wanted) return;
        const parts = format === 'json' ? ['{"schema":1,"devices":[', ...got.parts, ']}\n'] : got.parts;
        saveBlob(new Blob(parts, { type: format === 'json' ? 'application/json' : 'text/csv' }), fileName(format, groups));
        close();
        announce('Saved');
      };
      return [
        el('header.dialog-head', null, el('h2', { id: 'export-title' }, 'Export allocations'), el('button.button.quiet.icon-only.push', { type: 'button', 'aria-label': 'Close', onclick: close }, icon('close'))),
        el('p', null, `${plural(count, 'allocation')} ${ofSentence(sight)}${sight.expression ? ` that match ${sight.expression}` : ''}, in the order shown, with every column and exact bytes. JSON has the stacks, too.`),
        progress,
        el('footer', null, button('csv', false), button('json', false), ...(grouped ? [button('csv', true), button('json', true)] : []), el('button.button.push', { type: 'button', onclick: close }, 'Cancel')),
      ];
    },
  });
}
