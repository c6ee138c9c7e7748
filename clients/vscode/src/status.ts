/** The language status item: indexed, indexing, paused, or a problem. */
import * as vscode from 'vscode';
import type { Server } from './server';
import type { StatusAnswer } from './shapes';
import { statusWords } from './text';

const LOGS = { command: 'pastwork.showLogs', title: 'Show logs' };
export class StatusItem {
  readonly item = vscode.languages.createLanguageStatusItem('pastwork.status', { scheme: 'file' });

  constructor(server: Server) {
    this.item.name = 'pastwork';
    this.set('pastwork: not running', LOGS);
    server.onStatus((status) => this.show(status));
    server.onReady((ready) => {
      if (ready) void server.status().then((status) => this.show(status), () => this.set('pastwork: no answer', LOGS, true));
      else this.set('pastwork: not running', LOGS);
    });
  }

  private show(status: StatusAnswer): void {
    const { text, detail, busy } = statusWords(status);
    const notes = status.notes ?? [];
    const command = notes.length ? { command: 'pastwork.doctor', title: 'Examine' } : { command: 'pastwork.status', title: 'Status' };
    this.set(text, command, notes.length > 0, notes.length > 1 ? `${notes.length} things to know` : notes[0] ?? detail, busy);
  }

  private set(text: string, command: vscode.Command, problem = false, detail?: string, busy = false): void {
    const severity = problem ? vscode.LanguageStatusSeverity.Warning : vscode.LanguageStatusSeverity.Information;
    Object.assign(this.item, { text, command, severity, detail, busy });
  }
}
