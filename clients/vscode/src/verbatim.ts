/** The drill-down: exchanges as read-only Markdown documents, and what they wrote beside the file today. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Server } from './server';
import type { ExchangeAnswer, Hit } from './shapes';
import { age, exchangeId, exchanges, mentions, tabName, toolSections, touched } from './text';

export const SCHEME = 'pastwork';

/** Serves `pastwork://exchange/<id>[/<title>].md`, `pastwork://written/…` and plain pages, links and folds them. */
export class Verbatim implements vscode.TextDocumentContentProvider, vscode.FoldingRangeProvider, vscode.DocumentLinkProvider {
  private readonly pages = new Map<string, string>();
  private readonly growing = new Set<string>();
  private latest: { id: string; answer: Promise<ExchangeAnswer> } | undefined;
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server) {
    let before = 0;
    server.onStatus((status) => {
      const now = exchanges(status);
      if (now < before) new Set(allTabs().map(shownIn)).forEach((id) => id && void this.closeIfForgotten(id));
      before = now;
    });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    if (uri.authority === 'page') return this.pages.get(uri.path) ?? '';
    if (uri.authority === 'written') {
      const { id, file } = JSON.parse(uri.query) as { id: string; file: string };
      return (await this.server.written(id, vscode.Uri.parse(file))).text;
    }
    const id = exchangeId(uri.toString(true)) ?? '';
    return this.exchange(id).then(({ hit, markdown }) => {
      this.growing[hit.open ? 'add' : 'delete'](uri.toString());
      return markdown;
    }, (error: Error) => {
      this.growing.add(uri.toString());
      return `${error.message}\n`;
    });
  }

  provideFoldingRanges = (document: vscode.TextDocument): vscode.FoldingRange[] =>
    toolSections(document.getText()).map(([first, last]) => new vscode.FoldingRange(first, last));

  async provideDocumentLinks(document: vscode.TextDocument): Promise<vscode.DocumentLink[]> {
    const id = exchangeId(document.uri.toString(true));
    if (!id) return [];
    const { hit } = await this.exchange(id);
    return mentions(document.getText(), hit.object.files_touched.map((file) => file.path)).map(({ line, start, end, path: name }) => {
      const target = vscode.Uri.parse(`command:pastwork.openTouched?${encodeURIComponent(JSON.stringify([id, name]))}`);
      const link = new vscode.DocumentLink(new vscode.Range(line, start, line, end), target);
      link.tooltip = 'Open the file as it is today';
      return link;
    });
  }

  /** The store or the server changed: exchanges of agents at work may have grown, what was missing may be there. */
  refresh(): void {
    this.latest = undefined;
    this.growing.forEach((uri) => this.changed.fire(vscode.Uri.parse(uri)));
  }

  /** Asked once for all who show it, as exchanges may have megabytes; anew when the store has changed. */
  exchange(id: string): Promise<ExchangeAnswer> {
    if (this.latest?.id !== id) this.latest = { id, answer: this.server.exchange(id) };
    return this.latest.answer;
  }

  async open(id: string, beside = false): Promise<void> {
    const { hit } = await this.exchange(id);
    const uri = vscode.Uri.from({ scheme: SCHEME, authority: 'exchange', path: `/${hit.id}/${tabName(hit)}.md` });
    const known = vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active });
    const selectionLines = toolSections(document.getText()).map(([first]) => first);
    if (known || !selectionLines.length) return;
    // A folding provider that arrives later cancels the ranges that a fold waits for: the Markdown extension's is let in first.
    await vscode.extensions.getExtension('vscode.markdown-language-features')?.activate().then(undefined, () => undefined);
    if (vscode.window.activeTextEditor?.document === document) await vscode.commands.executeCommand('editor.fold', { selectionLines, levels: 1 });
  }

  /** Shows plain text that is nobody's file. */
  async openPage(title: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, authority: 'page', path: `/${title}` });
    this.pages.set(uri.path, text);
    this.changed.fire(uri);
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  /** Closes whatever shows an exchange. */
  async close(id: string): Promise<void> {
    await vscode.window.tabGroups.close(allTabs().filter((tab) => shownIn(tab) === id));
  }

  /** There are fewer exchanges than before: another window or a terminal may have forgotten this one. */
  private async closeIfForgotten(id: string): Promise<void> {
    await this.server.exchange(id).catch((error: { data?: { code?: string } }) => (error.data?.code === 'not_found' ? this.close(id) : undefined));
  }

  /** The exchange before (-1) or after (+1) the one in the editor, in its session. */
  async step(direction: -1 | 1): Promise<void> {
    const current = await this.current();
    const target = direction < 0 ? current?.previous : current?.next;
    if (target) await this.open(target);
    else void vscode.window.showInformationMessage(`This is the ${direction < 0 ? 'first' : 'last'} exchange of its session.`);
  }

  /** The exchange shown in the active editor. */
  async current(): Promise<ExchangeAnswer | undefined> {
    const id = exchangeId(vscode.window.activeTextEditor?.document.uri.toString(true) ?? '');
    return id ? this.exchange(id) : undefined;
  }

  async copyResume(id: string): Promise<void> {
    const { resume } = await this.exchange(id);
    if (!resume) return void vscode.window.showInformationMessage('This agent has no command that resumes the session.');
    await vscode.env.clipboard.writeText(resume);
    vscode.window.setStatusBarMessage(`Copied: ${resume}`, 4000);
  }

  /** Opens the diff editor between what the exchange wrote and the file today. */
  async compare(id: string): Promise<void> {
    const { hit } = await this.exchange(id);
    const file = await this.pickFile(hit, touched(hit), 'Compare which file?');
    if (!file) return;
    const { note } = await this.server.written(id, file);
    const name = path.posix.basename(file.path);
    const left = vscode.Uri.from({ scheme: SCHEME, authority: 'written', path: `/${name}`, query: JSON.stringify({ id, file: file.toString() }) });
    this.changed.fire(left);
    await vscode.commands.executeCommand('vscode.diff', left, file, `${name}: as written ${age(hit.started_at, Date.now())} ↔ now`);
    if (note) void vscode.window.showInformationMessage(note);
  }

  /** Opens a file the exchange touched, where that work stands today; without a name, one that it wrote. */
  async openFile(id: string, name?: string): Promise<void> {
    const { hit } = await this.exchange(id);
    const file = await this.pickFile(hit, name ? [name] : touched(hit), 'Open which file?');
    if (!file) return;
    const { matches } = await this.server.history(file);
    const line = matches.find((match) => match.hit.id === id)?.lines[0]?.[0];
    await vscode.window.showTextDocument(file, line === undefined ? {} : { selection: new vscode.Range(line - 1, 0, line - 1, 0) });
  }

  /** Where one of these files is today, in this window's folders; asks where there are several. */
  private async pickFile(hit: Hit, names: string[], title: string): Promise<vscode.Uri | undefined> {
    const { files } = await this.server.touched(hit.id);
    const present = files.flatMap(({ path: name, today }) => (today && names.includes(name) ? [vscode.Uri.file(today)] : []));
    if (!present.length) void vscode.window.showInformationMessage(names.length === 1 ? `${names[0]} is not in this workspace today.` : 'None of the files of this exchange is in this workspace today.');
    if (present.length < 2) return present[0];
    const items = present.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
    return (await vscode.window.showQuickPick(items, { title }))?.uri;
  }
}

const allTabs = (): vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs);

/** The id of the exchange that a tab shows. */
const shownIn = ({ input }: vscode.Tab): string | undefined => (input instanceof vscode.TabInputText ? exchangeId(input.uri.toString(true)) : undefined);
