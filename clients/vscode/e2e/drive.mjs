/**
 * Drives a real VS Code through everything the extension promises; each step is counted and timed.
 * `node drive.mjs` needs $RUN/code-server (install.sh), pastwork.vsix, a Chromium, and the Python environment $VENV.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildHome, extensionLog, loggedErrors, openBrowser, ROOT, SHOTS, startEditor } from './stage.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pastwork-e2e-'));
const venv = process.env.VENV ?? path.join(ROOT, '.venv');
const server = path.join(venv, 'bin/pastwork');
const results = { passed: 0, failed: 0 };
const figures = {};

/** Runs one step; a failure is told with a screenshot and the run goes on where it can. */
async function step(page, name, deed) {
  const begun = performance.now();
  try {
    await deed();
    results.passed += 1;
    console.log(`ok    ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  } catch (error) {
    results.failed += 1;
    console.log(`FAIL  ${name}: ${String(error.stack ?? error).slice(0, 1500)}`);
    await page.screenshot({ path: path.join(SHOTS, `fail-${results.failed}.png`) }).catch(() => undefined);
  } finally {
    await page.keyboard.press('Escape').catch(() => undefined);
  }
}

class Editor {
  constructor(page) { this.page = page; }

  shot(name) { return this.page.screenshot({ path: path.join(SHOTS, `${name}.png`) }); }

  text(selector) { return this.page.evaluate((css) => [...document.querySelectorAll(css)].map((node) => node.textContent).join('\n').replaceAll(' ', ' '), selector); }

  /** Waits until the text of `selector` matches; gives it. */
  async until(selector, pattern, timeout = 20_000) {
    const end = Date.now() + timeout;
    for (;;) {
      const text = await this.text(selector);
      if (pattern.test(text)) return text;
      if (Date.now() > end) throw new Error(`${selector} never matched ${pattern}; it reads: ${text.slice(0, 600)}`);
      await this.page.waitForTimeout(30);
    }
  }

  async command(title) {
    await this.page.keyboard.press('F1');
    await this.page.waitForSelector('.quick-input-widget:not([style*="display: none"]) input', { timeout: 20_000 });
    await this.page.keyboard.type(title, { delay: 5 });
    await this.until('.quick-input-list .monaco-list-row.focused', new RegExp(title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i'));
    await this.page.keyboard.press('Enter');
  }

  async open(name, line) {
    await this.page.keyboard.press('Control+p');
    await this.page.waitForSelector('.quick-input-widget:not([style*="display: none"]) input');
    await this.page.keyboard.type(line ? `${name}:${line}` : name, { delay: 5 });
    await this.until('.quick-input-list .monaco-list-row.focused', new RegExp(name.split('/').at(-1).replace('.', '\\.')));
    await this.page.keyboard.press('Enter');
    await this.until('.tab.active', new RegExp(name.split('/').at(-1).replace('.', '\\.')));
  }

  async search(words) {
    await this.page.keyboard.press('Control+Alt+p');
    await this.page.waitForSelector('.quick-input-widget:not([style*="display: none"]) input', { timeout: 20_000 });
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.type(words, { delay: 40 });
  }
}

const PICK = '.quick-input-widget';
const LENS = '.codelens-decoration';
const HOVER = '.monaco-hover:not(.hidden)';
const LINES = '.editor-group-container.active .view-lines';

async function main() {
  const place = buildHome(folder);
  let editor = await startEditor(place, server);
  const browser = await openBrowser(folder);
  const page = await browser.newPage();
  const ui = new Editor(page);
  const pageErrors = [];
  page.on('pageerror', (error) => pageErrors.push(String(error)));
  await page.goto(editor.url);
  await page.waitForSelector('.monaco-workbench', { timeout: 120_000 });
  await page.waitForSelector('.explorer-folders-view .monaco-list-row', { timeout: 120_000 });

  await step(page, 'the lens says what happened to the file', async () => {
    await ui.open('ferryline/pool.py');
    assert.match(await ui.until(LENS, /past exchanges/, 60_000), /2 past exchanges/);
    await ui.shot('lens');
  });
  await step(page, 'a line tells who wrote it', async () => {
    await ui.open('ferryline/pool.py', 23);
    await page.locator('.view-line', { hasText: 'raise PoolTimeout' }).first().hover({ position: { x: 150, y: 8 } });
    const text = await ui.until(HOVER, /verbatim/);
    assert.match(text, /claude-code/);
    assert.match(text, /6 of 6 lines stand/);
    await page.waitForTimeout(300);
    await ui.shot('hover');
  });
  await step(page, 'the hover leads to the verbatim, word for word', async () => {
    await page.locator('.view-line', { hasText: 'raise PoolTimeout' }).first().hover({ position: { x: 160, y: 8 } });
    await ui.until(HOVER, /verbatim/);
    await page.locator(`${HOVER} a`, { hasText: 'verbatim' }).first().click();
    await ui.until('.tab.active', /\.md/);
    const shown = await ui.until(LINES, /Bookings hang for ever/);
    for (const words of ['never', 'clear error instead?', 'python -m pytest -q tests/test_load.py']) assert.ok(shown.includes(words), `the verbatim lacks: ${words}`);
    await page.waitForTimeout(500);
    await ui.shot('verbatim');
  });
  await step(page, 'next and previous exchange of the session', async () => {
    await ui.command('pastwork: Next exchange');
    await ui.until(LINES, /Why 5 seconds and not 30/);
    await ui.command('pastwork: Previous exchange');
    await ui.until(LINES, /Bookings hang for ever/);
  });
  await step(page, 'compare with now opens the diff editor', async () => {
    await ui.command('pastwork: Compare with now');
    await ui.until(PICK, /Compare which file/);
    await page.keyboard.type('pool');
    await page.keyboard.press('Enter');
    await ui.until('.tab.active', /as written ↔ now/);
    await page.waitForSelector('.monaco-diff-editor .view-lines');
    await page.waitForFunction(() => document.querySelectorAll('.monaco-diff-editor .line-insert, .monaco-diff-editor .line-delete').length > 0);
    const shown = await ui.text('.monaco-diff-editor .view-lines');
    assert.match(shown, /size=4/, 'the exchange found size=4, today it is settings.POOL_SIZE');
    await ui.shot('compare');
  });
  await step(page, 'the palette finds the half-remembered while one types', async () => {
    await ui.search('bookings hang');
    await ui.until(PICK, /Bookings hang/);
    await page.waitForTimeout(400);
    await ui.shot('search');
  });
  await step(page, 'a keystroke is answered fast', async () => {
    await ui.search('');
    const samples = [];
    for (const letter of 'invalid_grant token refresh once more with the pool size settings') {
      await page.waitForTimeout(120);
      samples.push(await page.evaluate(typeAndWait, letter));
    }
    samples.sort((a, b) => a - b);
    figures.keystroke_to_results_p50_ms = samples[Math.floor(samples.length / 2)];
    figures.keystroke_to_results_p95_ms = samples[Math.floor(samples.length * 0.95)];
  });
  await step(page, 'a result opens its verbatim', async () => {
    await ui.search('invalid_grant');
    await ui.until(PICK, /token/i);
    await page.waitForTimeout(300);
    await page.keyboard.press('Enter');
    await ui.until(LINES, /only one refresh runs/);
  });
  await step(page, 'past work on this file and on this line', async () => {
    await ui.open('ferryline/pool.py', 23);
    await ui.command('pastwork: Past work on this line');
    assert.match(await ui.until(PICK, /wrote line/), /Past work on .*pool\.py, line 23/);
    await page.keyboard.press('Escape');
    await ui.command('pastwork: Past work on this file');
    await ui.until(PICK, /Past work on .*pool\.py/);
  });
  await step(page, 'the palace: rooms, and this file', async () => {
    await page.locator('.activitybar .action-item a[aria-label*="pastwork"]').first().click();
    await ui.until('.pane-body', /Files/);
    await ui.until('.pane-body', /pool\.py/);
    await ui.until('.pane-body', /Bookings hang/);
    await page.waitForTimeout(400);
    await ui.shot('palace');
  });
  await step(page, 'annotations can be switched on and off', async () => {
    await ui.open('ferryline/pool.py', 22);
    await ui.command('pastwork: Toggle annotations');
    await page.waitForTimeout(600);
    await ui.open('ferryline/pool.py', 23);
    await ui.until('.view-lines', /claude-code · /);
    await ui.shot('annotation');
    await ui.command('pastwork: Toggle annotations');
    await page.waitForFunction(() => document.querySelectorAll('.margin-view-overlays .cgmr.codicon, .margin-view-overlays [class*="ced-"]').length > 5);
    await ui.command('pastwork: Toggle annotations');
  });
  await step(page, 'what an agent writes now is in the lens within two seconds', async () => {
    await ui.open('ferryline/signin.py');
    await ui.until(LENS, /1 past exchange\b/);
    const begun = Date.now();
    appendExchange(place, 'ferryline/signin.py');
    await ui.until(LENS, /2 past exchanges/, 15_000);
    figures.live_lens_ms = Date.now() - begun;
    assert.ok(figures.live_lens_ms <= 2500, `took ${figures.live_lens_ms} ms`);
  });
  await step(page, 'hostile text stays text', async () => {
    await ui.search('grenadine');
    await ui.until(PICK, /grenadine/i);
    await page.keyboard.press('Enter');
    await ui.until(LINES, /grenadine/);
    await ui.command('pastwork: Open as rendered Markdown');
    await page.waitForTimeout(2500);
    for (const frame of page.frames()) {
      const active = await frame.evaluate(() => [...document.querySelectorAll('a[href^="command:"], a[href^="javascript:"], img[src^="http"], script[src*="evil"]')].length).catch(() => 0);
      assert.equal(active, 0, `active content in ${frame.url().slice(0, 80)}`);
    }
    await ui.shot('hostile');
  });
  await step(page, 'forget asks, then forgets for good', async () => {
    await ui.search('grenadine');
    await ui.until(PICK, /grenadine/i);
    await page.keyboard.press('Enter');
    await ui.until(LINES, /grenadine/);
    await ui.command('pastwork: Forget this exchange');
    await page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Forget' }).first().click();
    await page.waitForTimeout(1500);
    await ui.search('grenadine');
    await ui.until(PICK, /Nothing found|no exchange/i);
  });
  await step(page, 'a killed server comes back', async () => {
    await ui.open('ferryline/pool.py');
    await ui.until(LENS, /past exchanges/);
    spawnSync('pkill', ['-KILL', '-f', `${server} lsp`]);
    await page.waitForTimeout(1500);
    await ui.search('child price cents');
    await ui.until(PICK, /cents/i, 30_000);
  });
  const errors = loggedErrors(editor.state).filter((line) => !/pastwork\.log.*(Connection to server|connection got closed|server process)/i.test(line));
  await step(page, 'no error in the logs of the extension host', async () => assert.deepEqual(errors, []));
  const activation = /activated in ([\d.]+) ms/.exec(extensionLog(editor.state))?.[1];
  figures.activation_ms = Number(activation);
  await step(page, 'activation is quick', async () => assert.ok(figures.activation_ms <= 100, `took ${activation} ms`));
  editor.stop();

  editor = await startEditor(place, path.join(folder, 'nothing-here/pastwork'));
  await page.goto(editor.url);
  await step(page, 'no server: one notification with the remedy', async () => {
    assert.match(await ui.until('.notifications-toasts', /was not found/, 90_000), /pipx install pastwork/);
    await ui.shot('no-server');
  });
  editor.stop();
  await browser.close();
  if (pageErrors.length) console.log(`page errors: ${pageErrors.slice(0, 3).join(' | ')}`);
  fs.writeFileSync(path.join(SHOTS, 'figures.json'), JSON.stringify(figures, undefined, 2));
  console.log(Object.entries(figures).map(([name, value]) => `${name} = ${Math.round(value)}`).join('\n'));
  console.log(`${results.passed} passed, ${results.failed} failed`);
  if (!results.failed) fs.rmSync(folder, { recursive: true, force: true });
  else console.log(`kept: ${folder}`);
  process.exit(results.failed ? 1 : 0);
}

/** In the page: types one letter into the quick input and waits until its list was redrawn. */
async function typeAndWait(letter) {
  const input = document.querySelector('.quick-input-widget input');
  const list = document.querySelector('.quick-input-list .monaco-list-rows');
  const title = document.querySelector('.quick-input-title');
  const begun = performance.now();
  const redrawn = new Promise((resolve) => {
    const observer = new MutationObserver(() => { observer.disconnect(); resolve(performance.now() - begun); });
    observer.observe(list, { childList: true, subtree: true, characterData: true });
    observer.observe(title, { childList: true, subtree: true, characterData: true });
    setTimeout(() => { observer.disconnect(); resolve(performance.now() - begun); }, 3000);
  });
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  set.call(input, input.value + letter);
  input.dispatchEvent(new Event('input', { bubbles: true }));
  return redrawn;
}

/** An agent at work: one more exchange at the end of the newest Claude Code transcript, with hostile text in it. */
function appendExchange(place, name) {
  const file = newest(path.join(place.home, '.claude/projects'));
  const rows = fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const last = rows.filter((row) => row.type === 'assistant').at(-1);
  const now = new Date().toISOString();
  const base = { ...last, timestamp: now, message: undefined, toolUseResult: undefined };
  const target = path.join(place.workspace, name);
  const hostile = 'grenadine <img src="http://evil.example/x.png"> ![x](http://evil.example/y.png) [run](command:workbench.action.quit) <script src="http://evil.example/evil.js"></script> \u001b]8;;http://evil.example\u0007\u202e';
  const patch = { filePath: target, structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: [' """The sign-in token, refreshed by one caller at a time."""', '+# grenadine constant for the retry'] }] };
  const more = [
    { ...base, type: 'user', uuid: 'e2e-0001', message: { role: 'user', content: `Add the grenadine constant ${hostile}` } },
    { ...base, type: 'assistant', uuid: 'e2e-0002', message: { id: 'm1', role: 'assistant', model: 'm', content: [{ type: 'tool_use', id: 't-e2e', name: 'Edit', input: { file_path: target, old_string: 'a', new_string: 'b' } }] } },
    { ...base, type: 'user', uuid: 'e2e-0003', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't-e2e', content: 'updated' }] }, toolUseResult: patch },
    { ...base, type: 'assistant', uuid: 'e2e-0004', message: { id: 'm2', role: 'assistant', model: 'm', content: [{ type: 'text', text: `Added the grenadine constant. ${hostile}` }] } },
  ];
  fs.appendFileSync(file, more.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

function newest(folder) {
  const found = fs.readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name)).filter((name) => name.endsWith('.jsonl'));
  return found.sort((a, b) => fs.statSync(b).mtimeMs - fs.statSync(a).mtimeMs)[0];
}

await main();
