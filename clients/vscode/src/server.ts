/** The server's process and the requests it answers. */
import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { CloseAction, ErrorAction, LanguageClient, State } from 'vscode-languageclient/node';
import type { Narrowing } from './pick';
import { resolveServer, type Lookup } from './resolve';
import { CrashCounter, SerialQueue } from './restarts';
import type { BlameAnswer, ExchangeAnswer, HistoryAnswer, RoomAnswer, RoomsAnswer, SearchAnswer, StatusAnswer, TouchedAnswer, Written } from './shapes';

/** Views show all there is; the server takes no more. */
const ALL = 1000;
const TRUSTED_COMMANDS = ['pastwork.openExchange', 'pastwork.openHistory'];

export interface Manifest { version: string; contributes: { configuration: { properties: object } } }

/** Shows no messages of its own: what goes wrong is told once, by us. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void { super.error(message, data, false); }
}

/** Starts, restarts and stops the language client; `onStatus` fires on each `pastwork/statusChanged`. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private command: string | undefined;
  private pythonWatch: vscode.Disposable | undefined;
  private readonly queue = new SerialQueue();
  private readonly crashes = new CrashCounter();
  private readonly statusChanged = new vscode.EventEmitter<StatusAnswer>();
  private readonly readyChanged = new vscode.EventEmitter<boolean>();
  readonly onStatus = this.statusChanged.event;
  readonly onReady = this.readyChanged.event;
  /** Whether a first reading is over: what is empty then is empty. */
  settled = false;

  constructor(readonly log: vscode.LogOutputChannel, private readonly manifest: Manifest) {
    this.onStatus(({ index }) => { this.settled ||= index.finished_at !== null; });
  }

  get ready(): boolean { return this.client?.state === State.Running; }

  /** Starts, or starts anew; calls made meanwhile are one. */
  restart(): Promise<void> {
    return this.queue.run(async () => {
      // Before nothing is found, the Python extension is asked: its environment may be where the server is.
      if (!this.lookUp().found) await this.wakePython().catch((error: unknown) => this.log.warn(`the Python extension: ${String(error)}`));
      const lookup = this.lookUp();
      this.command = lookup.found?.command;
      await this.halt();
      await this.launch(lookup);
    });
  }

  /** Restarts only where another program would be started now. */
  async restartIfMoved(): Promise<void> {
    if (this.lookUp().found?.command !== this.command) await this.restart();
  }

  /** From now on the interpreter chosen in the Python extension counts; that extension is woken only where Python is edited, which it is then anyway. */
  async followPython(): Promise<void> {
    const edited = vscode.workspace.textDocuments.some((document) => document.languageId === 'python');
    if (this.pythonWatch || !(edited || pythonExtension()?.isActive)) return;
    await this.wakePython();
    await this.restartIfMoved();
  }

  private async wakePython(): Promise<void> {
    const { environments } = await pythonExtension()?.activate() ?? {};
    this.pythonWatch ??= environments?.onDidChangeActiveEnvironmentPath(() => void this.restartIfMoved());
  }

  search = (params: Narrowing & { query: string; limit: number }, token: vscode.CancellationToken): Promise<SearchAnswer> => this.ask('pastwork/search', params, token);
  history = (uri: vscode.Uri, line?: number): Promise<HistoryAnswer> =>
    this.ask('pastwork/history', { ...inDocument(uri), ...(line && { position: { line: line - 1, character: 0 } }) });
  blame = (uri: vscode.Uri): Promise<BlameAnswer> => this.ask('pastwork/blame', inDocument(uri));
  exchange = (id: string): Promise<ExchangeAnswer> => this.ask('pastwork/exchange', { id });
  written = (id: string, uri: vscode.Uri): Promise<Written> => this.ask('pastwork/written', { id, ...inDocument(uri) });
  touched = (id: string): Promise<TouchedAnswer> => this.ask('pastwork/touched', { id });
  rooms = (): Promise<RoomsAnswer> => this.ask('pastwork/rooms', { limit: ALL });
  room = (room: string): Promise<RoomAnswer> => this.ask('pastwork/rooms', { room, limit: ALL });
  status = (): Promise<StatusAnswer> => this.ask('pastwork/status', {});
  context = (params: { ids?: string[]; room?: string; file?: string }): Promise<{ text: string }> => this.ask('pastwork/context', params);
  execute = <T>(command: string, ...args: unknown[]): Promise<T> => this.ask('workspace/executeCommand', { command, arguments: args });

  /** What a command of the same program prints for people. */
  print(name: 'status' | 'doctor'): Promise<string> {
    const { command } = this;
    if (!command) throw new Error('the server was not found (see: pastwork: Show logs)');
    const cwd = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath;
    return new Promise((resolve, reject) => {
      execFile(command, [name], { cwd, timeout: 60_000 }, (error, stdout, stderr) => (
        stdout ? resolve(stdout) : reject(new Error(`${command} ${name}: ${stderr.trim() || String(error)}`))));
    });
  }

  /** What a bug report needs; nothing of any transcript. */
  debugInformation(): string {
    const version = this.client?.initializeResult?.serverInfo?.version ?? 'unknown';
    return `pastwork extension ${this.manifest.version}, VS Code ${vscode.version}, ${process.platform} ${process.arch}
server: ${this.command ?? 'not found'}, version ${version}
state: ${this.client ? State[this.client.state] : 'not started'}`;
  }

  async dispose(): Promise<void> {
    [this.pythonWatch, this.readyChanged, this.statusChanged].forEach((part) => part?.dispose());
    await this.queue.run(() => this.halt());
  }

  private async ask<T>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<T> {
    if (!this.client || !this.ready) throw new Error('the pastwork server is not running (see: pastwork: Show logs)');
    return token ? this.client.sendRequest<T>(method, params, token) : this.client.sendRequest<T>(method, params);
  }

  private async halt(): Promise<void> {
    const old = this.client;
    this.client = undefined;
    this.readyChanged.fire(false);
    await old?.dispose(2000).catch((error: unknown) => this.log.warn(`stopping the server: ${String(error)}`));
  }

  private async launch(lookup: Lookup): Promise<void> {
    if (!lookup.found) return void this.tellMissing(lookup);
    this.log.info(`server: ${lookup.found.command} (${lookup.found.from}); looked in this order:\n  ${lookup.tried.join('\n  ')}`);
    const client = this.create(lookup.found.command);
    this.client = client;
    client.onNotification('pastwork/statusChanged', (status: StatusAnswer) => this.statusChanged.fire(status));
    const begun = performance.now();
    try {
      await client.start();
      this.log.info(`server answered after ${Math.round(performance.now() - begun)} ms`);
      this.readyChanged.fire(true);
    } catch (error) {
      this.log.warn(`${lookup.found.command} lsp did not start: ${String(error)}`);
      if (this.client !== client) return;
      this.client = undefined;
      void this.offerLog('The pastwork server did not start.');
    }
  }

  private create(command: string): LanguageClient {
    const client: LanguageClient = new QuietClient('pastwork', 'pastwork', { command, args: ['lsp'] }, {
      documentSelector: [{ scheme: 'file' }],
      outputChannel: this.log,
      initializationOptions: { client: { name: 'vscode', opensHistory: true, commandLinks: true }, settings: this.chosen() },
      synchronize: { configurationSection: 'pastwork' },
      middleware: {
        workspace: {
          didChangeConfiguration: () => client.sendNotification('workspace/didChangeConfiguration', { settings: { pastwork: this.chosen() } }),
          configuration: ({ items }) => items.map(({ section }) => (section === 'pastwork' ? this.chosen() : null)),
        },
      },
      markdown: { isTrusted: { enabledCommands: TRUSTED_COMMANDS }, supportHtml: false },
      connectionOptions: { maxRestartCount: 0 },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: this.afterCrash(), handled: true }),
      },
    });
    return client;
  }

  /** What the user has set, by dotted key; defaults are the server's, so that its config file counts where nothing is set here. */
  private chosen(): Record<string, unknown> {
    const configuration = vscode.workspace.getConfiguration();
    const keys = Object.keys(this.manifest.contributes.configuration.properties);
    return Object.fromEntries(keys.filter((key) => {
      const found = configuration.inspect(key);
      return [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue].some((value) => value !== undefined);
    }).map((key) => [key, configuration.get(key)]));
  }

  private afterCrash(): CloseAction {
    if (!this.client) return CloseAction.DoNotRestart;
    // Nothing is left to stop: the next start must not wait for this client's answer to `shutdown`.
    this.client = undefined;
    this.readyChanged.fire(false);
    const verdict = this.crashes.crashed(Date.now());
    this.log.warn(`the server ended unexpectedly: ${verdict}`);
    if (verdict === 'restart') void this.restart();
    else void this.offerLog('The pastwork server keeps ending; it was not started again.');
    return CloseAction.DoNotRestart;
  }

  private lookUp(): Lookup {
    const setting = vscode.workspace.getConfiguration('pastwork').get('server.path', '');
    return resolveServer({ platform: process.platform, home: homedir(), env: process.env, runnable }, setting, setting ? undefined : this.activePython());
  }

  /** The interpreter that the Python extension has chosen, where that extension is at work. */
  private activePython(): string | undefined {
    const python = pythonExtension();
    return python?.isActive ? python.exports.environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri).path : undefined;
  }

  private async tellMissing(lookup: Lookup): Promise<void> {
    this.log.warn(`no server found; looked in:\n  ${lookup.tried.join('\n  ')}`);
    const install = 'pipx install pastwork';
    const choice = await vscode.window.showWarningMessage(`pastwork: the server was not found. Install it with: ${install}`, 'Copy command', 'Retry', 'Show logs');
    await this.choose(choice);
    if (choice === 'Copy command') await vscode.env.clipboard.writeText(install);
  }

  private offerLog = async (message: string): Promise<void> => this.choose(await vscode.window.showErrorMessage(message, 'Show logs', 'Restart'));

  /** What a button or command of that name does. */
  async choose(choice: string | undefined): Promise<void> {
    if (choice === 'Show logs') this.log.show();
    if (choice !== 'Restart' && choice !== 'Retry') return;
    this.crashes.reset();
    await this.restart();
  }
}

const inDocument = (uri: vscode.Uri): { textDocument: { uri: string } } => ({ textDocument: { uri: uri.toString() } });

function runnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** A workspace that is not trusted may name an interpreter of its own. */
function pythonExtension(): vscode.Extension<PythonApi> | undefined {
  return vscode.workspace.isTrusted ? vscode.extensions.getExtension<PythonApi>('ms-python.python') : undefined;
}

interface PythonApi { environments: { getActiveEnvironmentPath(resource?: vscode.Uri): { path: string }; onDidChangeActiveEnvironmentPath: vscode.Event<unknown> } }
