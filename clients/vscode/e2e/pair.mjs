/** Steps in two windows on the same workspace, each with a server of its own. */

import assert from 'node:assert/strict';
import path from 'node:path';
import { Editor, LENS, LINES, PICK, ROW } from './editor.mjs';
import { appendExchange } from './sample.mjs';
import { extensionLog } from './stage.mjs';

const SIGNIN = 'ferryline/signin.py';

/** How many exchanges a file has by the store, once the lens of each window says the same: a lens may be a moment late. */
async function counted(ask, ...windows) {
  const { length } = ask('history', SIGNIN).matches;
  for (const each of windows) {
    await each.open(SIGNIN);
    await each.until(LENS, new RegExp(`(^|\\D)${length} past exchanges?\\b`));
  }
  return length;
}

export const PAIR = {
  async 'two windows on one workspace: both answer, one server writes'(stage) {
    const { ui, page, editor, place, ask } = stage;
    stage.second ??= new Editor(await page.context().newPage());
    await stage.second.visit(editor.url(path.join(place.workspace, SIGNIN)), () => extensionLog(editor.state));
    for (const each of [ui, stage.second]) {
      await each.open(SIGNIN);
      await each.until(LENS, /past exchange/);
      await each.search('bookings hang');
      await each.until(ROW, /Bookings hang for ever/);
    }
    const servers = editor.servers();
    assert.equal(servers.length, 2);
    await ui.holds(() => assert.equal(servers.filter((pid) => editor.isBelow(ask('status').writer.pid, pid)).length, 1));
  },

  async 'what an agent writes is in both windows'({ ui, second, place, ask }) {
    const before = await counted(ask, ui, second);
    appendExchange(place, SIGNIN);
    for (const each of [ui, second]) await each.until(LENS, new RegExp(`\\b${before + 1} past exchanges`));
  },

  async 'what is forgotten in one window is gone in the other'({ ui, second, page, place, ask }) {
    if (!ask('search', 'grenadine').hits.length) appendExchange(place, SIGNIN);
    for (const each of [second, ui]) {
      await each.find('grenadine', /grenadine/i);
      await each.until(LINES, /grenadine/);
    }
    await ui.command('pastwork: Forget this exchange');
    await ui.until('.monaco-dialog-box', /removed for good/);
    await page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Forget' }).first().click();
    await second.until('.tabs-container', /^((?!grenadine).)*$/is);
    await second.search('grenadine');
    await second.until(PICK, /\d+ found/);
    assert.doesNotMatch(await second.text(ROW), /grenadine/i);
  },

  async 'the window that is left has a server that writes'({ ui, second, editor, place, ask }) {
    // A page that is merely gone could come back: its server is kept for hours.
    if (!second.page.isClosed()) await second.page.goto('about:blank');
    await second.page.close();
    await ui.holds(() => {
      const [left, ...more] = editor.servers();
      assert.ok(left && !more.length && editor.isBelow(ask('status').writer.pid, left));
    });
    const before = await counted(ask, ui);
    appendExchange(place, SIGNIN);
    await ui.until(LENS, new RegExp(`\\b${before + 1} past exchanges`));
  },
};
