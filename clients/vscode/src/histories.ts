/** Lists of past work: of a file, a line or a room. */
import * as vscode from 'vscode';
import { hitRow, type Row } from './pick';
import { exchangePick, withButtons, type Opener } from './search';
import type { Server } from './server';
import type { RoomCount } from './shapes';
import { roomName, tierWords } from './text';

export class Histories {
  constructor(private readonly server: Server, private readonly opener: Opener) {}

  /** Past work on a file, or on its 1-based line. */
  async showFile(uri: vscode.Uri, line?: number): Promise<void> {
    const { matches, silence } = await this.server.history(uri, line);
    const where = vscode.workspace.asRelativePath(uri) + (line === undefined ? '' : `, line ${line}`);
    this.choose(`Past work on ${where}`, matches.map((match) => hitRow(match.hit, Date.now(), tierWords(match))), silence ?? 'No past work is known.');
  }

  async showActive(withLine: boolean): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme !== 'file') return void vscode.window.showInformationMessage('Open a file of the workspace first.');
    await this.showFile(editor.document.uri, withLine ? editor.selection.active.line + 1 : undefined);
  }

  async showRooms(): Promise<void> {
    const { rooms } = await this.server.rooms();
    const items = rooms.map((room) => ({ label: `$(${ROOM_ICONS[room.room_type]}) ${room.room_label}`, description: `${room.exchanges} · ${room.room_type}`, room }));
    const chosen = await vscode.window.showQuickPick(items, { title: 'Rooms of this workspace', placeHolder: items.length ? 'Choose a room' : 'No rooms yet' });
    if (!chosen) return;
    const { hits } = await this.server.room(roomName(chosen.room));
    this.choose(`Room: ${chosen.room.room_label}`, hits.map((hit) => hitRow(hit, Date.now())), 'The room is empty.');
  }

  private choose(title: string, rows: Row[], empty: string): void {
    if (!rows.length) return void vscode.window.showInformationMessage(`${title}: ${empty}`);
    const pick = Object.assign(exchangePick(this.opener), { title, placeholder: 'Filter', items: rows.map(withButtons) });
    pick.onDidHide(() => pick.dispose());
    pick.show();
  }
}

export const ROOM_ICONS: Record<RoomCount['room_type'], string> = { file: 'file', concept: 'lightbulb', workflow: 'tools' };
