/** The stage of the end-to-end run: the demo's home, a real VS Code on loopback and a browser before it. */

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { chromium } from 'playwright-core';

export const ROOT = path.resolve(import.meta.dirname, '../../..');
const RUN = process.env.RUN ?? path.join(ROOT, '.run');
export const VENV = process.env.VENV ?? path.join(ROOT, '.venv');
export const CODE_SERVER = path.join(RUN, 'code-server/node_modules/code-server');
const MODEL = process.env.PASTWORK_TEST_MODEL ?? path.join(VENV, 'pastwork/models/all-MiniLM-L6-v2');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const SHOTS = path.join(RUN, 'shots/vscode');

const USER_SETTINGS = {
  'workbench.startupEditor': 'none', 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.banner': 'never', 'telemetry.telemetryLevel': 'off',
  'extensions.autoUpdate': false, 'extensions.autoCheckUpdates': false, 'update.mode': 'none', 'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false, 'workbench.secondarySideBar.defaultVisibility': 'hidden', 'workbench.enableExperiments': false,
  'git.enabled': false, 'window.commandCenter': false, 'editor.minimap.enabled': false, 'editor.hover.delay': 100,
  'diffEditor.renderSideBySide': true, 'workbench.editor.enablePreview': true, 'workbench.layoutControl.enabled': false,
  'terminal.integrated.initialHint': false, 'editor.stickyScroll.enabled': false, 'workbench.tips.enabled': false, 'files.autoSave': 'off',
};
const VIEWPORT = { width: 1120, height: 680 };

/** Builds the sample home below `folder`, indexes it, and gives the places and the environment of its owner. */
export function buildHome(folder) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const python = path.join(VENV, 'bin/python');
  must(spawnSync(python, ['-m', 'demo.build', folder], { cwd: ROOT, encoding: 'utf8' }));
  const home = path.join(folder, 'home');
  const config = path.join(folder, 'config.toml');
  fs.writeFileSync(config, `[embedding]\nmodel = ${JSON.stringify(MODEL)}\n`);
  const env = { ...cleanEnvironment(), HOME: home, PASTWORK_HOME: path.join(folder, 'data'), PASTWORK_CONFIG: config };
  const workspace = path.join(home, 'code/ferryline');
  const evil = path.join(folder, 'evil');
  fs.writeFileSync(evil, `#!/bin/sh\ntouch ${folder}/ran\n`, { mode: 0o755 });
  write(path.join(workspace, '.vscode/settings.json'), { 'pastwork.server.path': evil, 'pastwork.embedding.model': '/nowhere' });
  must(spawnSync(path.join(VENV, 'bin/pastwork'), ['index', '--scan', workspace], { cwd: workspace, env, encoding: 'utf8' }));
  return { home, workspace, env, folder };
}

/**
 * Starts code-server with the packaged extension; `server` is the machine setting `pastwork.server.path`.
 * `url(file)` opens the workspace, `file` in the editor; `pointTo` changes the setting; `kill` ends the language server;
 * `slowly` slows it down; `servers` are its processes; `settings` are the machine's.
 */
export async function startEditor(place, server, trusted = true, more = []) {
  const port = await freePort();
  const state = path.join(place.folder, `editor-${port}`);
  write(path.join(state, 'User/settings.json'), USER_SETTINGS);
  const chosen = {};
  const settings = (values) => write(path.join(state, 'Machine/settings.json'), Object.assign(chosen, values));
  const pointTo = (program) => settings({ 'pastwork.server.path': program });
  pointTo(server);
  const entry = path.join(CODE_SERVER, 'out/node/entry.js');
  const common = [entry, '--user-data-dir', state, '--extensions-dir', path.join(state, 'extensions')];
  const env = { ...place.env, XDG_CONFIG_HOME: path.join(state, 'xdg'), XDG_DATA_HOME: path.join(state, 'xdg'), EXTENSIONS_GALLERY: '{}' };
  const packages = [path.join(ROOT, 'clients/vscode/pastwork.vsix'), ...more].flatMap((vsix) => ['--install-extension', vsix]);
  must(spawnSync(process.execPath, [...common, ...packages], { env, encoding: 'utf8' }));
  const quiet = ['--auth', 'none', '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'];
  if (trusted) quiet.push('--disable-workspace-trust');
  const log = fs.openSync(path.join(place.folder, `code-server-${port}.log`), 'w');
  const child = spawn(process.execPath, [...common, '--bind-addr', `127.0.0.1:${port}`, ...quiet, place.workspace], { env, stdio: ['ignore', log, log], detached: true });
  await answers(port, child);
  const address = `http://127.0.0.1:${port}/`;
  const opened = (file) => (file ? `&payload=${encodeURIComponent(JSON.stringify([['openFile', `vscode-remote://127.0.0.1:${port}${file}`]]))}` : '');
  return {
    url: (file) => `${address}?folder=${place.workspace}${opened(file)}`,
    workspaceUrl: (workspace) => `${address}?workspace=${workspace}`,
    state,
    pointTo,
    kill: () => languageServers(child.pid).map((pid) => process.kill(pid, 'SIGKILL')).length,
    slowly: (share, deed) => slowly(child.pid, share, deed),
    servers: () => languageServers(child.pid),
    isBelow: (pid, root) => below(processes(), pid, (each) => each === root),
    settings,
    stop: () => process.kill(-child.pid, 'SIGTERM'),
  };
}

/** What stands in for the Python extension: its interpreter is the one named in the file `chosen`, now and later. */
export function packPython(folder, chosen) {
  const root = path.join(folder, 'python-extension');
  const vsix = path.join(folder, 'python.vsix');
  write(path.join(root, 'package.json'), { name: 'python', publisher: 'ms-python', version: '1.0.0', license: 'MIT', engines: { vscode: '^1.91.0' }, main: './main.js', activationEvents: ['onLanguage:python'] });
  fs.writeFileSync(path.join(root, 'main.js'), `
    const fs = require('node:fs'), { EventEmitter } = require('vscode');
    exports.activate = () => {
      const changed = new EventEmitter();
      fs.watchFile(${JSON.stringify(chosen)}, { interval: 200 }, () => changed.fire());
      return { environments: { getActiveEnvironmentPath: () => ({ path: fs.readFileSync(${JSON.stringify(chosen)}, 'utf8') }), onDidChangeActiveEnvironmentPath: changed.event } };
    };`);
  const vsce = path.join(ROOT, 'clients/vscode/node_modules/@vscode/vsce/vsce');
  must(spawnSync(process.execPath, [vsce, 'package', '--no-dependencies', '--allow-missing-repository', '--skip-license', '-o', vsix], { cwd: root, encoding: 'utf8' }));
  return vsix;
}

/** A Python environment that has the server: the path of its interpreter. */
export function makeEnvironment(folder, server) {
  const bin = path.join(folder, 'bin');
  fs.mkdirSync(bin, { recursive: true });
  fs.writeFileSync(path.join(bin, 'pastwork'), `#!/bin/sh\nexec '${server}' "$@"\n`, { mode: 0o755 });
  return path.join(bin, 'python');
}

/** Every process: its parent and its words. */
function processes() {
  const found = new Map();
  for (const name of fs.readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parent = Number(fs.readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1).split(' ')[1]);
      found.set(Number(name), { parent, command: fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0') });
    } catch (error) {
      if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
    }
  }
  return found;
}

/** The pids of the servers that the extension started below this process, which are processes `.../pastwork lsp`; with their children if asked for. */
function languageServers(root, withChildren = false) {
  const all = processes();
  const server = (pid) => all.get(pid)?.command.some((word, at, words) => /pastwork$/.test(word) && words[at + 1] === 'lsp') ?? false;
  return [...all.keys()].filter((pid) => below(all, pid, (each) => each === root) && (withChildren ? below(all, pid, server) : server(pid)));
}

/** Whether a process or one that it comes from is wanted. */
const below = (all, pid, wanted) => wanted(pid) || (all.has(pid) && below(all, all.get(pid).parent, wanted));

/** How long the held servers run at a time, and how long it may take until a new one is held (milliseconds). */
const SLICE = 50;

/**
 * Runs a deed while the language servers and their children get that share of the time only, as on a slower machine;
 * with a share of 0 they stand still, from their birth on.
 */
async function slowly(root, share, deed) {
  let over = false;
  const hold = async () => {
    while (!over) {
      const held = languageServers(root, true);
      signal(held, 'SIGSTOP');
      await pause(share ? SLICE / share - SLICE : SLICE);
      if (!share) continue;
      signal(held, 'SIGCONT');
      await pause(SLICE);
    }
    signal(languageServers(root, true), 'SIGCONT');
  };
  const holding = hold();
  try {
    return await deed();
  } finally {
    over = true;
    await holding;
  }
}

function signal(pids, name) {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

/** What `work` takes on the machine whose limits these are, when nobody else uses it (milliseconds; see bench/results). */
const WORK_MS = 10;

function work() {
  let value = 1;
  for (let turn = 0; turn < 1_500_000; turn += 1) value = (value * 1_103_515_245 + 12_345) & 0x7fffffff;
  return value;
}

/** How many times slower than that one this machine is at the moment, be it busy or old; at least 1. */
export function slowness(samples = 10) {
  const begun = performance.now();
  for (let sample = 0; sample < samples; sample += 1) work();
  return Math.max(1, (performance.now() - begun) / samples / WORK_MS);
}

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export async function openBrowser(folder) {
  if (!fs.existsSync(CHROMIUM)) throw new Error(`no Chromium at ${CHROMIUM}; install it with: apt-get install chromium`);
  fs.mkdirSync(SHOTS, { recursive: true });
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  const context = await chromium.launchPersistentContext(path.join(folder, 'browser'), {
    executablePath: CHROMIUM, headless: true, viewport: VIEWPORT, args, permissions: ['clipboard-read', 'clipboard-write'],
  });
  return context;
}

/** What goes wrong in the editor itself now and then: two windows that lock one workspace's storage, a tree asked for a row it has just dropped. */
const EDITORS_OWN = /EEXIST[^\n]*workspaceStorage\/[\w-]+\/vscode\.lock|No tree item with id/;

/** Every line the extension host and the extension logged at error level, but for the editor's own; that a window that is closed cancels what is under way is none. */
export function loggedErrors(state) {
  const lines = (file) => {
    const [alive, closing = ''] = fs.readFileSync(file, 'utf8').split('Extension host terminating:');
    return [...alive.split('\n'), ...closing.split('\n').filter((line) => !/: Canceled$/.test(line))];
  };
  return [...files(path.join(state, 'logs'))]
    .filter((file) => /exthost/i.test(path.relative(state, file)) && file.endsWith('.log'))
    .flatMap((file) => lines(file).filter((line) => /\[error\]/i.test(line) && !EDITORS_OWN.test(line)).map((line) => `${path.basename(file)}: ${line}`));
}

/** Everything our output channels logged, in the order of the windows. */
export function extensionLog(state) {
  const logs = [...files(path.join(state, 'logs'))].filter((name) => /pastwork\.log$/.test(name));
  return logs.sort((a, b) => fs.statSync(a).birthtimeMs - fs.statSync(b).birthtimeMs).map((file) => fs.readFileSync(file, 'utf8')).join('');
}

function* files(folder) {
  if (!fs.existsSync(folder)) return;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* files(full);
    else yield full;
  }
}

function cleanEnvironment() {
  const agents = /^(CLAUDE_CONFIG_DIR|CODEX_HOME|COPILOT_HOME|GEMINI_CLI_HOME|XDG_.*|VSCODE_.*|PYTHONPATH)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => !agents.test(key)));
}

function must(done) {
  if (done.status !== 0) throw new Error(`${done.error ?? ''}${done.stderr ?? ''}${done.stdout ?? ''}`);
  return done.stdout;
}

function write(file, content) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify(content));
}

async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answers(port, child) {
  for (let tries = 0; tries < 720; tries += 1) {
    if (child.exitCode !== null) throw new Error(`code-server ended with ${child.exitCode}`);
    if (await fetch(`http://127.0.0.1:${port}/healthz`).then((reply) => reply.ok, () => false)) return;
    await pause(250);
  }
  throw new Error('code-server did not answer within three minutes');
}
