/** The palette search, and every other list of exchanges. */
import * as vscode from 'vscode';
import { answerRows, LatestQuery, pickTitle, type Narrowing, type Row } from './pick';
import type { Server } from './server';
import type { Hit, SearchAnswer } from './shapes';

export interface Opener {
  openExchange(id: string, beside?: boolean): Promise<void>;
  openFile(id: string): Promise<void>;
  copyContext(ids: string[]): Promise<void>;
  copyResume(id: string): Promise<void>;
  /** Runs a deed and tells what goes wrong. */
  attempt(deed: () => Promise<void>): void;
}

type Item = Row & vscode.QuickPickItem;

interface DeedButton extends vscode.QuickInputButton { deed: (opener: Opener, hit: Hit) => Promise<void> }
interface ToggleButton extends vscode.QuickInputButton { toggle: () => Promise<void> | void }

const BUTTONS: DeedButton[] = [
  { iconPath: new vscode.ThemeIcon('split-horizontal'), tooltip: 'Open the verbatim to the side', deed: (opener, hit) => opener.openExchange(hit.id, true) },
  { iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: 'Open the file', deed: (opener, hit) => opener.openFile(hit.id) },
  { iconPath: new vscode.ThemeIcon('copy'), tooltip: 'Copy as context', deed: (opener, hit) => opener.copyContext([hit.id]) },
  { iconPath: new vscode.ThemeIcon('terminal'), tooltip: 'Copy the resume command', deed: (opener, hit) => opener.copyResume(hit.id) },
];

/** A list that opens what is chosen. Rows stay in our order: by default the editor sorts by the label's match. */
export function exchangePick(opener: Opener): vscode.QuickPick<Item> {
  const pick = vscode.window.createQuickPick<Item>();
  (pick as { sortByLabel?: boolean }).sortByLabel = false;
  pick.matchOnDescription = pick.matchOnDetail = true;
  pick.onDidAccept(() => {
    const hit = pick.selectedItems[0]?.hit;
    if (!hit) return;
    pick.hide();
    opener.attempt(() => opener.openExchange(hit.id));
  });
  pick.onDidTriggerItemButton(({ item: { hit }, button }) => {
    if (hit) opener.attempt(() => (button as DeedButton).deed(opener, hit));
  });
  return pick;
}

export const withButtons = (row: Row): Item => (row.hit ? { ...row, buttons: BUTTONS } : row);

/** Queries as one types; the newest answer wins; query, scope and agent stay for the next time. */
export class SearchPick {
  private last = '';
  private readonly narrowing: Narrowing;

  constructor(private readonly server: Server, private readonly opener: Opener) {
    const scope = vscode.workspace.getConfiguration('pastwork').get('search.scope');
    this.narrowing = { scope: scope === 'all' ? 'all' : 'workspace', agent: undefined };
  }

  show(initial?: string): void {
    const pick = exchangePick(this.opener);
    const latest = new LatestQuery((query, signal) => this.ask(query, signal));
    const ask = (): void => {
      pick.busy = true;
      latest.query(pick.value, (answer) => this.render(pick, answer));
    };
    let choosing = false;
    const back = this.server.onReady((ready) => { if (ready) ask(); });
    pick.placeholder = 'What do you remember? Words, "a phrase", file: room: agent: since:';
    pick.value = this.last = initial ?? this.last;
    this.decorate(pick);
    pick.onDidChangeValue((value) => { this.last = value; ask(); });
    pick.onDidTriggerButton((button) => this.opener.attempt(async () => {
      choosing = true;
      await Promise.resolve((button as ToggleButton).toggle()).finally(() => { choosing = false; });
      this.decorate(pick);
      pick.show();
      ask();
    }));
    pick.onDidHide(() => {
      latest.cancel();
      if (!choosing) [pick, back].forEach((part) => part.dispose());
    });
    pick.show();
    ask();
  }

  private async ask(query: string, signal: AbortSignal): Promise<SearchAnswer> {
    const source = new vscode.CancellationTokenSource();
    signal.onabort = () => source.cancel();
    const limit = vscode.workspace.getConfiguration('pastwork').get('search.limit', 50);
    return this.server.search({ query, ...this.narrowing, limit }, source.token);
  }

  private render(pick: vscode.QuickPick<Item>, answer: SearchAnswer | Error): void {
    pick.busy = false;
    pick.items = answerRows(answer, this.narrowing.scope, Date.now()).map(withButtons);
    pick.title = pickTitle(this.narrowing, answer instanceof Error ? undefined : answer);
  }

  private decorate(pick: vscode.QuickPick<Item>): void {
    const all = this.narrowing.scope === 'all';
    pick.title = pickTitle(this.narrowing);
    const scope: ToggleButton = {
      iconPath: new vscode.ThemeIcon(all ? 'globe' : 'root-folder'), tooltip: all ? 'Scope: all work; switch to this workspace' : 'Scope: this workspace; switch to all work',
      toggle: () => { this.narrowing.scope = all ? 'workspace' : 'all'; },
    };
    const agent: ToggleButton = { iconPath: new vscode.ThemeIcon('hubot'), tooltip: `Agent: ${this.narrowing.agent ?? 'all'}; choose another`, toggle: () => this.chooseAgent() };
    pick.buttons = [scope, agent];
  }

  private async chooseAgent(): Promise<void> {
    const agents = Object.entries((await this.server.status()).agents).filter(([, counts]) => counts.exchanges > 0).map(([name]) => name);
    const chosen = await vscode.window.showQuickPick(['all', ...agents], { title: 'Which agent?' });
    if (chosen) this.narrowing.agent = chosen === 'all' ? undefined : chosen;
  }
}
