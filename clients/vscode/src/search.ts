/** The palette search: queries as one types, newest answer wins. */

import * as vscode from 'vscode';
import type { Server } from './server';
import type { Hit, SearchAnswer } from './shapes';
import { byline, files, headline, oneLine } from './text';

const DEBOUNCE_MS = 60;

export interface Opener {
  openExchange(id: string): Promise<void>;
  openFile(hit: Hit): Promise<void>;
  copyContext(ids: string[]): Promise<void>;
  copyResume(id: string): Promise<void>;
}

interface Item extends vscode.QuickPickItem { hit?: Hit }

const BUTTONS = {
  file: { iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: 'Open the file' },
  copy: { iconPath: new vscode.ThemeIcon('copy'), tooltip: 'Copy as context' },
  resume: { iconPath: new vscode.ThemeIcon('terminal'), tooltip: 'Copy the resume command' },
};

/** Asks the server for each query in turn; an answer to anything but the newest query is dropped. */
export class LatestQuery {
  private running: vscode.CancellationTokenSource | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly ask: (query: string, token: vscode.CancellationToken) => Promise<SearchAnswer>;

  constructor(ask: (query: string, token: vscode.CancellationToken) => Promise<SearchAnswer>) {
    this.ask = ask;
  }

  /** Calls `show` with the answer, or with the error, unless a newer query came first. */
  query(text: string, show: (answer: SearchAnswer | Error) => void, delay = DEBOUNCE_MS): void {
    this.cancel();
    const source = new vscode.CancellationTokenSource();
    this.running = source;
    this.timer = setTimeout(() => {
      this.ask(text, source.token).then(
        (answer) => { if (this.running === source) show(answer); },
        (error: unknown) => { if (this.running === source) show(error instanceof Error ? error : new Error(String(error))); },
      );
    }, delay);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.running?.cancel();
    this.running?.dispose();
    this.running = undefined;
  }
}

export class SearchPick {
  private last = '';
  private scope: 'workspace' | 'all' = 'workspace';
  private agent: string | undefined;
  private readonly server: Server;
  private readonly opener: Opener;

  constructor(server: Server, opener: Opener) {
    this.server = server;
    this.opener = opener;
    this.scope = vscode.workspace.getConfiguration('pastwork').get('search.scope') === 'all' ? 'all' : 'workspace';
  }

  show(initial?: string): void {
    const pick = vscode.window.createQuickPick<Item>();
    const latest = new LatestQuery((query, token) => this.server.search({ query, scope: this.scope, agent: this.agent, limit: 50 }, token));
    const ask = (delay?: number): void => {
      pick.busy = true;
      latest.query(pick.value, (answer) => this.render(pick, answer), delay);
    };
    pick.placeholder = 'What do you remember? Words, "a phrase", file: room: agent: since:';
    pick.matchOnDescription = pick.matchOnDetail = true;
    pick.value = initial ?? this.last;
    this.decorate(pick);
    pick.onDidChangeValue((value) => { this.last = value; ask(); });
    pick.onDidAccept(() => { const hit = pick.selectedItems[0]?.hit; if (hit) void this.opener.openExchange(hit.id); });
    pick.onDidTriggerItemButton(({ item, button }) => this.press(item.hit, button));
    pick.onDidTriggerButton(async (button) => {
      if (button.tooltip?.startsWith('Agent')) await this.chooseAgent();
      else this.scope = this.scope === 'all' ? 'workspace' : 'all';
      pick.show();
      this.decorate(pick);
      ask(0);
    });
    pick.onDidHide(() => latest.cancel());
    pick.ignoreFocusOut = true;
    pick.show();
    ask(0);
  }

  private render(pick: vscode.QuickPick<Item>, answer: SearchAnswer | Error): void {
    pick.busy = false;
    if (answer instanceof Error) {
      pick.items = [{ label: '$(warning) ' + answer.message, alwaysShow: true }];
      return;
    }
    const now = Date.now();
    const items: Item[] = answer.hits.map((hit) => hitItem(hit, now));
    const notes = answer.notes.map((note): Item => ({ label: `$(info) ${note}`, alwaysShow: true }));
    if (!items.length) items.push({ label: answer.query.trim() ? 'Nothing found' : 'No past work here yet', detail: emptyAdvice(this.scope), alwaysShow: true });
    pick.items = [...items, ...notes];
    pick.title = `${titleOf(this.scope, this.agent)} · ${answer.total} found`;
  }

  private decorate(pick: vscode.QuickPick<Item>): void {
    pick.title = titleOf(this.scope, this.agent);
    pick.buttons = [
      { iconPath: new vscode.ThemeIcon(this.scope === 'all' ? 'globe' : 'root-folder'), tooltip: this.scope === 'all' ? 'Scope: all work; switch to this workspace' : 'Scope: this workspace; switch to all work' },
      { iconPath: new vscode.ThemeIcon('hubot'), tooltip: `Agent: ${this.agent ?? 'all'}; choose another` },
    ];
  }

  private async chooseAgent(): Promise<void> {
    const agents = Object.entries((await this.server.status()).agents).filter(([, counts]) => counts.exchanges > 0).map(([name]) => name);
    const chosen = await vscode.window.showQuickPick(['all', ...agents], { title: 'Which agent?' });
    if (chosen) this.agent = chosen === 'all' ? undefined : chosen;
  }

  private press(hit: Hit | undefined, button: vscode.QuickInputButton): void {
    if (!hit) return;
    if (button === BUTTONS.file) void this.opener.openFile(hit);
    else if (button === BUTTONS.copy) void this.opener.copyContext([hit.id]);
    else void this.opener.copyResume(hit.id);
  }
}

function titleOf(scope: string, agent: string | undefined): string {
  return `Past work ${scope === 'all' ? 'anywhere' : 'in this workspace'}${agent ? ` by ${agent}` : ''}`;
}

function emptyAdvice(scope: string): string {
  return scope === 'workspace' ? 'Try all work (the folder button above), or other words' : 'Try other words, or look at pastwork: Status';
}

/** One exchange in a list; shown whatever was typed, since the server has matched it already. */
export function hitItem(hit: Hit, now: number, extra = ''): Item {
  const detail = [oneLine(hit.object.specific_context), files(hit)].filter(Boolean).join(' — ');
  return {
    label: `${hit.fix ? '$(wrench)' : '$(comment-discussion)'} ${headline(hit)}`,
    description: [byline(hit, now), extra].filter(Boolean).join(' · '),
    detail: detail || undefined,
    alwaysShow: true,
    buttons: [BUTTONS.file, BUTTONS.copy, BUTTONS.resume],
    hit,
  };
}
