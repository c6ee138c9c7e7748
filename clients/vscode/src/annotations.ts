/** Marks on lines with past work: none, the current line's author, or gutter and overview marks on all. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Server } from './server';
import type { BlameAnswer } from './shapes';
import { byline, cut, headline } from './text';

const DELAY_MS = 250;
type Mode = 'off' | 'line' | 'all';

export class Annotations implements vscode.Disposable {
  private readonly gutter: vscode.TextEditorDecorationType;
  private readonly inline = vscode.window.createTextEditorDecorationType({ after: { color: new vscode.ThemeColor('descriptionForeground'), margin: '0 0 0 3em', fontStyle: 'italic' } });
  private readonly listeners: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server, extensionPath: string) {
    this.gutter = vscode.window.createTextEditorDecorationType({
      gutterIconPath: path.join(extensionPath, 'media', 'mark.svg'), gutterIconSize: '60%',
      overviewRulerColor: new vscode.ThemeColor('charts.purple'), overviewRulerLane: vscode.OverviewRulerLane.Left,
    });
    const moves: vscode.Event<unknown>[] = [vscode.window.onDidChangeActiveTextEditor, vscode.window.onDidChangeVisibleTextEditors, vscode.window.onDidChangeTextEditorSelection];
    this.listeners = vscode.Disposable.from(
      ...moves.map((moved) => moved(() => this.refresh())),
      vscode.workspace.onDidChangeTextDocument(({ document }) => { if (vscode.window.visibleTextEditors.some((editor) => editor.document === document)) this.refresh(); }),
      vscode.workspace.onDidChangeConfiguration((event) => { if (event.affectsConfiguration('pastwork.annotations')) this.refresh(); }),
    );
  }

  private mode = (): Mode => vscode.workspace.getConfiguration('pastwork').get<Mode>('annotations') ?? 'off';

  /** off -> line -> all -> off, kept where it is set, by default in the user's settings. */
  async toggle(): Promise<void> {
    const next: Record<Mode, Mode> = { off: 'line', line: 'all', all: 'off' };
    const mode = next[this.mode()];
    const configuration = vscode.workspace.getConfiguration('pastwork');
    await configuration.update('annotations', mode, configuration.inspect('annotations')?.workspaceValue === undefined ? vscode.ConfigurationTarget.Global : vscode.ConfigurationTarget.Workspace);
    vscode.window.setStatusBarMessage(`pastwork annotations: ${mode}`, 3000);
  }

  dispose(): void {
    clearTimeout(this.timer);
    [this.listeners, this.gutter, this.inline].forEach((part) => part.dispose());
  }

  /** What is shown may be old: it goes at once, and what holds now is drawn soon. */
  refresh(): void {
    clearTimeout(this.timer);
    vscode.window.visibleTextEditors.forEach((editor) => editor.setDecorations(this.inline, []));
    this.timer = setTimeout(() => void this.drawAll(), DELAY_MS);
  }

  private async drawAll(): Promise<void> {
    const editors = vscode.window.visibleTextEditors.filter((editor) => editor.document.uri.scheme === 'file');
    await Promise.all(editors.map((editor) => this.draw(editor).catch((error: unknown) => this.server.log.debug(`no annotations: ${String(error)}`))));
  }

  private async draw(editor: vscode.TextEditor): Promise<void> {
    const mode = this.mode();
    if (mode === 'off' || !this.server.ready) return [this.gutter, this.inline].forEach((decoration) => editor.setDecorations(decoration, []));
    const blame = await this.server.blame(editor.document.uri);
    const ranges = mode === 'all' ? blame.lines.map(({ line }) => editor.document.lineAt(Math.min(line, editor.document.lineCount) - 1).range) : [];
    editor.setDecorations(this.gutter, ranges);
    if (editor === vscode.window.activeTextEditor) await this.drawCurrent(editor, blame);
  }

  private async drawCurrent(editor: vscode.TextEditor, blame: BlameAnswer): Promise<void> {
    const line = editor.selection.active.line;
    const id = blame.lines.find((entry) => entry.line === line + 1)?.exchange_id;
    if (!id) return;
    const { hit } = await this.server.exchange(id);
    if (editor !== vscode.window.activeTextEditor || editor.selection.active.line !== line) return;
    const contentText = cut(`${byline(hit, Date.now())} · ${headline(hit)}`, 100);
    editor.setDecorations(this.inline, [{ range: editor.document.lineAt(line).range, renderOptions: { after: { contentText } } }]);
  }
}
