/**
 * What the extension promises, step by step; each step is given the stage `s` and throws when a promise is broken.
 * The order matters: a step may rely on files that an earlier one opened; but each may be tried once more after it failed.
 * What is over soon is kept by a witness, keys go where something waits for them, and no step rests on a machine's speed.
 */

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { CURSOR, HOVER, LENS, LINES, NAME, PANES, PATIENCE, PICK, ROW, TOAST } from './editor.mjs';
import { appendExchange, told } from './sample.mjs';
import { extensionLog, loggedErrors, slowness } from './stage.mjs';

export const POOL = 'ferryline/pool.py';
const BOOKINGS = /Bookings hang for ever/;

/** Steps in a window with a server. */
export const STEPS = {
  async 'the lens of the first file is there at once'({ ui, editor, place, figures }) {
    // As with keys below: one of three cold windows has to keep the promise.
    for (let round = 1; round <= 3; round += 1) {
      await ui.visit(editor.url(path.join(place.workspace, POOL)), () => extensionLog(editor.state));
      assert.match(await ui.until(LENS, /past exchange/), /2 past exchanges/);
      const seen = Date.now();
      const answered = [...extensionLog(editor.state).matchAll(/^(\S+ \S+) \[info\] server answered after (\d+) ms/gm)].at(-1);
      figures.server_start_ms = Number(answered[2]);
      figures.lens_rounds = round;
      figures.lens_after_first_answer_ms = Math.max(0, seen - Date.parse(answered[1].replace(' ', 'T')));
      if (keeps(figures, 'lens_after_first_answer_ms', 1500)) break;
    }
    assert.ok(keeps(figures, 'lens_after_first_answer_ms', 1500), `took ${figures.lens_after_first_answer_ms} ms`);
    await ui.ready(() => extensionLog(editor.state));
    await ui.open(POOL, 12);
    await ui.shot('lens', { x: 332, y: 0, width: 788, height: 400 });
  },

  async 'the lens opens the history of the file'({ ui, page }) {
    await ui.open(POOL, 1);
    await page.locator(`${LENS} a`).first().click();
    await ui.until(PICK, /Past work on ferryline\/pool\.py/);
    await ui.until(ROW, /wrote lines 4-5, 13 · 100 % stands · claude-code/);
    await ui.shot('history');
  },

  async 'a line tells who wrote it'({ ui }) {
    await ui.open(POOL, 23);
    const text = await ui.hover('raise PoolTimeout', /verbatim/);
    assert.match(text, /claude-code/);
    assert.match(text, /6 of 6 lines stand/);
    await ui.shot('hover', { x: 332, y: 60, width: 788, height: 320 });
  },

  async 'the hover leads to the verbatim, word for word'({ ui, page, place }) {
    await ui.hover('raise PoolTimeout', /verbatim/);
    await page.locator(`${HOVER} a`, { hasText: 'verbatim' }).first().click();
    await ui.until('.tab.active', /Bookings hang for ever when more than four/);
    await ui.until(LINES, BOOKINGS);
    await ui.shot('verbatim', { x: 332, y: 0, width: 788, height: 648 });
    const text = await ui.document();
    const said = told(place, BOOKINGS);
    assert.ok(said.length >= 7, `the transcript tells ${said.length} things`);
    for (const words of said) assert.ok(text.includes(words), `the verbatim lacks: ${words}`);
  },

  async 'tool calls are folded'({ ui, page }) {
    await ui.holds(async () => {
      assert.ok(await page.locator(`${LINES} .view-line`, { hasText: '### ' }).count() >= 3);
      assert.equal(await page.locator(`${LINES} .view-line`, { hasText: 'class PoolTimeout(Exception)' }).count(), 0);
    });
  },

  async 'a touched file is a link to where that work stands today'({ ui }) {
    await ui.follow('ferryline/tickets.py', (timeout) => ui.until('.tab.active', /tickets\.py/, timeout));
    await ui.until(CURSOR, /Ln (?!1,)\d+/);
  },

  async 'diffs are coloured'({ ui, page }) {
    await openBookings(ui);
    await ui.command('Unfold All');
    await ui.ask('Control+g', ':54');
    await page.keyboard.press('Enter');
    await ui.until(LINES, /class PoolTimeout\(Exception\)/);
    const colour = (words) => page.locator(`${LINES} .view-line`, { hasText: words }).first().locator('span span').last().evaluate((span) => getComputedStyle(span).color);
    // Colours come after the text.
    await ui.holds(async () => {
      const colours = new Set([await colour(/^\+/), await colour(/^-/), await colour(/^\s+\S/)]);
      assert.equal(colours.size, 3, [...colours].join(', '));
    });
    await ui.shot('diff');
    await ui.command('View: Close Editor');
  },

  async 'next and previous exchange of the session'({ ui }) {
    await openBookings(ui);
    await ui.command('pastwork: Next exchange');
    await ui.until(LINES, /Why 5 seconds and not 30/);
    await ui.command('pastwork: Next exchange');
    await ui.until(TOAST, /last exchange of its session/);
    await ui.command('pastwork: Previous exchange');
    await ui.until(LINES, BOOKINGS);
  },

  async 'compare with now opens the diff editor'({ ui, page, place }) {
    const pool = path.join(place.workspace, POOL);
    const before = fs.readFileSync(pool, 'utf8');
    const raised = '            raise PoolTimeout(f"no connection free after {timeout} s") from None\n';
    assert.ok(before.includes(raised));
    try {
      fs.writeFileSync(pool, before.replace(raised, '            self._starved += 1\n            raise PoolTimeout(f"all connections busy for {timeout} s") from None\n'));
      await openBookings(ui);
      await ui.command('pastwork: Compare with now');
      await ui.until(PICK, /Compare which file/);
      await ui.choose('pool', /pool\.py/);
      await ui.until('.tab.active', /pool\.py: as written 1 month ago ↔ now/);
      if (await page.locator('.part.sidebar').isVisible()) await page.keyboard.press('Control+b');
      await page.waitForFunction(() => document.querySelectorAll('.monaco-diff-editor .line-insert, .monaco-diff-editor .line-delete').length > 0);
      // What changed on disk is in the editor after a moment.
      await ui.until('.monaco-diff-editor .modified .view-lines', /all connections busy for \{timeout\} s/);
      const left = await ui.until('.monaco-diff-editor .original .view-lines', /no connection free after \{timeout\} s/);
      assert.doesNotMatch(left, /all connections busy|_starved/);
      await ui.shot('compare', { x: 52, y: 400, width: 1064, height: 190 });
    } finally {
      fs.writeFileSync(pool, before);
      await ui.view('Explorer');
    }
  },

  async 'the palette finds the half-remembered while one types'({ ui }) {
    await ui.search('bookings hang');
    await ui.until(ROW, BOOKINGS);
    await ui.until(PICK, /in this workspace · \d+ found/);
    await ui.shot('search', { x: 250, y: 0, width: 620, height: 285 });
  },

  async 'rows stay as the server ranked them'({ ui, page, ask }) {
    const query = 'pool';
    const { hits } = ask('search', query);
    const wanted = hits.map((hit) => hit.object.exchange_core);
    assert.ok(wanted.length > 2);
    await ui.search(query);
    await ui.holds(async () => {
      const shown = (await page.locator(`${ROW} ${NAME}`).allTextContents()).map((text) => text.replaceAll('\u00a0', ' ').trim());
      assert.ok(shown.length > 2);
      assert.deepEqual(shown.slice(0, wanted.length), wanted.slice(0, shown.length));
    });
    const { session_note: note } = hits.find((hit) => hit.session_note);
    await ui.holds(async () => assert.ok((await ui.text(ROW)).includes(note), `no row says: ${note}`));
  },

  async 'scope and agent narrow the search, and it keeps them and the query'({ ui, page }) {
    const press = (label) => page.locator(`${PICK} .quick-input-titlebar a[aria-label^="${label}"]`).click();
    await ui.search('pool');
    await ui.until(ROW, BOOKINGS);
    await press('Scope: this workspace');
    await ui.until(PICK, /Past work anywhere · \d+ found/);
    await press('Agent: all');
    await ui.until(PICK, /Which agent/);
    await ui.choose('gemini', /gemini-cli/);
    await ui.until(PICK, /anywhere by gemini-cli · \d+ found/);
    assert.doesNotMatch(await ui.text(ROW), BOOKINGS);
    await ui.dismiss();
    await page.keyboard.press('Control+Alt+p');
    await ui.until(PICK, /anywhere by gemini-cli · \d+ found/);
    assert.equal(await page.locator(`${PICK} input`).first().inputValue(), 'pool');
    await press('Scope: all work');
    await ui.until(PICK, /in this workspace by gemini-cli · \d+ found/);
    await press('Agent: gemini-cli');
    await ui.until(PICK, /Which agent/);
    await ui.choose('all', /^all/);
    await ui.until(PICK, /in this workspace · \d+ found/);
  },

  async 'another key for the search, as the user binds it'({ ui, page }) {
    const bind = async (bindings) => {
      await ui.command('Preferences: Open Keyboard Shortcuts (JSON)');
      await ui.until('.tab.active', /keybindings\.json/);
      await ui.replace(JSON.stringify(bindings));
      await ui.command('File: Save');
      await ui.gone('.tab.active.dirty');
      await ui.command('View: Close Editor');
    };
    const searches = (key) => ui.click(async () => {
      await ui.dismiss();
      await page.keyboard.press(key);
    }, (timeout) => ui.until(PICK, /Past work in this workspace/, timeout));
    await bind([{ key: 'ctrl+alt+m', command: 'pastwork.search' }, { key: 'ctrl+alt+p', command: '-pastwork.search' }]);
    try {
      await searches('Control+Alt+m');
      await ui.dismiss();
      await page.keyboard.press('Control+Alt+p');
      await page.waitForTimeout(1000);
      assert.equal(await page.locator(PICK).count(), 0, 'the key that was taken away');
    } finally {
      await bind([]);
    }
    await searches('Control+Alt+p');
  },

  async 'a keystroke is answered fast'({ ui, page, figures }) {
    const nothing = async () => {
      await ui.search('');
      await page.keyboard.press('Backspace');
      await ui.until(PICK, /\d+ found/);
      await ui.rest('.quick-input-list', 1000);
    };
    await nothing();
    // A machine that others use may be slow for a while: the promise is kept when one of three rounds keeps it.
    for (let round = 1; round <= 3; round += 1) {
      const samples = [];
      let slow = 0;
      for (const letter of 'invalid_grant token refresh with pool size settings') {
        samples.push(await ui.keystroke(letter));
        slow += slowness(2);
      }
      samples.sort((a, b) => a - b);
      figures.keystroke_rounds = round;
      figures.keystroke_to_results_p50_ms = samples[Math.floor(samples.length / 2)];
      figures.keystroke_to_results_p95_ms = samples[Math.floor(samples.length * 0.95)];
      if (keeps(figures, 'keystroke_to_results_p95_ms', 150, slow / samples.length)) return;
      console.log(`      round ${round}: ${samples.map(Math.round)}`);
      await page.waitForTimeout(5000);
      await nothing();
    }
    assert.fail(`p95 is ${figures.keystroke_to_results_p95_ms} ms`);
  },

  async 'a result opens its verbatim, its file, its resume command, its context'({ ui, page }) {
    const press = async (label, done) => {
      await ui.search('invalid_grant');
      await ui.until(`${ROW}.focused`, /token/i);
      await ui.rest('.quick-input-list');
      return ui.click(() => page.locator(`${ROW}.focused a[aria-label="${label}"]`).click(), done);
    };
    const groups = (count) => (timeout) => page.waitForFunction((wanted) => document.querySelectorAll('.editor-group-container').length === wanted, count, { timeout });
    assert.match(await press('Copy as context', (timeout) => ui.clipboard(/past-work/, timeout)), /signin\.py/);
    await press('Copy the resume command', (timeout) => ui.clipboard(/^claude --resume [0-9a-f-]+$/, timeout));
    await press('Open the file', (timeout) => ui.until('.tab.active', /signin\.py/, timeout));
    await ui.find('invalid_grant', /token/i);
    await ui.until(LINES, /only one refresh runs/);
    await press('Open the verbatim to the side', groups(2));
    await ui.command('View: Close Editor');
    await groups(1)();
  },

  async 'past work on this line, this file, in a room'({ ui }) {
    await ui.open(POOL, 23);
    await ui.command('pastwork: Past work on this line');
    await ui.until(PICK, /Past work on ferryline\/pool\.py, line 23/);
    await ui.until(`${ROW}.focused`, /wrote lines/);
    await ui.open(POOL, 14);
    await ui.command('pastwork: Past work on this line');
    await ui.until(() => ui.text(`${TOAST}, ${ROW}`), /line 14|this function/);
    await ui.command('pastwork: Past work on this file');
    await ui.until(PICK, /Past work on ferryline\/pool\.py/);
    await ui.command('pastwork: Show rooms');
    await ui.until(PICK, /Rooms of this workspace/);
    await ui.choose('pool.py', /pool\.py/);
    await ui.until(PICK, /Room: pool\.py/);
    await ui.until(ROW, BOOKINGS);
  },

  async 'the palace: rooms, exchanges, and this file'({ ui, page }) {
    await ui.open(POOL, 12);
    await ui.command('pastwork: Copy this file’s past work as context');
    assert.match(await ui.clipboard(/pool\.py/), /^<past-work-.*\n.*Bookings hang for ever.*\n<\/past-work-/s);
    await ui.view('pastwork');
    await ui.until(PANES, /This file.*pool\.py.*Palace.*Files.*Concepts/is);
    await ui.until(PANES, BOOKINGS);
    await page.locator('.pane .monaco-list-row[aria-level="2"]', { hasText: 'tickets.py' }).first().click();
    await page.locator('.pane .monaco-list-row[aria-level="3"]').first().click();
    await ui.until(LINES, /Prices must be in cents everywhere/);
    await ui.rest(PANES, 1000);
    await ui.until(`${PANES}:first-child`, BOOKINGS);  // the tree stays with the last file
    const sash = async (from, to) => {
      await page.mouse.move(from, 300);
      await page.mouse.down();
      await page.mouse.move(to, 300, { steps: 5 });
      await page.mouse.up();
      await page.mouse.move(900, 300);
    };
    await sash(330, 600);
    await ui.shot('palace', { x: 0, y: 0, width: 600, height: 640 });
    await sash(600, 330);
  },

  async 'the trees by keyboard and ear, and their menus'({ ui, page }) {
    await ui.holds(async () => {
      const labels = await page.evaluate(() => [...document.querySelectorAll('.pane .monaco-list-row')].map((row) => row.getAttribute('aria-label')));
      assert.ok(labels.includes('Files, 6 rooms'), labels.join('\n'));
      assert.ok(labels.some((label) => /^Prices must be in cents everywhere.*, codex · 1 month ago/.test(label)), labels.join('\n'));
      assert.ok(labels.every((label) => label.length < 260), labels.join('\n'));
    });
    const menu = async (row, entry) => {
      await page.locator('.pane .monaco-list-row', { hasText: row }).first().click({ button: 'right' });
      // A menu lets a click pass that comes as it opens.
      await page.locator('.monaco-menu .action-item', { hasText: entry }).first().waitFor();
      await ui.rest('.monaco-menu', 500);
      await page.locator('.monaco-menu .action-item', { hasText: entry }).first().click();
      await ui.gone('.monaco-menu');
    };
    await menu(/^tickets\.py/, 'Copy as context');
    await ui.clipboard(/Prices must be in cents/);
    await page.locator('.pane-header', { hasText: 'This File' }).hover();
    await page.locator('.pane-header a[aria-label^="Copy this file"]').click();
    await ui.clipboard(/pool/i);
    await page.locator('.pane .monaco-list-row', { hasText: 'Bookings hang' }).first().click();
    await ui.until('.tab.active', BOOKINGS);
    await page.locator('.pane .monaco-list').first().focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await ui.until('.tab.active', /Pool now takes its default size/);
  },

  async 'rooms can be filtered'({ ui, page }) {
    await page.locator('.pane-header', { hasText: 'Palace' }).hover();
    await page.locator('.pane-header a[aria-label^="Filter rooms"]').click();
    await ui.until(PICK, /Filter rooms/);
    await ui.focused();
    await page.keyboard.type('no such room');
    await page.keyboard.press('Enter');
    await ui.until(PANES, /No room matches the filter/);
    await page.locator('.pane a', { hasText: 'Clear filter' }).first().click();
    await ui.until(PANES, /Concepts/);
    await ui.view('Explorer');
  },

  async 'annotations: the current line, all lines, none'({ ui, page, editor }) {
    const toggle = await annotationsOff(ui, editor);
    await ui.open(POOL, 23);
    await toggle('line');
    await ui.until(() => ui.afterText(), /claude-code · 1 month ago/);
    await ui.open(POOL, 14);
    await ui.until(() => ui.afterText(), /^$/);
    await page.waitForTimeout(800);
    assert.equal(await ui.afterText(), '', 'a line that nobody wrote says nothing');
    await ui.open(POOL, 22);
    await toggle('all');
    const marks = () => page.evaluate(() => document.querySelectorAll('.editor-group-container.active .glyph-margin-widgets .cgmr, .editor-group-container.active .glyph-margin-widgets [class*="ced-"]').length);
    await ui.until(async () => String(await marks()), /^[1-9]\d*$/);
    await ui.until(() => ui.afterText(), /claude-code/);
    await ui.shot('annotations');
    await toggle('off');
    await ui.until(async () => String(await marks()), /^0$/);
    await ui.until(() => ui.afterText(), /^$/);
  },

  async 'two editors side by side are marked, and none when it is off'({ ui, page, editor }) {
    const toggle = await annotationsOff(ui, editor);
    await ui.command('View: Close All Editors');
    await ui.open(POOL, 22);
    await ui.command('View: Split Editor Right');
    const marked = () => page.evaluate(() => [...document.querySelectorAll('.editor-group-container')].filter((group) => group.querySelector('.glyph-margin-widgets [class*="ced-"]')).length);
    await toggle('line');
    await toggle('all');
    await ui.until(async () => String(await marked()), /^2$/);
    await toggle('off');
    await ui.until(async () => String(await marked()), /^0$/);
    await ui.command('View: Close Editor');
  },

  async 'settings count while it runs'({ ui, place }) {
    const file = path.join(place.workspace, '.vscode/settings.json');
    const before = fs.readFileSync(file, 'utf8');
    await ui.open('ferryline/tickets.py');
    await ui.until(LENS, /past exchange/);
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(before), 'pastwork.lens.file': false }));
    await ui.until(LENS, /^$/);
    fs.writeFileSync(file, before);
    await ui.until(LENS, /past exchange/);
  },

  async 'what an agent writes now is in the lens within two seconds'({ ui, place, figures }) {
    await ui.open('ferryline/signin.py');
    const before = Number(/(\d+) past exchange/.exec(await ui.until(LENS, /past exchange/))[1]);
    const begun = Date.now();
    appendExchange(place, 'ferryline/signin.py');
    await ui.until(LENS, new RegExp(`\\b${before + 1} past exchanges`));
    figures.live_lens_ms = Date.now() - begun;
    assert.ok(keeps(figures, 'live_lens_ms', 2000), `took ${figures.live_lens_ms} ms`);
  },

  async 'hostile text stays text'({ ui, page }) {
    await ui.search('grenadine');
    await ui.until(`${ROW}.focused`, /grenadine/i);
    assert.equal(await page.locator(`${ROW} .codicon-sync`).count(), 0, 'an icon from a transcript');
    await ui.find('grenadine', /grenadine/i);
    await ui.until(LINES, /grenadine/);
    await ui.command('Markdown: Open Preview');
    await page.waitForSelector('iframe.webview.ready');
    await ui.until(async () => (await Promise.all(page.frames().map((frame) => frame.evaluate(() => document.body.innerText).catch(() => '')))).join('\n'), /You · /);
    const active = 'a[href^="command:"], a[href^="javascript:"], img[src^="http"], script[src*="evil"], iframe[src*="evil"]';
    for (const frame of page.frames()) {
      const count = await frame.evaluate((css) => document.querySelectorAll(css).length, active).catch(() => 0);
      assert.equal(count, 0, `active content in ${frame.url().slice(0, 80)}`);
    }
    await ui.shot('rendered');
    await ui.command('View: Close Editor');
    await ui.until('.tab.active', /^(?!Preview).*grenadine/);
  },

  async 'forget asks, forgets for good, and closes what it forgot'({ ui, page, place, ask }) {
    // An earlier try may have forgotten them.
    if (!ask('search', 'grenadine').hits.length) appendExchange(place, 'ferryline/signin.py');
    await ui.find('grenadine', /grenadine/i);
    await ui.until(LINES, /grenadine/);
    const forget = async (answer) => {
      await ui.command('pastwork: Forget this exchange');
      await ui.until('.monaco-dialog-box', /removed for good/);
      if (answer === 'Forget') await ui.shot('forget');
      await page.locator('.monaco-dialog-box .monaco-button', { hasText: answer }).first().click();
      await ui.gone('.monaco-dialog-box');
    };
    await forget('Cancel');
    await ui.until(LINES, /grenadine/);
    await forget('Forget');
    await ui.until('.tabs-container', /^((?!grenadine).)*$/is);
    await ui.search('grenadine');
    await ui.until(PICK, /\d+ found/);
    assert.doesNotMatch(await ui.text(ROW), /grenadine/i);
    assert.ok(!JSON.stringify(ask('search', 'grenadine').hits).includes('grenadine'));
  },

  async 're-index, status, examination, debug information, logs'({ ui, page, server }) {
    await ui.command('pastwork: Re-index');
    await ui.command('pastwork: Status');
    await ui.until('.tab.active', /pastwork status/);
    await ui.until(LINES, /claude-code/);
    await ui.command('pastwork: Examine the installation');
    await ui.until('.tab.active', /pastwork doctor/);
    await ui.until(LINES, /store/i);
    await ui.command('pastwork: Debug information');
    await ui.until(LINES, /state: Running/);
    assert.ok((await ui.document()).includes(`server: ${server}`));
    await ui.command('pastwork: Show logs');
    await ui.until('.panel', /\[info\]/);
    await page.keyboard.press('Control+j');
  },

  async 'the language status says what is indexed'({ ui, page }) {
    await ui.open(POOL, 12);
    await page.locator('.statusbar-item[id="status.languageStatus"] a').first().click();
    await ui.until('.hover-language-status, .monaco-hover.workbench-hover', /pastwork: \d+ past exchanges/);
    await ui.shot('status');
  },

  async 'untitled documents are passed over quietly'({ ui, page }) {
    await ui.command('File: New Untitled Text File');
    await ui.until('.tab.active', /Untitled/);
    await page.waitForFunction(() => document.activeElement?.closest('.editor-group-container.active .monaco-editor'));
    await page.keyboard.type('Bookings hang for ever');
    await ui.command('pastwork: Past work on this line');
    await ui.until(TOAST, /Open a file of the workspace first/);
    assert.equal(await page.locator(`.editor-group-container.active ${LENS}`).count(), 0);
    // Only what is empty closes without asking.
    await page.locator(LINES).first().click({ position: { x: 300, y: 5 } });
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await ui.gone('.tab.dirty');
    await ui.command('View: Close Editor');
  },

  async 'a killed server comes back'({ ui, editor }) {
    await ui.open(POOL);
    await ui.until(LENS, /past exchanges/);
    const answered = () => extensionLog(editor.state).match(/server answered after/g).length;
    const before = answered();
    assert.ok(editor.kill(), 'a server was there');
    await ui.until(async () => String(answered()), new RegExp(`^${before + 1}$`));
    await ui.until(LENS, /past exchanges/);
    await ui.search('child price cents');
    await ui.until(ROW, /cents/i);
  },
};

/** The last steps in that window. */
export const ENDS = {
  async 'two folders in one window'({ ui, page, editor, place }) {
    const other = path.join(place.home, 'code/other');
    fs.mkdirSync(other, { recursive: true });
    fs.writeFileSync(path.join(other, 'note.py'), 'print("nobody wrote this")\n');
    const workspace = path.join(place.folder, 'both.code-workspace');
    fs.writeFileSync(workspace, JSON.stringify({ folders: [{ path: other }, { path: place.workspace }] }));
    await ui.visit(editor.workspaceUrl(workspace), () => extensionLog(editor.state));
    // A workspace file's folders are there from a later load on: the browser reads them from its cache, once they are in it.
    for (let patience = 5000; ; patience *= 2) {
      await page.waitForSelector('.sidebar .pane-header');
      try {
        await ui.until('.explorer-folders-view', /other/, patience);
        break;
      } catch (error) {
        if (patience > PATIENCE) throw error;
        await page.reload();
      }
    }
    await ui.open('pool.py');
    await ui.until(LENS, /2 past exchanges/);
    await ui.open('note.py');
    await ui.rest('.editor-group-container.active', 1000);
    assert.equal(await page.locator(`.editor-group-container.active ${LENS}`).count(), 0);
    await openBookings(ui);
    await ui.follow('ferryline/tickets.py', (timeout) => ui.until('.tab.active', /tickets\.py/, timeout));
  },

  async 'activation is quick'({ editor, figures }) {
    figures.activation_ms = Number(/activated in ([\d.]+) ms/.exec(extensionLog(editor.state))[1]);
    assert.ok(keeps(figures, 'activation_ms', 100), `took ${figures.activation_ms} ms`);
  },

  async 'no error in the logs of the extension host'({ editor }) {
    // What the killed server leaves behind, and nothing else.
    const known = /pastwork\.log: .*\[error\] (Connection to server got closed\.|Server process exited with signal SIGKILL\.)/;
    assert.deepEqual(loggedErrors(editor.state).filter((line) => !known.test(line)), []);
  },
};

/** Steps in an untrusted window whose machine names a server that is not there. */
export const LOST = {
  async 'no server: one notification with the remedy'({ ui, page, editor }) {
    await ui.visit(editor.url(), () => extensionLog(editor.state));
    assert.match(await ui.until(TOAST, /was not found/), /pipx install pastwork/);
    await page.waitForTimeout(1000);
    assert.equal(await page.locator(`${TOAST} .notification-list-item`).count(), 1);
    await ui.shot('no-server');
  },

  async 'without a server the palace says what it waits for'({ ui }) {
    await ui.view('pastwork');
    await ui.until(PANES, /Waiting for the pastwork server/);
    await ui.view('Explorer');
  },

  async 'a workspace that nobody trusts names no program'({ place }) {
    assert.ok(!fs.existsSync(path.join(place.folder, 'ran')), 'the program of .vscode/settings.json was run');
  },

  async 'retry finds what was installed since'({ ui, page, editor, place, server }) {
    const missing = path.join(place.folder, 'nothing-here/pastwork');
    assert.match(extensionLog(editor.state), /no server found; looked in:\n {2}setting: .*nothing-here\/pastwork/);
    fs.mkdirSync(path.dirname(missing), { recursive: true });
    fs.writeFileSync(missing, `#!/bin/sh\nexec '${server}' "$@"\n`, { mode: 0o755 });
    await ui.command('Notifications: Show Notifications');
    await page.locator('.notifications-center .monaco-button, .notifications-toasts .monaco-button', { hasText: 'Retry' }).first().click();
    await ui.open(POOL);
    await ui.until(LENS, /past exchanges/);
  },

  async 'a server that keeps crashing is left alone, with a way to the log'({ ui, page, editor, place }) {
    const crashing = path.join(place.folder, 'crashing');
    fs.writeFileSync(crashing, '#!/bin/sh\nexit 3\n', { mode: 0o755 });
    await page.keyboard.press('Escape');
    await ui.command('Notifications: Clear All Notifications');
    editor.pointTo(crashing);
    await ui.until(TOAST, /did not start|keeps ending/);
    await page.waitForTimeout(2000);
    assert.ok(extensionLog(editor.state).match(/server: .*crashing/g).length <= 6, 'no crash loop');
    assert.match(await ui.text(TOAST), /Show logs/);
  },

  async 'the right path, and the server is there'({ ui, editor, server }) {
    await ui.command('Notifications: Clear All Notifications');
    editor.pointTo(server);
    await ui.open(POOL);
    await ui.until(LENS, /2 past exchanges/);
  },

  async 'first steps are in the walkthrough'({ ui, page }) {
    await ui.command('Welcome: Open Walkthrough...');
    await ui.until(PICK, /Remember past agent work/);
    await ui.choose('Remember past', /Remember past agent work/);
    await ui.until('.gettingStartedContainer', /Find the half-remembered/);
    await page.waitForSelector('.getting-started-step .codicon-getting-started-step-checked');
    assert.equal(await page.locator('.getting-started-step .codicon-getting-started-step-checked').count(), 1, 'only the server is there by now');
    await ui.shot('walkthrough');
  },
};

/** Whether a figure (milliseconds) is within its limit, stretched by as much as the machine is slower now than the one it was set for. */
function keeps(figures, name, limit, slow = slowness()) {
  figures.slowness = Math.max(figures.slowness ?? 1, slow);
  return figures[name] <= limit * slow;
}

async function openBookings(ui) {
  // What is open already would not tell when it is opened.
  await ui.command('View: Close All Editors');
  await ui.gone('.tabs-container .tab');
  await ui.find('bookings hang', BOOKINGS);
  await ui.until('.tab.active', BOOKINGS);
  await ui.until(LINES, BOOKINGS);
}

/** Has no line annotated; gives what toggles the annotations and says which is next. */
export async function annotationsOff(ui, editor) {
  const shown = await ui.witness('.statusbar');
  const mode = () => JSON.parse(fs.readFileSync(path.join(editor.state, 'User/settings.json'), 'utf8'))['pastwork.annotations'] ?? 'off';
  const toggle = async (next) => {
    await ui.command('pastwork: Toggle annotations');
    await ui.holds(() => assert.equal(mode(), next));
    await ui.until(shown, new RegExp(`annotations: ${next}`));
  };
  const rest = { off: [], line: ['all', 'off'], all: ['off'] };
  for (const next of rest[mode()]) await toggle(next);
  return toggle;
}
