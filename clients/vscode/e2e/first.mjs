/** Steps in a stranger's first window: no index yet, no model, a long history, the server in the chosen Python environment. */

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { LENS, LINES, PANES, PICK, ROW, TOAST } from './editor.mjs';
import { extensionLog, loggedErrors, makeEnvironment } from './stage.mjs';

const starts = (editor) => extensionLog(editor.state).match(/server: .*/g) ?? [];

export const first = (folder) => ({
  async 'the first reading shows how far it is, and no emptiness before'({ ui, page, editor, place }) {
    await page.goto(editor.url(path.join(place.workspace, 'ferryline/settings.py')));
    await page.locator('.activitybar .action-item a[aria-label*="pastwork" i]').first().click({ timeout: 120_000 });
    const told = new Set();
    await ui.until(async () => {
      told.add(await ui.text(`${PANES} .message, ${PANES} .welcome-view-content`));
      return ui.text(`${PANES} .monaco-list-row`);
    }, /settings\.py104\d/, 120_000);
    assert.match([...told].join('\n'), /indexing \d+ of \d+/);
    assert.doesNotMatch([...told].join('\n'), /No past work/);
    assert.equal(await page.locator(`${TOAST} .notification-list-item`).count(), 0, 'nothing is missing');
    await ui.shot('first');
    await ui.until(LENS, /104\d past exchanges/, 120_000);
  },

  async 'the server is found in the chosen Python environment, and the log tells the order'({ editor }) {
    const log = extensionLog(editor.state);
    assert.match(starts(editor).at(-1), new RegExp(`${folder}/environment/bin/pastwork \\(python environment\\)`));
    assert.match(log, /looked in this order:\n {2}python environment: /);
  },

  async 'another environment with a server restarts it, the same one does not'({ ui, editor }) {
    const before = starts(editor).length;
    fs.writeFileSync(`${folder}/chosen`, makeEnvironment(`${folder}/other`, path.join(folder, 'environment/bin/pastwork')));
    await ui.until(async () => starts(editor).at(-1), /other\/bin\/pastwork/);
    await ui.until(async () => String(extensionLog(editor.state).match(/server answered after/g).length), new RegExp(`^${before + 1}$`), 30_000);
    fs.writeFileSync(`${folder}/chosen`, `${folder}/other/bin/python3`);
    await ui.page.waitForTimeout(1500);
    assert.equal(starts(editor).length, before + 1);
  },

  async 'without a model the search finds by keyword, and says so'({ ui }) {
    await ui.search('harbour gauge number');
    await ui.until(PICK, /104\d found/, 30_000);
    await ui.until(`${ROW}.focused`, /harbour/);
    await ui.until(`${PICK} .quick-input-title`, /found · .*model/);
    await ui.shot('no-model');
  },

  async 'a thousand exchanges on one file'({ ui, page }) {
    await ui.command('pastwork: Past work on this file');
    await ui.until(PICK, /Past work on ferryline\/settings\.py/);
    await ui.until(ROW, /wrote lines/, 30_000);
    await page.keyboard.type('gauge 333');
    await ui.until(`${ROW}.focused`, /Gauge 333/);
    await page.keyboard.press('Escape');
    await page.locator('.pane .monaco-list-row[aria-level="2"]', { hasText: 'settings.py' }).first().click();
    await ui.until(PANES, /Gauge 101 of the harbour/, 30_000);
    const labels = await page.evaluate(() => [...document.querySelectorAll('.pane .monaco-list-row')].map((row) => row.getAttribute('aria-label')));
    assert.ok(labels.some((label) => /^settings\.py, 104\d exchanges/.test(label)), labels.join('\n').slice(0, 600));
    assert.ok(labels.some((label) => /^Gauge \d+ of the harbour is adjusted now, (this file, )?claude-code · \d+ days? ago/.test(label)));
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
    await page.waitForTimeout(300);
    const begun = Date.now();
    await page.keyboard.press('Enter');
    await ui.until('.tab.active', /walrus/i, 30_000);
    await ui.until(LINES, /0123456789 walrus/, 30_000);
    figures.five_megabytes_ms = Date.now() - begun;
    await ui.command('View: Close Editor');
  },

  async 'keys typed fast and Escape leave nothing behind'({ ui, page }) {
    for (let round = 0; round < 6; round += 1) {
      await page.keyboard.press('Control+Alt+p');
      await page.keyboard.type('gauge harbour', { delay: 10 });
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
    }
    await page.waitForTimeout(700);
    await ui.gone(PICK);
    assert.equal(await page.locator(`${TOAST} .notification-list-item`).count(), 0);
  },

  async 'a search that is open when the server is killed goes on by itself'({ ui, page, editor }) {
    await ui.search('harbour gauge');
    await ui.until(PICK, /104\d found/);
    assert.ok(editor.kill() > 0);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('walrus log whole');
    await ui.until(`${ROW}.focused`, /walrus/i, 30_000);
  },

  async 'a server that keeps ending is left alone until it is asked for'({ ui, page, editor }) {
    const before = starts(editor).length;
    const answered = () => extensionLog(editor.state).match(/server answered after/g).length;
    const ended = async () => {
      if (answered() === starts(editor).length) editor.kill();
      return ui.text(TOAST);
    };
    await ui.until(ended, /keeps ending/, 60_000);
    await page.waitForTimeout(2000);
    assert.ok(starts(editor).length - before <= 4, 'no crash loop');
    await ui.shot('keeps-ending');
    await page.locator(`${TOAST} .monaco-button`, { hasText: 'Restart' }).click();
    await ui.search('harbour gauge');
    await ui.until(PICK, /104\d found/, 30_000);
  },

  async 'and nothing else went wrong'({ editor }) {
    const killed = /pastwork\.log: .*\[error\] (Connection to server got closed\.|Server process exited with signal SIGKILL\.|Client pastwork: connection to server is erroring\.|Sending .* failed)/;
    assert.deepEqual(loggedErrors(editor.state).filter((line) => !killed.test(line)), []);
  },
});
