/** The language status item: indexed, indexing, paused, or a problem. */

import * as vscode from 'vscode';
import type { Server } from './server';
import type { StatusAnswer } from './shapes';
import { statusWords } from './text';

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem('pastwork.status', { scheme: 'file' });

  constructor(server: Server) {
    this.item.name = 'pastwork';
    this.waiting();
    server.onStatus((status) => this.show(status));
    server.onReady((ready) => {
      if (ready) void server.status().then((status) => this.show(status), () => this.problem());
      else this.waiting();
    });
  }

  show(status: StatusAnswer): void {
    const words = statusWords(status);
    const note = status.notes?.[0];
    this.item.busy = words.busy;
    this.item.text = words.text;
    this.item.detail = note ?? words.detail;
    this.item.severity = note ? vscode.LanguageStatusSeverity.Warning : vscode.LanguageStatusSeverity.Information;
    this.item.command = { command: 'pastwork.status', title: note ? 'What is wrong' : 'Status' };
  }

  dispose(): void {
    this.item.dispose();
  }

  private waiting(): void {
    this.item.busy = false;
    this.item.text = 'pastwork: not running';
    this.item.detail = undefined;
    this.item.severity = vscode.LanguageStatusSeverity.Information;
    this.item.command = { command: 'pastwork.showLogs', title: 'Show logs' };
  }

  private problem(): void {
    this.item.busy = false;
    this.item.text = 'pastwork: no answer';
    this.item.severity = vscode.LanguageStatusSeverity.Warning;
    this.item.command = { command: 'pastwork.showLogs', title: 'Show logs' };
  }
}
