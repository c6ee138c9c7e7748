/** Steps with a server that takes its time, as on a slow machine, or answers nothing for a while. */

import assert from 'node:assert/strict';
import { LINES, NAME, PICK, ROW, TOAST } from './editor.mjs';

/** What the editor shows over a list that waits; it comes after most of a second. */
const BUSY = `${PICK} .monaco-progress-container.active`;
const FOCUSED = `${ROW}.focused ${NAME}`;

export const SLOW = {
  async 'a search that waits says so, what was found stays, Escape ends it, and nothing freezes'({ ui, page, editor }) {
    await ui.open('ferryline/settings.py', 1);
    await ui.search('pool');
    await ui.until(ROW, /Bookings hang/);
    await ui.rest('.quick-input-list');
    const found = await ui.text(ROW);
    const shown = await editor.slowly(0, async () => {
      await page.keyboard.press('Control+a');
      await page.keyboard.type('child price');
      await page.waitForSelector(BUSY);
      await ui.shot('busy');
      assert.equal(await ui.text(ROW), found);
      await ui.dismiss();
      const late = await ui.witness(`${PICK} .quick-input-title, ${TOAST} .notification-list-item`);
      await ui.open('ferryline/tickets.py', 2);
      await page.waitForFunction(() => document.activeElement?.closest('.editor-group-container.active .monaco-editor'));
      await page.keyboard.type('# typed meanwhile');
      await ui.until(LINES, /# typed meanwhile/);
      await ui.command('File: Revert File');
      await ui.gone('.tab.dirty');
      return late;
    });
    await ui.command('pastwork: Copy this file’s past work as context');
    await ui.clipboard(/cents/);
    assert.equal(await shown(), '', 'a late answer showed something');
  },

  async 'of several queries to a slow server the newest is answered'({ ui, page, editor, ask }) {
    const first = ask('search', 'pool').hits[0].object.exchange_core;
    await ui.search('invalid_grant');
    await ui.until(FOCUSED, /token/i);
    await ui.rest('.quick-input-list');
    const shown = await ui.witness(FOCUSED);
    await editor.slowly(0, async () => {
      for (const query of ['pool', 'child price cents']) {
        await page.keyboard.press('Control+a');
        await page.keyboard.type(query);
        await page.waitForSelector(BUSY);
      }
    });
    await ui.until(FOCUSED, /cents/);
    await ui.rest('.quick-input-list', 1000);
    assert.ok(!(await shown()).includes(first), 'an older answer was shown');
  },

  async 'a server twenty times slower still answers what is typed'({ ui, editor }) {
    await ui.search('invalid_grant');
    await ui.until(FOCUSED, /token/i);
    await editor.slowly(0.05, async () => {
      await ui.search('bookings hang');
      await ui.until(FOCUSED, /Bookings hang/);
    });
  },
};
