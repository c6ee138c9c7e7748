/** Lists of past work: of a file, a line or a room. */

import * as vscode from 'vscode';
import { hitItem, type Opener } from './search';
import type { Server } from './server';
import type { RoomCount } from './shapes';
import { tierWords } from './text';

export class Histories {
  private readonly server: Server;
  private readonly opener: Opener;

  constructor(server: Server, opener: Opener) {
    this.server = server;
    this.opener = opener;
  }

  /** Past work on a file, or on its 1-based line. */
  async showFile(uri: vscode.Uri, line?: number): Promise<void> {
    const answer = await this.server.history(uri, line);
    const now = Date.now();
    const items = answer.matches.map((match) => hitItem(match.hit, now, tierWords(match)));
    const where = vscode.workspace.asRelativePath(uri) + (line === undefined ? '' : `, line ${line}`);
    await this.choose(`Past work on ${where}`, items, answer.silence ?? 'No past work is known.');
  }

  async showActive(withLine: boolean): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme !== 'file') {
      void vscode.window.showInformationMessage('Open a file of the workspace first.');
      return;
    }
    await this.showFile(editor.document.uri, withLine ? editor.selection.active.line + 1 : undefined);
  }

  async showRooms(): Promise<void> {
    const { rooms } = await this.server.rooms();
    const items = rooms.map((room) => ({ label: `$(${roomIcon(room.room_type)}) ${room.room_label}`, description: `${room.exchanges} · ${room.room_type}`, room }));
    const chosen = await vscode.window.showQuickPick(items, { title: 'Rooms of this workspace', placeHolder: items.length ? 'Choose a room' : 'No rooms yet' });
    if (chosen) await this.showRoom(chosen.room);
  }

  async showRoom(room: RoomCount): Promise<void> {
    const answer = await this.server.room(`${room.room_type}:${room.room_key}`);
    const now = Date.now();
    await this.choose(`Room: ${room.room_label}`, answer.hits.map((hit) => hitItem(hit, now)), 'The room is empty.');
  }

  private async choose(title: string, items: ReturnType<typeof hitItem>[], empty: string): Promise<void> {
    if (!items.length) {
      void vscode.window.showInformationMessage(`${title}: ${empty}`);
      return;
    }
    const chosen = await vscode.window.showQuickPick(items, { title, matchOnDescription: true, matchOnDetail: true });
    if (chosen?.hit) await this.opener.openExchange(chosen.hit.id);
  }
}

export function roomIcon(type: RoomCount['room_type']): string {
  return { file: 'file', concept: 'lightbulb', workflow: 'tools' }[type];
}
