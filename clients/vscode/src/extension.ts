/** Wires the parts; nothing else happens here. */
import * as vscode from 'vscode';
import { Annotations } from './annotations';
import { Histories } from './histories';
import { FileTree, PalaceTree, type Node } from './palace';
import { SearchPick, type Opener } from './search';
import { Server, type Manifest } from './server';
import { StatusItem } from './status';
import { byline, headline, roomName } from './text';
import { SCHEME, Verbatim } from './verbatim';

export function activate(context: vscode.ExtensionContext): void {
  const started = performance.now();
  const log = vscode.window.createOutputChannel('pastwork', { log: true });
  const server = new Server(log, context.extension.packageJSON as Manifest);
  const verbatim = new Verbatim(server);
  const palace = new PalaceTree(server, 'pastwork.palace');
  const file = new FileTree(server, 'pastwork.file');
  const followPython = (): Promise<void> => attempt(log, () => server.followPython());
  const annotations = new Annotations(server, context.extensionPath);
  context.subscriptions.push(
    log, server, palace.view, file.view, annotations, new StatusItem(server).item,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, verbatim),
    vscode.languages.registerFoldingRangeProvider({ scheme: SCHEME }, verbatim),
    vscode.languages.registerDocumentLinkProvider({ scheme: SCHEME }, verbatim),
    vscode.window.onDidChangeActiveTextEditor(() => file.follow()),
    vscode.workspace.onDidChangeConfiguration((event) => { if (event.affectsConfiguration('pastwork.server.path')) void server.restartIfMoved(); }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void followPython()),
    vscode.workspace.onDidOpenTextDocument(() => void followPython()),
    vscode.window.tabGroups.onDidChangeTabs(() => tellContexts(server)),
    server.onReady(() => tellContexts(server)),
  );
  server.onStatus((status) => palace.tell(status));
  refreshQuietly(server, () => [verbatim, palace, file, annotations].forEach((part) => part.refresh()));
  registerCommands(context, server, verbatim, palace, file, annotations);
  file.follow();
  void server.restart();
  void followPython();
  log.info(`activated in ${(performance.now() - started).toFixed(1)} ms`);
}

/** A walkthrough's step is ticked by a context that changes while its page, a tab of no kind we are told, is there. */
function tellContexts(server: Server): void {
  const welcome = vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ input }) => input === undefined));
  void vscode.commands.executeCommand('setContext', 'pastwork.ready', server.ready);
  void vscode.commands.executeCommand('setContext', 'pastwork.welcomed', server.ready && welcome);
}

/** Views follow the store, at most once a second, however often the status changes while indexing. */
function refreshQuietly(server: Server, refresh: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  server.onStatus(() => { timer ??= setTimeout(() => { timer = undefined; refresh(); }, 1000); });
  server.onReady(refresh);
}

function registerCommands(context: vscode.ExtensionContext, server: Server, verbatim: Verbatim, palace: PalaceTree, file: FileTree, annotations: Annotations): void {
  const opener: Opener = {
    openExchange: (id, beside) => verbatim.open(id, beside), openFile: (id) => verbatim.openFile(id), copyResume: (id) => verbatim.copyResume(id),
    copyContext: (ids) => copyContext(server, { ids }), attempt: (deed) => void attempt(server.log, deed),
  };
  const search = new SearchPick(server, opener);
  const histories = new Histories(server, opener);
  /** A deed on the exchange of a tree's node, of an id, or of the editor. */
  const onExchange = (deed: (id: string) => Promise<void>) => async (node?: Node | string): Promise<void> => {
    const id = typeof node === 'string' ? node : node?.kind === 'exchange' ? node.hit.id : (await verbatim.current())?.id;
    if (id) await deed(id);
    else void vscode.window.showInformationMessage('Open an exchange first, for example from the search.');
  };
  const commands: Record<string, (...args: never[]) => unknown> = {
    search: (query?: string) => search.show(typeof query === 'string' ? query : undefined),
    fileHistory: () => histories.showActive(false),
    lineHistory: () => histories.showActive(true),
    openHistory: (uri: string, line?: number) => histories.showFile(vscode.Uri.parse(uri), line),
    openExchange: onExchange((id) => verbatim.open(id)),
    openTouched: (id: string, name: string) => verbatim.openFile(id, name),
    previousExchange: () => verbatim.step(-1),
    nextExchange: () => verbatim.step(1),
    compareWithNow: onExchange((id) => verbatim.compare(id)),
    copyResume: onExchange((id) => verbatim.copyResume(id)),
    copyContext: (node?: Node | string) => (typeof node === 'object' && node.kind === 'room' ? copyContext(server, { room: roomName(node.room) }) : onExchange((id) => copyContext(server, { ids: [id] }))(node)),
    copyFileContext: () => file.file && copyContext(server, { file: vscode.workspace.asRelativePath(file.file, false) }),
    forget: onExchange((id) => forget(server, verbatim, id)),
    showRooms: () => histories.showRooms(),
    filterRooms: () => palace.askFilter(),
    clearRoomFilter: () => palace.setFilter(''),
    reindex: () => server.execute('pastwork.server.reindex'),
    status: async () => verbatim.openPage('pastwork status', await server.print('status')),
    doctor: async () => verbatim.openPage('pastwork doctor', await server.print('doctor')),
    toggleAnnotations: () => annotations.toggle(),
    showLogs: () => server.log.show(),
    restartServer: () => server.choose('Restart'),
    debugInformation: () => verbatim.openPage('pastwork debug information', server.debugInformation()),
  };
  for (const [name, deed] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(`pastwork.${name}`, (...args: unknown[]) => attempt(server.log, () => deed(...(args as never[])))));
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

async function copyContext(server: Server, what: { ids?: string[]; room?: string; file?: string }): Promise<void> {
  const { text } = await server.context(what);
  if (text) await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(text ? 'Copied as context for an agent' : 'Nothing to copy', 4000);
}

async function forget(server: Server, verbatim: Verbatim, id: string): Promise<void> {
  const { hit } = await server.exchange(id);
  const detail = `${headline(hit)}\n${byline(hit, Date.now())}\n\nIt is removed for good and stays removed; the agent's own transcript is not touched.`;
  const choice = await vscode.window.showWarningMessage('Forget this exchange?', { modal: true, detail }, 'Forget');
  if (choice !== 'Forget') return;
  await server.execute('pastwork.server.forget', id);
  await verbatim.close(id);
  vscode.window.setStatusBarMessage('Forgotten', 4000);
}
