// What if: the recorded requests under other settings of the allocator. Panels are built once for each device and brought up to date as results come.
import { addAddressPart } from '../../address.js';
import { addCommands } from '../../commands.js';
import { byId, el } from '../../dom.js';
import { framed } from '../../frame.js';
import { more } from '../../platform.js';
import { current, on, store } from '../../store.js';
import { checkedShare } from '../status.js';
import { withCode } from '../words.js';
import { batchCard } from './batch.js';
import { changesCard, fill } from './changes.js';
import { curvesCard, paintCurves, updateCurves } from './curves.js';
import { endEstimates } from './estimates.js';
import { formCard, updateForm } from './form.js';
import { copyLine, copyShown, headline, updateHead } from './head.js';
import { cardsCard, limitsCard, updateLimits } from './limits.js';
import { rankingCard, updateRanking } from './ranking.js';
import { paintStates, statesCard, updateStates } from './states.js';
import { RECORDED, cancel, endOthers, prepare, searchLimits, setWish, tryUsual, whatIf } from './runs.js';

/** What the panels on the page are of. @type {object|null} */
let shown = null;

/** @param {string} text @param {string} [why] */
function message(text, why = '') {
  shown = null;
  byId('whatif').replaceChildren(el('div.card.whatif-wide', null, el('h1.headline', { 'data-role': 'whatif-sentence' }, text), el('p.soft', null, ...withCode(why))));
}

async function build() {
  const [sight, file] = [current(), store.active];
  if (store.view !== 'whatif' || !sight || !file) return;
  if (sight.moments < 2) return message('There is no history to replay.', 'This snapshot shows one moment. What if needs the requests that led there: call torch.cuda.memory._record_memory_history() before the program allocates.');
  if (!file.check.done) return message(`Checking the allocator model, ${checkedShare(file)}`, 'What if replays the recorded requests with a model of PyTorch\u2019s allocator. First the model must prove itself on the recording.');
  await more();
  await prepare();
  const of = whatIf();
  if (!of || store.view !== 'whatif' || current() !== sight) return;
  if (of.basis.why_not) return message('There is nothing to replay.', of.basis.why_not);
  if (shown !== of) {
    shown = of;
    byId('whatif').replaceChildren(headline(), copyLine(), rankingCard(), formCard(of), curvesCard(), limitsCard(), cardsCard(of), statesCard(), el('section.whatif-wide.whatif-more', { id: 'whatif-more' }, batchCard(of), changesCard(of)));
  }
  for (const update of [updateHead, updateRanking, updateForm, updateCurves, updateLimits, updateStates]) update(of);
}

const refresh = framed(() => void build());

/** @param {() => boolean|void} run in this view only */
const here = (run) => () => (store.view === 'whatif' ? run() : false);

export function initWhatIf() {
  addAddressPart({
    write(parts) {
      const of = whatIf();
      if (!of || of.chosen === '') return;
      const row = of.rows.find((each) => each.key === of.chosen);
      parts.set('set', row ? row.settings : RECORDED);
      if (row && row.limit_bytes !== of.basis.limit_high_bytes) parts.set('limit', row.limit_bytes === null ? 'none' : String(row.limit_bytes));
    },
    read(parts) {
      const settings = parts.get('set');
      if (settings === null) return;
      const limit = parts.get('limit');
      setWish({ settings: settings.slice(0, 1000), limit_bytes: limit === 'none' ? null : /^\d{1,15}$/.test(limit || '') ? Number(limit) : undefined });
    },
  });
  addCommands([
    { title: 'Try the usual settings', group: 'What if', keys: ['KeyU'], shown: ['U'], run: here(tryUsual) },
    { title: 'Search the smallest limits', group: 'What if', keys: ['KeyL'], shown: ['L'], run: here(searchLimits) },
    { title: 'Stop simulating', group: 'What if', keys: ['KeyX'], shown: ['X'], run: here(cancel) },
    { title: 'Your own setting', group: 'What if', keys: ['KeyE'], shown: ['E'], run: here(() => document.getElementById('setting-expandable_segments')?.focus()) },
    { title: 'Copy the line of the chosen setting', group: 'What if', keys: ['Shift+KeyY'], shown: ['Shift Y'], run: here(copyShown) },
  ]);
  for (const topic of /** @type {const} */ (['view', 'active', 'check', 'figures', 'whatif'])) on(topic, refresh);
  for (const topic of /** @type {const} */ (['active', 'files'])) on(topic, () => { endOthers(); if (shown && shown !== whatIf()) endEstimates(); });
  on('labels', () => void (shown && shown === whatIf() && fill(/** @type {any} */ (shown))));
  for (const topic of /** @type {const} */ (['theme', 'moment', 'cursor'])) on(topic, paintCurves);
  for (const topic of /** @type {const} */ (['moment', 'cursor', 'selection', 'options', 'theme'])) on(topic, paintStates);
  byId('whatif').addEventListener('scroll', paintStates);
  new ResizeObserver(framed(paintCurves)).observe(byId('whatif'));
}
