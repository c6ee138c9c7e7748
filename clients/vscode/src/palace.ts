/** The two trees of the activity bar: rooms -> exchanges, and the file in the editor. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import { ROOM_ICONS } from './histories';
import { hitIcon } from './pick';
import type { Server } from './server';
import type { Hit, RoomCount, StatusAnswer } from './shapes';
import { byline, context, counted, cut, headline, oneLine, roomName, statusWords, tierWords } from './text';

type Group = { kind: 'group'; type: RoomCount['room_type']; rooms: RoomCount[] };
type Leaf = { kind: 'exchange'; hit: Hit; note?: string } | { kind: 'note'; text: string };
export type Node = Group | { kind: 'room'; room: RoomCount } | Leaf;

const GROUPS: Record<RoomCount['room_type'], string> = { file: 'Files', concept: 'Concepts', workflow: 'Workflows' };

function exchangeItem(hit: Hit, note?: string): vscode.TreeItem {
  return Object.assign(new vscode.TreeItem(cut(headline(hit), 40)), {
    description: [note, byline(hit, Date.now())].filter(Boolean).join(' · '),
    tooltip: [headline(hit), context(hit), cut(oneLine(hit.prompt), 300)].filter(Boolean).join('\n\n'),
    accessibilityInformation: { label: [headline(hit), note, byline(hit, Date.now())].filter(Boolean).join(', ') },
    iconPath: new vscode.ThemeIcon(hitIcon(hit)), contextValue: 'exchange',
    command: { command: 'pastwork.openExchange', title: 'Open verbatim', arguments: [hit.id] },
  });
}

abstract class Tree implements vscode.TreeDataProvider<Node> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly view: vscode.TreeView<Node>;

  constructor(protected readonly server: Server, private readonly id: string) {
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll: id === 'pastwork.palace' });
  }

  refresh(): void { this.changed.fire(undefined); }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node.kind === 'exchange') return exchangeItem(node.hit, node.note);
    if (node.kind === 'note') return Object.assign(new vscode.TreeItem(node.text), { iconPath: new vscode.ThemeIcon('info') });
    if (node.kind === 'room') {
      const id = roomName(node.room);
      const label = `${node.room.room_label}, ${counted(node.room.exchanges, 'exchange')}`;
      const item = new vscode.TreeItem(node.room.room_label, vscode.TreeItemCollapsibleState.Collapsed);
      return Object.assign(item, { id, tooltip: `${id}: ${counted(node.room.exchanges, 'exchange')}`, description: String(node.room.exchanges), iconPath: new vscode.ThemeIcon(ROOM_ICONS[node.room.room_type]), contextValue: 'room', accessibilityInformation: { label } });
    }
    const item = new vscode.TreeItem(GROUPS[node.type], vscode.TreeItemCollapsibleState.Expanded);
    return Object.assign(item, { id: node.type, description: String(node.rooms.length), accessibilityInformation: { label: `${GROUPS[node.type]}, ${counted(node.rooms.length, 'room')}` } });
  }

  /** Nothing while the server is away; the trees are filled anew when it is back. */
  async getChildren(node?: Node): Promise<Node[]> {
    if (!this.server.ready || node?.kind === 'exchange' || node?.kind === 'note') return [];
    if (node?.kind === 'group') return node.rooms.map((room) => ({ kind: 'room', room }));
    const asked = node ? this.server.room(roomName(node.room)).then(({ hits, notes }) => [...hits.map((hit): Node => ({ kind: 'exchange', hit })), ...told(notes)]) : this.whole();
    return asked.catch((error: unknown) => {
      this.server.log.warn(`a view could not be filled: ${String(error)}`);
      return [];
    });
  }

  private async whole(): Promise<Node[]> {
    const { settled } = this.server;
    const nodes = await this.top();
    await vscode.commands.executeCommand('setContext', `${this.id}.empty`, settled && nodes.length === 0);
    return nodes;
  }

  protected abstract top(): Promise<Node[]>;
}

/** What makes a list weaker than it looks. */
const told = (notes: string[] = []): Node[] => notes.map((text) => ({ kind: 'note', text }));

export class PalaceTree extends Tree {
  private filter = '';

  /** Says how far the reading is where that takes a while. */
  tell(status: StatusAnswer): void {
    const { text, busy } = statusWords(status);
    this.view.message = busy ? text : undefined;
  }

  async askFilter(): Promise<void> {
    const filter = await vscode.window.showInputBox({ title: 'Filter rooms', placeHolder: 'Part of a name', value: this.filter });
    if (filter !== undefined) await this.setFilter(filter);
  }

  async setFilter(filter: string): Promise<void> {
    this.filter = filter.toLowerCase();
    this.view.description = filter && `“${filter}”`;
    await vscode.commands.executeCommand('setContext', 'pastwork.filtered', filter !== '');
    this.refresh();
  }

  protected async top(): Promise<Node[]> {
    const { rooms, notes } = await this.server.rooms();
    const shown = rooms.filter((room) => `${room.room_label} ${room.room_key}`.toLowerCase().includes(this.filter));
    const groups = (['file', 'concept', 'workflow'] as const).map((type): Group => ({ kind: 'group', type, rooms: shown.filter((room) => room.room_type === type) }));
    return [...groups.filter((group) => group.rooms.length > 0), ...(rooms.length ? told(notes) : [])];
  }
}

/** Follows the editor, and stays with the last file while something else, such as a verbatim, is looked at. */
export class FileTree extends Tree {
  file: vscode.Uri | undefined;

  follow(): void {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (uri?.scheme !== 'file' || uri.toString() === this.file?.toString()) return;
    this.file = uri;
    this.view.description = path.posix.basename(uri.path);
    this.refresh();
  }

  protected async top(): Promise<Node[]> {
    if (!this.file) return [];
    const { matches } = await this.server.history(this.file);
    return matches.map((match) => ({ kind: 'exchange', hit: match.hit, note: tierWords(match) }));
  }
}
