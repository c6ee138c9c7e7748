/** The search's model, free of the editor: which query is asked when, and how an answer reads as rows. */
import type { Hit, SearchAnswer } from './shapes.ts';
import { byline, context, cut, files, headline } from './text.ts';

const DEBOUNCE_MS = 30;

export interface Narrowing { scope: 'workspace' | 'all'; agent: string | undefined }

/** A row of a list; `alwaysShow` says that what is typed does not filter it. */
export interface Row { label: string; detail?: string; alwaysShow?: boolean; hit?: Hit }

/** Asks each query in turn; an answer to anything but the newest query is dropped, and its asking is aborted. */
export class LatestQuery<Answer> {
  private running: AbortController | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly ask: (query: string, signal: AbortSignal) => Promise<Answer>;

  constructor(ask: (query: string, signal: AbortSignal) => Promise<Answer>) {
    this.ask = ask;
  }

  /** Calls `show` with the answer, or with the error, unless a newer query came first; waits only while another is asked. */
  query(text: string, show: (answer: Answer | Error) => void): void {
    const delay = this.running ? DEBOUNCE_MS : 0;
    this.cancel();
    const mine = new AbortController();
    this.running = mine;
    const settle = (answer: Answer | Error): void => {
      if (this.running !== mine) return;
      this.running = undefined;
      show(answer);
    };
    this.timer = setTimeout(() => {
      this.ask(text, mine.signal).then(settle, (error: unknown) => settle(error instanceof Error ? error : new Error(String(error))));
    }, delay);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = undefined;
  }
}

/** An answer's rows: the hits as the server ranked them, those of one session told, then what weakens the answer. */
export function answerRows(answer: SearchAnswer | Error, scope: Narrowing['scope'], now: number): Row[] {
  if (answer instanceof Error) return [{ label: `$(warning) ${answer.message}`, alwaysShow: true }];
  const rows = answer.hits.map((hit): Row => ({ ...hitRow(hit, now, hit.session_note), alwaysShow: true }));
  if (!rows.length) rows.push({ label: answer.query.trim() ? 'Nothing found' : 'No past work here yet', detail: advice(scope), alwaysShow: true });
  return [...rows, ...answer.notes.map((note): Row => ({ label: `$(info) ${note}`, alwaysShow: true }))];
}

/** One exchange as a row; `extra` says what it has to do with the place asked about. */
export function hitRow(hit: Hit, now: number, extra = ''): Row {
  const about = [extra, byline(hit, now), files(hit)].filter(Boolean).join(' · ');
  const detail = [about, context(hit)].filter(Boolean).join(' — ').replaceAll('$(', '\\$(');
  return { label: `$(${hitIcon(hit)}) ${headline(hit).replaceAll('$(', '\\$(')}`, detail, hit };
}

export const hitIcon = (hit: Hit): string => (hit.fix ? 'wrench' : 'comment-discussion');

/** "Past work in this workspace by codex · 12 found", and what weakens the answer, whose row may be far below. */
export function pickTitle({ scope, agent }: Narrowing, answer?: { total: number; notes: string[] }): string {
  const where = scope === 'all' ? 'anywhere' : 'in this workspace';
  return `Past work ${where}${agent ? ` by ${agent}` : ''}${answer ? [' · ', answer.total, ' found', ...answer.notes.slice(0, 1).map((note) => ` · ${cut(note, 60)}`)].join('') : ''}`;
}

const advice = (scope: Narrowing['scope']): string => (scope === 'workspace' ? 'Try all work (the folder button above), or other words' : 'Try other words, or look at pastwork: Status');
