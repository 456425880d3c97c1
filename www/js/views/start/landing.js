// The start page: sample cards with the outline of their recording. The message and the recipe have files of their own.
import { byId, setText, svgElement } from '../../dom.js';
import { openFiles } from '../../files.js';
import { sample } from '../../platform.js';
import { store } from '../../store.js';
import { initMessage } from './message.js';
import { initRecent } from './recent.js';
import { initRecipe } from './recipe.js';
import { SAMPLE_PICTURES } from './sample-pictures.js';

export function initLanding() {
  for (const card of document.querySelectorAll('[data-sample]')) {
    const name = /** @type {'healthy'|'oom'} */ (/** @type {HTMLElement} */ (card).dataset.sample);
    card.querySelector('svg')?.append(...SAMPLE_PICTURES[name].map(({ layer, path }) => svgElement('path', { d: path, class: layer === 'reserved' ? 'reserved' : `area c-${layer}` })));
    card.addEventListener('click', () => void openSample(name));
  }
  initMessage();
  initRecipe();
  initRecent();
}

/** @param {'healthy'|'oom'} name */
async function openSample(name) {
  const note = byId('sample-note');
  setText(note, '');
  try {
    const found = await sample(name, !store.files.some((file) => !file.sample));
    if (found) openFiles([found], true);
    else setText(note, 'The page makes no request while a file is open. Reload the page to load the samples.');
  } catch {
    setText(note, 'The samples are not there. They are files beside this page, in the folder samples.');
  }
}
