// Starts the page: what takes a file. What shows one comes behind, in views.js.
import { byId } from './js/dom.js';
import { initDrop } from './js/drop.js';
import { showFault, showStartError } from './js/errors.js';
import { initFiles, onOpened } from './js/files.js';
import { addCommands } from './js/commands.js';
import { initFocus } from './js/focus.js';
import { openGiven } from './js/given.js';
import { initHelp } from './js/help.js';
import { initKeys } from './js/keys.js';
import { initPalette } from './js/palette.js';
import { more, prepareWorkers, ready } from './js/platform.js';
import { allRules, sendRules } from './js/rules.js';
import { setFaultReport } from './js/store.js';
import { initTheme, cycleTheme } from './js/theme.js';
import { hide, initTooltips } from './js/tooltip.js';
import { initLanding } from './js/views/start/landing.js';
import { initLoading } from './js/views/start/loading.js';
import { focusPicture, initShell, showView } from './js/views/shell.js';

byId('start-notice').hidden = true;
setFaultReport(showFault);
addEventListener('unhandledrejection', (event) => showFault(event.reason));
addEventListener('error', (event) => {
  if (event.error) showFault(event.error); // what the browser says about layout has none
});
document.getElementById('views-script')?.addEventListener('error', () => showStartError('views.js did not come'));
initFiles();
addCommands([{ title: 'Close the explanation of a word', group: 'Page', keys: ['Escape'], shown: ['Esc'], run: () => hide() }]);
initTheme();
initShell();
initLoading(showView);
initLanding();
initDrop();
initHelp();
initPalette();
addCommands([{ title: 'Theme: system, light, dark', group: 'Page', keys: ['Shift+KeyT'], shown: ['Shift T'], run: cycleTheme }]);
initKeys();
initTooltips();
initFocus(focusPicture);
onOpened((file) => void (allRules().length && sendRules(file)));
Promise.all([ready(), prepareWorkers()]).then(openGiven, (reason) => showStartError(String(reason)));
ready().then(() => more().catch((reason) => showStartError(String(reason))), () => {}); // a first part that fails is told above
