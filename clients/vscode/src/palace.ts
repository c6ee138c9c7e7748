/** The two trees of the activity bar: rooms -> exchanges, and the file in the editor. */

import * as vscode from 'vscode';
import { roomIcon } from './histories';
import type { Server } from './server';
import type { Hit, RoomCount } from './shapes';
import { byline, headline, tierWords } from './text';

type Group = { kind: 'group'; type: RoomCount['room_type']; rooms: RoomCount[] };
type Node = Group | { kind: 'room'; room: RoomCount } | { kind: 'exchange'; hit: Hit; note?: string };

const GROUPS: Record<RoomCount['room_type'], string> = { file: 'Files', concept: 'Concepts', workflow: 'Workflows' };

function exchangeItem(hit: Hit, note?: string): vscode.TreeItem {
  const item = new vscode.TreeItem(headline(hit));
  item.id = undefined;
  item.description = [byline(hit, Date.now()), note].filter(Boolean).join(' · ');
  item.tooltip = [headline(hit), hit.object.specific_context, '', hit.prompt].filter((line) => line !== undefined).join('\n');
  item.iconPath = new vscode.ThemeIcon(hit.fix ? 'wrench' : 'comment-discussion');
  item.contextValue = 'exchange';
  item.command = { command: 'pastwork.openExchange', title: 'Open verbatim', arguments: [hit.id] };
  return item;
}

abstract class Tree implements vscode.TreeDataProvider<Node> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  protected readonly server: Server;

  constructor(server: Server) {
    this.server = server;
  }

  refresh(): void {
    this.changed.fire(undefined);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node.kind === 'exchange') return exchangeItem(node.hit, node.note);
    if (node.kind === 'room') {
      const item = new vscode.TreeItem(node.room.room_label, vscode.TreeItemCollapsibleState.Collapsed);
      item.description = String(node.room.exchanges);
      item.tooltip = `${node.room.room_type}:${node.room.room_key}`;
      item.iconPath = new vscode.ThemeIcon(roomIcon(node.room.room_type));
      item.contextValue = 'room';
      return item;
    }
    const item = new vscode.TreeItem(GROUPS[node.type], vscode.TreeItemCollapsibleState.Expanded);
    item.description = String(node.rooms.length);
    return item;
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (!this.server.ready) return [];
    if (!node) return this.top();
    if (node.kind === 'group') return node.rooms.map((room) => ({ kind: 'room', room }));
    if (node.kind === 'exchange') return [];
    const answer = await this.server.room(`${node.room.room_type}:${node.room.room_key}`);
    return answer.hits.map((hit) => ({ kind: 'exchange', hit }));
  }

  protected abstract top(): Promise<Node[]>;
}

export class PalaceTree extends Tree {
  private filter = '';

  async setFilter(filter: string): Promise<void> {
    this.filter = filter.toLowerCase();
    await vscode.commands.executeCommand('setContext', 'pastwork.filtered', filter !== '');
    this.refresh();
  }

  protected async top(): Promise<Node[]> {
    const { rooms } = await this.server.rooms();
    const shown = rooms.filter((room) => `${room.room_label} ${room.room_key}`.toLowerCase().includes(this.filter));
    return (['file', 'concept', 'workflow'] as const)
      .map((type): Group => ({ kind: 'group', type, rooms: shown.filter((room) => room.room_type === type) }))
      .filter((group) => group.rooms.length > 0);
  }
}

export class FileTree extends Tree {
  protected async top(): Promise<Node[]> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (uri?.scheme !== 'file') return [];
    const { matches } = await this.server.history(uri);
    return matches.map((match) => ({ kind: 'exchange', hit: match.hit, note: tierWords(match) }));
  }
}
