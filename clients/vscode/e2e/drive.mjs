/**
 * Drives a real VS Code through everything the extension promises; each step is counted and timed.
 *
 * `node drive.mjs` needs $RUN/code-server (install.sh), pastwork.vsix, a Chromium ($CHROMIUM, by default Debian's) and
 * the Python environment $VENV. Pictures and figures.json are left in $RUN/shots/vscode.
 * A step that fails is tried once more from a calm window, and counted: a busy machine's fault passes, a real one fails twice.
 * `STEPS=word` runs only steps whose name holds the word (a regular expression), for work on one of them.
 */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Editor } from './editor.mjs';
import { first } from './first.mjs';
import { LOOKS } from './looks.mjs';
import { buildHome, CODE_SERVER, extensionLog, makeEnvironment, openBrowser, packPython, pause, SHOTS, startEditor, VENV } from './stage.mjs';
import { PAIR } from './pair.mjs';
import { SLOW } from './slow.mjs';
import { ENDS, LOST, STEPS } from './steps.mjs';
import { writeLongPast } from './sample.mjs';

const only = new RegExp(process.env.STEPS ?? '');
const results = { passed: 0, failed: 0, second_tries: 0 };
let pictures = 0;

/** Runs the steps of one window; a failure is told with a screenshot and the run goes on where it can. */
async function run(steps, stage) {
  for (const [name, deed] of Object.entries(steps).filter(([name]) => only.test(name))) {
    const begun = performance.now();
    const early = await faultOf('again', name, deed, stage);
    if (early) await calm(stage);
    const fault = early && await faultOf('FAIL ', name, deed, stage);
    results[fault ? 'failed' : 'passed'] += 1;
    results.second_tries += early && !fault ? 1 : 0;
    if (!fault) console.log(`ok    ${name}${early ? ' (at the second try)' : ''} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
    await stage.page.keyboard.press('Escape').catch(() => undefined);
  }
}

/** Tries a step; what went wrong is told under that verdict, with a picture, and given. */
async function faultOf(verdict, name, deed, stage) {
  try {
    await deed(stage);
    return undefined;
  } catch (error) {
    console.log(`${verdict} ${name}: ${String(error.stack ?? error).slice(0, 1500)}`);
    pictures += 1;
    await stage.ui.shot(`fail-${pictures}`).catch(() => undefined);
    return error;
  }
}

/** Leaves what a broken step has open, and gives the machine a moment. */
async function calm({ page }) {
  for (let press = 0; press < 3; press += 1) {
    await page.keyboard.press('Escape').catch(() => undefined);
    await pause(1000);
  }
}

/** What was driven, by what. */
function versions(browser) {
  const { version } = JSON.parse(fs.readFileSync(path.join(CODE_SERVER, 'package.json'), 'utf8'));
  const product = JSON.parse(fs.readFileSync(path.join(CODE_SERVER, 'lib/vscode/package.json'), 'utf8'));
  return { editor: `code-server ${version} (VS Code ${product.version})`, browser: browser };
}

async function main() {
  const before = os.loadavg()[0];
  if (!process.env.STEPS) fs.rmSync(SHOTS, { recursive: true, force: true });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pastwork-e2e-'));
  const server = path.join(VENV, 'bin/pastwork');
  const place = buildHome(folder);
  const browser = await openBrowser(folder);
  const page = await browser.newPage();
  const ui = new Editor(page);
  const figures = {};
  const ask = (...words) => JSON.parse(spawnSync(server, [...words, '--json'], { cwd: place.workspace, env: place.env, encoding: 'utf8' }).stdout);
  const window = async (steps, path, trusted, more) => {
    if (!Object.keys(steps).some((name) => only.test(name))) return;
    const editor = await startEditor(place, path, trusted, more);
    try {
      if (process.env.STEPS && path === server) {
        await ui.visit(editor.url(`${place.workspace}/ferryline/pool.py`), () => extensionLog(editor.state));
        if (trusted) await ui.ready(() => extensionLog(editor.state));
      }
      await run(steps, { ui, page, editor, place, figures, ask, server });
    } finally {
      editor.stop();
    }
  };
  await window({ ...STEPS, ...LOOKS, ...SLOW, ...PAIR, ...ENDS }, server, true);
  await window(LOST, path.join(folder, 'nothing-here/pastwork'), false);
  // A stranger's first window: no index, no model, a thousand exchanges, and the server in the chosen Python environment.
  const chosen = makeEnvironment(`${folder}/environment`, server);
  fs.writeFileSync(`${folder}/chosen`, chosen);
  fs.rmSync(place.env.PASTWORK_HOME, { recursive: true, force: true });
  fs.writeFileSync(place.env.PASTWORK_CONFIG, `[embedding]\nmodel = ${JSON.stringify(`${folder}/no-model`)}\n`);
  writeLongPast(place);
  await window(first(folder), '', true, [packPython(folder, `${folder}/chosen`)]);
  const version = await browser.newCDPSession(page).then((session) => session.send('Browser.getVersion'));
  await browser.close();
  const load = [before, os.loadavg()[0]].map((value) => value.toFixed(1));
  figures.lost_keys_and_clicks = ui.lost;
  const record = { date: new Date().toISOString().slice(0, 10), load, ...results, ...versions(version.product), figures };
  if (!process.env.STEPS) fs.writeFileSync(path.join(SHOTS, 'figures.json'), `${JSON.stringify(record, undefined, 2)}\n`);
  for (const [name, value] of Object.entries(figures)) console.log(`${name} = ${Math.round(value * 10) / 10}`);
  if (results.failed) console.log(`kept: ${folder}`);
  else fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  console.log(`${results.passed} passed, ${results.second_tries} of them at the second try, ${results.failed} failed`);
  process.exit(results.failed ? 1 : 0);
}

await main();
