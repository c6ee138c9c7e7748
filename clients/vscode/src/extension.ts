/** Wires the parts; nothing else happens here. */

import * as vscode from 'vscode';
import { Annotations } from './annotations';
import { Histories } from './histories';
import { FileTree, PalaceTree } from './palace';
import { SearchPick, type Opener } from './search';
import { Server } from './server';
import type { Hit, RoomCount } from './shapes';
import { age, headline } from './text';
import { SCHEME, Verbatim } from './verbatim';

import { StatusItem } from './status';

type TreeNode = { hit?: Hit; room?: RoomCount } | string | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const started = performance.now();
  const log = vscode.window.createOutputChannel('pastwork', { log: true });
  const server = new Server(log, (context.extension.packageJSON as { version: string }).version);
  const verbatim = new Verbatim(server);
  const opener: Opener = {
    openExchange: (id) => verbatim.open(id),
    openFile: (hit) => verbatim.openFile(hit),
    copyResume: (id) => verbatim.copyResume(id),
    copyContext: (ids) => copyContext(server, { ids }),
  };
  const palace = new PalaceTree(server);
  const file = new FileTree(server);
  const annotations = new Annotations(server, context.extensionPath);
  context.subscriptions.push(
    log, server, annotations, new StatusItem(server),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, verbatim),
    vscode.window.registerTreeDataProvider('pastwork.palace', palace),
    vscode.window.registerTreeDataProvider('pastwork.file', file),
    vscode.window.onDidChangeActiveTextEditor(() => file.refresh()),
    vscode.workspace.onDidChangeConfiguration((event) => { if (event.affectsConfiguration('pastwork.server.path')) void server.restartIfMoved(); }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restartIfMoved()),
    server.onReady((ready) => void vscode.commands.executeCommand('setContext', 'pastwork.ready', ready)),
  );
  refreshQuietly(server, () => { palace.refresh(); file.refresh(); annotations.refresh(); });
  registerCommands(context, log, server, verbatim, opener, palace);
  void server.restart();
  log.info(`activated in ${(performance.now() - started).toFixed(1)} ms`);
}

/** Views follow the store, at most once a second, however often the status changes while indexing. */
function refreshQuietly(server: Server, refresh: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => {
    timer ??= setTimeout(() => { timer = undefined; refresh(); }, 1000);
  };
  server.onStatus(later);
  server.onReady(refresh);
}

function registerCommands(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, server: Server, verbatim: Verbatim, opener: Opener, palace: PalaceTree): void {
  const search = new SearchPick(server, opener);
  const histories = new Histories(server, opener);
  const target = async (node: TreeNode): Promise<string | undefined> =>
    typeof node === 'string' ? node : (node?.hit?.id ?? (await verbatim.current())?.id);
  const onExchange = (deed: (id: string) => Promise<void>) => async (node: TreeNode): Promise<void> => {
    const id = await target(node);
    if (id) await deed(id);
    else void vscode.window.showInformationMessage('Open an exchange first, for example from the search.');
  };
  const commands: Record<string, (...args: never[]) => unknown> = {
    search: (query?: string) => search.show(typeof query === 'string' ? query : undefined),
    fileHistory: () => histories.showActive(false),
    lineHistory: () => histories.showActive(true),
    openHistory: (uri: string, line?: number) => histories.showFile(vscode.Uri.parse(uri), line),
    openExchange: onExchange((id) => verbatim.open(id)),
    previousExchange: () => verbatim.step(-1),
    nextExchange: () => verbatim.step(1),
    compareWithNow: onExchange((id) => verbatim.compare(id)),
    openPreview: () => vscode.commands.executeCommand('markdown.showPreview'),
    copyResume: onExchange((id) => verbatim.copyResume(id)),
    copyContext: (node: TreeNode) => copyNode(server, node, target),
    forget: onExchange((id) => forget(server, id)),
    showRooms: () => histories.showRooms(),
    filterRooms: () => filterRooms(palace),
    clearRoomFilter: () => palace.setFilter(''),
    reindex: () => server.execute('pastwork.server.reindex'),
    status: () => showStatus(server),
    toggleAnnotations: () => Annotations.toggle(),
    showLogs: () => log.show(),
    restartServer: () => server.restart(),
    debugInformation: () => showText(server.debugInformation()),
  };
  for (const [name, deed] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(`pastwork.${name}`, (...args: unknown[]) => attempt(log, () => deed(...(args as never[])))));
  }
}

/** Runs a deed; what goes wrong is told once, in words. */
async function attempt(log: vscode.LogOutputChannel, deed: () => unknown): Promise<void> {
  try {
    await deed();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    log.warn(message);
    void vscode.window.showErrorMessage(`pastwork: ${message}`);
  }
}

async function copyNode(server: Server, node: TreeNode, target: (node: TreeNode) => Promise<string | undefined>): Promise<void> {
  if (typeof node === 'object' && node.room) return copyContext(server, { room: `${node.room.room_type}:${node.room.room_key}` });
  const id = await target(node);
  if (id) await copyContext(server, { ids: [id] });
}

async function copyContext(server: Server, what: { ids?: string[]; room?: string }): Promise<void> {
  await vscode.env.clipboard.writeText((await server.context(what)).text);
  vscode.window.setStatusBarMessage('Copied as context for an agent', 4000);
}

async function forget(server: Server, id: string): Promise<void> {
  const { hit } = await server.exchange(id);
  const detail = `${headline(hit)}\n${hit.agent}, ${age(hit.started_at, Date.now())}. It is removed for good and stays removed; the agent's own transcript is not touched.`;
  const choice = await vscode.window.showWarningMessage('Forget this exchange?', { modal: true, detail }, 'Forget');
  if (choice !== 'Forget') return;
  await server.execute('pastwork.server.forget', id);
  vscode.window.setStatusBarMessage('Forgotten', 4000);
}

async function filterRooms(palace: PalaceTree): Promise<void> {
  const filter = await vscode.window.showInputBox({ title: 'Filter rooms', placeHolder: 'Part of a name' });
  if (filter !== undefined) await palace.setFilter(filter);
}

async function showStatus(server: Server): Promise<void> {
  await showText(JSON.stringify(await server.status(), undefined, 2), 'json');
}

async function showText(content: string, language = 'plaintext'): Promise<void> {
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language }));
}
