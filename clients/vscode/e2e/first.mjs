/** Steps in a stranger's first window: no index yet, no model, a long history, the server in the chosen Python environment. */

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { LENS, LINES, PANES, PATIENCE, PICK, ROW, TOAST } from './editor.mjs';
import { extensionLog, loggedErrors, makeEnvironment } from './stage.mjs';

const starts = (editor) => extensionLog(editor.state).match(/server: .*/g) ?? [];
const answered = (editor) => extensionLog(editor.state).match(/server answered after/g)?.length ?? 0;

export const first = (folder) => ({
  async 'the first reading shows how far it is, and no emptiness before'({ ui, page, editor, place }) {
    const shown = await ui.witness(`${PANES} .message, ${PANES} .welcome-view-content, ${TOAST} .notification-list-item`, true);
    // However fast the machine: nothing is read before one looks, and then slowly, until one has seen how far it is.
    await editor.slowly(0, async () => {
      await ui.visit(editor.url(path.join(place.workspace, 'ferryline/settings.py')), () => extensionLog(editor.state));
      await ui.view('pastwork');
      await ui.until(PANES, /Waiting for the pastwork server/);
    });
    await editor.slowly(0.1, () => ui.until(shown, /indexing \d+ of \d+/, 3 * PATIENCE));
    await ui.until(`${PANES} .monaco-list-row`, /settings\.py104\d/, 3 * PATIENCE);
    assert.doesNotMatch(await shown(), /No past work/);
    assert.equal(await page.locator(`${TOAST} .notification-list-item`).count(), 0, 'nothing is missing');
    await ui.shot('first');
    await ui.until(LENS, /104\d past exchanges/, 3 * PATIENCE);
  },

  async 'the server is found in the chosen Python environment, and the log tells the order'({ editor }) {
    const log = extensionLog(editor.state);
    assert.match(starts(editor).at(-1), new RegExp(`${folder}/environment/bin/pastwork \\(python environment\\)`));
    assert.match(log, /looked in this order:\n {2}python environment: /);
  },

  async 'another environment with a server restarts it, the same one does not'({ ui, editor }) {
    const before = starts(editor).length;
    const other = `other-${before}`;
    fs.writeFileSync(`${folder}/chosen`, makeEnvironment(`${folder}/${other}`, path.join(folder, 'environment/bin/pastwork')));
    await ui.until(async () => starts(editor).at(-1), new RegExp(`${other}/bin/pastwork`));
    await ui.until(async () => String(answered(editor)), new RegExp(`^${before + 1}$`));
    fs.writeFileSync(`${folder}/chosen`, `${folder}/${other}/bin/python3`);
    await ui.page.waitForTimeout(1500);
    assert.equal(starts(editor).length, before + 1);
  },

  async 'without a model the search finds by keyword, and says so'({ ui }) {
    await ui.search('harbour gauge number');
    await ui.until(PICK, /104\d found/);
    await ui.until(`${ROW}.focused`, /harbour/);
    await ui.until(`${PICK} .quick-input-title`, /found · .*model/);
    await ui.shot('no-model');
  },

  async 'a thousand exchanges on one file'({ ui, page }) {
    await ui.command('pastwork: Past work on this file');
    await ui.until(PICK, /Past work on ferryline\/settings\.py/);
    await ui.until(ROW, /wrote lines/);
    await ui.focused();
    await page.keyboard.type('gauge 333');
    await ui.until(`${ROW}.focused`, /Gauge 333/);
    await page.keyboard.press('Escape');
    await page.locator('.pane .monaco-list-row[aria-level="2"]', { hasText: 'settings.py' }).first().click();
    await ui.until(PANES, /Gauge 101 of the harbour/);
    await ui.holds(async () => {
      const labels = await page.evaluate(() => [...document.querySelectorAll('.pane .monaco-list-row')].map((row) => row.getAttribute('aria-label')));
      assert.ok(labels.some((label) => /^settings\.py, 104\d exchanges/.test(label)), labels.join('\n').slice(0, 600));
      assert.ok(labels.some((label) => /^Gauge \d+ of the harbour is adjusted now, (this file, )?claude-code · \d+ days? ago/.test(label)));
    });
  },

  async 'letters from right to left and emoji are whole'({ ui, page }) {
    await ui.search('לוח הזמנים');
    await ui.until(`${ROW}.focused`, /לוח הזמנים/);
    await ui.shot('right-to-left');
    await page.keyboard.press('Enter');
    await ui.until('.tab.active', /צריך/);
    assert.doesNotMatch(await ui.text('.tab.active'), /\ufffd/);
    await ui.until(LINES, /كيف حالك/);
  },

  async 'five megabytes are read and folded'({ ui, page, figures }) {
    await ui.search('walrus log whole');
    await ui.until(`${ROW}.focused`, /walrus/i);
    await ui.rest('.quick-input-list');
    const begun = Date.now();
    await page.keyboard.press('Enter');
    await ui.until('.tab.active', /walrus/i);
    await ui.until(LINES, /0123456789 walrus/);
    figures.five_megabytes_ms = Date.now() - begun;
    await ui.command('View: Close Editor');
  },

  async 'keys typed fast and Escape leave nothing behind'({ ui, page, editor }) {
    await ui.open('ferryline/settings.py', 1);
    const before = await ui.text(LINES);
    for (let round = 0; round < 6; round += 1) {
      const type = async () => {
        await page.keyboard.press('Control+Alt+p');
        // What is not there yet can't be closed; from here on nothing is waited for.
        await ui.focused();
        await page.keyboard.type('gauge harbour');
        await page.keyboard.press('Escape');
        await ui.gone(PICK);
        return ui.witness(`${PICK} .quick-input-title, ${TOAST} .notification-list-item`);
      };
      // Where the server stands still meanwhile, all its answers come too late.
      const shown = await (round % 2 ? type() : editor.slowly(0, type));
      await ui.command('pastwork: Copy this file’s past work as context');
      await ui.clipboard(/gauge/i);
      assert.equal(await shown(), '', 'a late answer showed something');
    }
    assert.equal(await ui.text(LINES), before);
    assert.equal(await page.locator('.tab.dirty').count(), 0);
  },

  async 'a search that is open when the server is killed goes on by itself'({ ui, page, editor }) {
    await ui.search('harbour gauge');
    await ui.until(PICK, /104\d found/);
    assert.ok(editor.kill() > 0);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('walrus log whole');
    await ui.until(`${ROW}.focused`, /walrus/i);
  },

  async 'a server that keeps ending is left alone until it is asked for'({ ui, page, editor }) {
    const before = starts(editor).length;
    const ended = async () => {
      if (answered(editor) === starts(editor).length) editor.kill();
      return ui.text(TOAST);
    };
    await ui.until(ended, /keeps ending/, 2 * PATIENCE);
    await page.waitForTimeout(2000);
    assert.ok(starts(editor).length - before <= 4, 'no crash loop');
    await ui.shot('keeps-ending');
    await page.locator(`${TOAST} .monaco-button`, { hasText: 'Restart' }).click();
    await ui.search('harbour gauge');
    await ui.until(PICK, /104\d found/);
  },

  async 'and nothing else went wrong'({ editor }) {
    const killed = /pastwork\.log: .*\[error\] (Connection to server got closed\.|Server process exited with signal SIGKILL\.|Client pastwork: connection to server is erroring\.|Sending .* failed)/;
    assert.deepEqual(loggedErrors(editor.state).filter((line) => !killed.test(line)), []);
  },
});
