// The overview: the answer, what filled the memory, its course and the lines responsible; then findings, the failed request, and what is alive.
import { byId, el, icon } from '../../dom.js';
import { framed } from '../../frame.js';
import { current, on, store } from '../../store.js';
import { filterText, setFilter } from '../../filter.js';
import { aliveSection, initAliveCard, refreshAlive } from './alive-card.js';
import { chartCard, paintChart } from './chart.js';
import { settingsCard, warningsCard } from './file-cards.js';
import { findingsSection, modelRow } from './findings.js';
import { linesCard } from './lines-card.js';
import { oomSection } from './oom-card.js';
import { barCard } from './peak-card.js';
import { showStage, verdictCard } from './verdict-card.js';

/** @param {any} banner */
function bannerRow(banner) {
  if (!banner) return null;
  return el(`div.banner.wide${banner.severity === 'warning' ? '.warning' : ''}`, { role: 'note' }, icon(banner.severity === 'warning' ? 'warning' : 'note'), el('span', null, el('b', null, banner.title), ' ', banner.text));
}

/** @param {HTMLElement|null} card over both columns */
function wide(card) {
  card?.classList.add('wide');
  return card;
}

/** Figures of a part say so first. @param {import('../../sight.js').Sight} sight */
function partRow(sight) {
  if (!sight.filter) return null;
  return el('div.banner.wide', { role: 'note', 'data-role': 'part' }, icon('filter'), el('span', null, el('b', null, 'Figures of a part.'), ` Figures, chart and lines are about ${filterText(sight.filter, sight.choices)} only; the verdict and the findings are about everything.`),
    el('button.button.small.push', { type: 'button', onclick: () => void setFilter(null) }, 'Show everything'));
}

/** @type {WeakMap<object, any>} answers to `settings`, by file */
const settings = new WeakMap();

/** @param {import('../../store.js').OpenFile} file */
async function loadSettings(file) {
  if (settings.has(file)) return;
  settings.set(file, null);
  settings.set(file, await file.client.ask({ ask: 'settings' }));
  const card = settingsCard(settings.get(file), file.opened.summary.allocator_settings);
  if (store.active === file && card) document.getElementById('settings')?.replaceWith(wide(card) || card);
}

/** @param {boolean} [stay] where it is scrolled to */
function build(stay = false) {
  const sight = current();
  const file = store.active;
  if (!sight || !file) return;
  const { summary } = file.opened;
  const box = byId('overview');
  const { scrollTop } = box;
  const focused = box.contains(document.activeElement) ? document.activeElement?.id : null;
  box.replaceChildren(...[
    partRow(sight),
    bannerRow(sight.overview.banner),
    verdictCard(sight), barCard(sight),
    ...(sight.moments > 1 ? [chartCard(sight), linesCard(sight)] : [wide(linesCard(sight))]),
    findingsSection(sight), oomSection(sight), aliveSection(sight),
    wide(warningsCard(summary.warnings, file.opened.devices)),
    wide(settingsCard(settings.get(file), summary.allocator_settings)),
  ].filter((node) => node !== null));
  // Whoever asks where things lie has them laid out at once: that is left to the next frame.
  if (scrollTop > 0) box.scrollTop = stay ? scrollTop : 0;
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  void loadSettings(file);
  paintSoon();
  void refreshAlive();
}

const paintSoon = framed(() => void paintChart());

export function initOverview() {
  initAliveCard();
  on('diagnosis', showStage);
  // As a file opens the whole page is filled: the cards are a task of their own.
  on('active', () => setTimeout(build));
  for (const topic of /** @type {const} */ (['filter', 'figures', 'report'])) on(topic, () => build(true));
  on('check', () => {
    const sight = current();
    const line = sight && modelRow(sight);
    if (line) document.getElementById('model-line')?.replaceWith(line);
  });
  on('view', () => {
    if (store.view === 'overview') paintChart();
  });
}
