/** The drill-down: exchanges as read-only Markdown documents, and what they wrote beside the file today. */

import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Server } from './server';
import type { ExchangeAnswer, Hit } from './shapes';
import { exchangeId, headline } from './text';

export const SCHEME = 'pastwork';

export function exchangeUri(id: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, authority: 'exchange', path: `/${id}.md` });
}

export class Verbatim implements vscode.TextDocumentContentProvider {
  private readonly server: Server;

  constructor(server: Server) {
    this.server = server;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    if (uri.authority === 'written') {
      const { id, file } = JSON.parse(uri.query) as { id: string; file: string };
      return (await this.server.written(id, vscode.Uri.parse(file))).text;
    }
    const id = exchangeId(uri.toString(true));
    if (!id) throw new Error(`not an exchange: ${uri.toString(true)}`);
    return (await this.server.exchange(id)).markdown;
  }

  async open(id: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(exchangeUri(id));
    await vscode.window.showTextDocument(document, { preview: true });
    if (document.languageId !== 'markdown') await vscode.languages.setTextDocumentLanguage(document, 'markdown');
  }

  /** The exchange before (-1) or after (+1) the one in the editor, in its session. */
  async step(direction: -1 | 1): Promise<void> {
    const current = await this.current();
    const target = direction < 0 ? current?.previous : current?.next;
    if (target) await this.open(target);
    else void vscode.window.showInformationMessage(direction < 0 ? 'This is the first exchange of its session.' : 'This is the last exchange of its session.');
  }

  /** The exchange shown in the active editor. */
  async current(): Promise<ExchangeAnswer | undefined> {
    const id = exchangeId(vscode.window.activeTextEditor?.document.uri.toString(true) ?? '');
    return id ? this.server.exchange(id) : undefined;
  }

  async copyResume(id: string): Promise<void> {
    const { resume } = await this.server.exchange(id);
    if (!resume) {
      void vscode.window.showInformationMessage('This agent has no command that resumes the session.');
      return;
    }
    await vscode.env.clipboard.writeText(resume);
    vscode.window.setStatusBarMessage(`Copied: ${resume}`, 4000);
  }

  /** Opens the diff editor between what the exchange wrote and the file today. */
  async compare(id: string): Promise<void> {
    const { hit } = await this.server.exchange(id);
    const file = await this.pickFile(hit, 'Compare which file?');
    if (!file) return;
    const query = JSON.stringify({ id, file: file.toString() });
    const left = vscode.Uri.from({ scheme: SCHEME, authority: 'written', path: `/${path.posix.basename(file.path)}`, query });
    await vscode.commands.executeCommand('vscode.diff', left, file, `${path.posix.basename(file.path)}: as written ↔ now (${headline(hit)})`);
  }

  async openFile(hit: Hit): Promise<void> {
    const file = await this.pickFile(hit, 'Open which file?');
    if (file) await vscode.window.showTextDocument(file);
  }

  /** A file the exchange wrote (or else touched) that exists today; asks where there are several. */
  private async pickFile(hit: Hit, title: string): Promise<vscode.Uri | undefined> {
    const wrote = hit.object.files_touched.filter((file) => !['read', 'mentioned'].includes(file.action));
    const names = (wrote.length ? wrote : hit.object.files_touched).map((file) => file.path);
    const present = (await Promise.all(names.map((name) => locate(name, hit.workspace)))).flatMap((uri) => (uri ? [uri] : []));
    if (!present.length) void vscode.window.showInformationMessage('None of the files of this exchange exists in this workspace today.');
    if (present.length < 2) return present[0];
    const items = present.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
    return (await vscode.window.showQuickPick(items, { title }))?.uri;
  }
}

/** A recorded path as a file of this window's folders; paths that lead out of them are never opened. */
async function locate(name: string, workspace: string | null): Promise<vscode.Uri | undefined> {
  const absolute = /^(?:\/|[A-Za-z]:[\\/])/.test(name);
  const inside = absolute && workspace && name.startsWith(`${workspace}/`) ? name.slice(workspace.length + 1) : name;
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    const uri = absolute && inside === name ? vscode.Uri.file(name) : vscode.Uri.joinPath(folder.uri, inside);
    if (vscode.workspace.getWorkspaceFolder(uri) && (await exists(uri))) return uri;
  }
  return undefined;
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(() => true, () => false);
}
