/** Marks on lines with past work: none, the current line's author, or gutter and overview marks on all. */

import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Server } from './server';
import type { BlameAnswer } from './shapes';
import { byline, headline } from './text';

const DELAY_MS = 250;
type Mode = 'off' | 'line' | 'all';

export class Annotations implements vscode.Disposable {
  private readonly gutter: vscode.TextEditorDecorationType;
  private readonly inline = vscode.window.createTextEditorDecorationType({ after: { color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 3em', fontStyle: 'italic' } });
  private readonly blames = new Map<string, { version: number; answer: BlameAnswer }>();
  private readonly listeners: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server, extensionPath: string) {
    this.gutter = vscode.window.createTextEditorDecorationType({
      gutterIconPath: path.join(extensionPath, 'media', 'mark.svg'), gutterIconSize: '60%',
      overviewRulerColor: new vscode.ThemeColor('charts.purple'), overviewRulerLane: vscode.OverviewRulerLane.Left,
    });
    this.listeners = vscode.Disposable.from(
      vscode.window.onDidChangeActiveTextEditor(() => this.later()),
      vscode.window.onDidChangeTextEditorSelection(() => this.later()),
      vscode.workspace.onDidCloseTextDocument((document) => this.blames.delete(document.uri.toString())),
      vscode.workspace.onDidChangeTextDocument(({ document }) => { if (document === vscode.window.activeTextEditor?.document) this.later(); }),
      vscode.workspace.onDidChangeConfiguration((event) => { if (event.affectsConfiguration('pastwork.annotations')) this.later(); }),
    );
  }

  private mode = (): Mode => vscode.workspace.getConfiguration('pastwork').get<Mode>('annotations') ?? 'off';

  /** off -> line -> all -> off, kept in the user's settings. */
  async toggle(): Promise<void> {
    const next: Record<Mode, Mode> = { off: 'line', line: 'all', all: 'off' };
    const mode = next[this.mode()];
    await vscode.workspace.getConfiguration('pastwork').update('annotations', mode, vscode.ConfigurationTarget.Global);
    vscode.window.setStatusBarMessage(`pastwork annotations: ${mode}`, 3000);
  }

  /** The store changed: what is shown may be old. */
  refresh(): void {
    this.blames.clear();
    this.later();
  }

  dispose(): void {
    clearTimeout(this.timer);
    [this.listeners, this.gutter, this.inline].forEach((part) => part.dispose());
  }

  private later(): void {
    clearTimeout(this.timer);
    vscode.window.activeTextEditor?.setDecorations(this.inline, []);
    this.timer = setTimeout(() => void this.draw().catch(() => undefined), DELAY_MS);
  }

  private async draw(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor || editor.document.uri.scheme !== 'file') return;
    const mode = this.mode();
    if (mode === 'off' || !this.server.ready) return [this.gutter, this.inline].forEach((decoration) => editor.setDecorations(decoration, []));
    const blame = await this.blame(editor.document);
    if (editor !== vscode.window.activeTextEditor) return;
    const ranges = mode === 'all' ? blame.lines.map(({ line }) => editor.document.lineAt(Math.min(line, editor.document.lineCount) - 1).range) : [];
    editor.setDecorations(this.gutter, ranges);
    await this.drawCurrent(editor, blame);
  }

  private async drawCurrent(editor: vscode.TextEditor, blame: BlameAnswer): Promise<void> {
    const line = editor.selection.active.line;
    const id = blame.lines.find((entry) => entry.line === line + 1)?.exchange_id;
    if (!id) return;
    const { hit } = await this.server.exchange(id);
    if (editor !== vscode.window.activeTextEditor || editor.selection.active.line !== line) return;
    const contentText = `${byline(hit, Date.now())} · ${headline(hit)}`.slice(0, 120);
    editor.setDecorations(this.inline, [{ range: editor.document.lineAt(line).range, renderOptions: { after: { contentText } } }]);
  }

  private async blame(document: vscode.TextDocument): Promise<BlameAnswer> {
    const key = document.uri.toString();
    const known = this.blames.get(key);
    if (known?.version === document.version) return known.answer;
    const answer = await this.server.blame(document.uri);
    this.blames.set(key, { version: document.version, answer });
    return answer;
  }
}
