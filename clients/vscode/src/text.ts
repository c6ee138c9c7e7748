/** Words shown to people; pure, so that the tests need no editor. */
import type { Hit, Match, RoomCount, StatusAnswer } from './shapes.ts';

const STEPS: [number, string][] = [[60, 'minute'], [24, 'hour'], [7, 'day'], [4.35, 'week'], [12, 'month'], [Infinity, 'year']];

/** "3 weeks ago"; "" where the time is not known. */
export function age(iso: string | null, now: number): string {
  if (!iso) return '';
  let span = Math.max(0, now - Date.parse(iso)) / 60_000;
  if (!(span >= 1)) return Number.isFinite(span) ? 'just now' : '';
  for (const [size, unit] of STEPS) {
    if (span < size) return `${counted(Math.floor(span), unit)} ago`;
    span /= size;
  }
  return '';
}

/** Agent, age and fix mark of one exchange in one line; agents that never say that they are done are not at work for days. */
export function byline(hit: Hit, now: number): string {
  const atWork = hit.open && hit.started_at !== null && now - Date.parse(hit.started_at) < 86_400_000;
  return [hit.agent, age(hit.started_at, now), hit.fix && 'fix', atWork && 'still at work'].filter(Boolean).join(' · ');
}

/** What an exchange is called in a list. */
export const headline = (hit: Hit): string => hit.object.exchange_core || oneLine(hit.prompt) || '(empty prompt)';

/** "1 room", "2 rooms". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Paths of the files an exchange wrote, or else looked at. */
export function touched(hit: Hit): string[] {
  const wrote = hit.object.files_touched.filter((file) => !['read', 'mentioned'].includes(file.action));
  return (wrote.length ? wrote : hit.object.files_touched).map((file) => file.path);
}

/** The same as a short list. */
export function files(hit: Hit): string {
  const shown = touched(hit);
  return shown.slice(0, 3).join(', ') + (shown.length > 3 ? ` and ${shown.length - 3} more` : '');
}

/** "wrote lines 12-18 · 58 % stands" in words short enough for a list. */
export function tierWords(match: Match): string {
  if (match.tier === 'line' && match.lines.length) {
    const where = match.lines.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).slice(0, 3).join(', ');
    const stands = match.survival === null ? '' : ` · ${Math.round(match.survival * 100)} % stands`;
    return `wrote line${/\D/.test(where) ? 's' : ''} ${where}${stands}`;
  }
  if (match.undone) return 'undone since';
  if (match.replaced_by) return 'replaced since';
  return match.tier === 'symbol' ? 'this function' : 'this file';
}

/** How many exchanges are known. */
export const exchanges = (status: StatusAnswer): number => Object.values(status.agents).reduce((sum, agent) => sum + agent.exchanges, 0);

/** The status item's text and detail. */
export function statusWords(status: StatusAnswer): { text: string; detail: string; busy: boolean } {
  if (status.index.state === 'running') {
    // Nothing moves for fewer than ten: they are done before one could look.
    return { text: `pastwork: indexing ${status.index.done} of ${status.index.total}`, detail: `${exchanges(status)} exchanges so far`, busy: status.index.total >= 10 };
  }
  const agents = Object.values(status.agents).filter((agent) => agent.exchanges > 0).length;
  const pending = status.vectors.pending ? `, ${status.vectors.pending} waiting for their vector` : '';
  const paused = status.index.state === 'paused' ? ' (paused)' : '';
  return { text: `pastwork${paused}: ${exchanges(status)} past exchanges`, detail: `from ${counted(agents, 'agent')}${pending}`, busy: false };
}

/** A room as requests name it. */
export const roomName = (room: RoomCount): string => `${room.room_type}:${room.room_key}`;

/** The exchange id in `pastwork://exchange/<id>.md` or `.../<id>/<title>.md`, whatever slashes the editor made of it. */
export const exchangeId = (uri: string): string | undefined => /^pastwork:\/*exchange\/([0-9a-f]{16})(?:\.md|\/)/.exec(uri)?.[1];

/** A tab's name for an exchange: its headline without what a path can't hold, cut between words; what follows is `.md`. */
export function tabName(hit: Hit): string {
  return cut(headline(hit).replace(/[\p{C}\s\\/:*?"<>|#%]+/gu, ' ').trim(), 50).replace(/[\p{P}\p{S}\s]+$/u, '') || hit.id;
}

/** What the headline does not say already. */
export function context(hit: Hit): string {
  const bare = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim().toLowerCase();
  return bare(headline(hit)).includes(bare(hit.object.specific_context)) ? '' : oneLine(hit.object.specific_context);
}

/** At most so many characters, cut between words, and never within what is read as one. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const seen = [...new Intl.Segmenter().segment(text)].filter(({ index, segment }) => index + segment.length <= most).map(({ segment }) => segment).join('');
  return `${seen.replace(/ \S*$/, '')} …`;
}

/** The tool calls of a verbatim: [first, last] 0-based lines of each section; headings inside fences are none. */
export function toolSections(markdown: string): [number, number][] {
  const found: [number, number][] = [];
  let begin = -1;
  let fence = '';
  const lines = [...markdown.trimEnd().split('\n'), '', '# '];
  lines.forEach((line, index) => {
    const ticks = /^`{3,}/.exec(line)?.[0] ?? '';
    if (fence) fence = line.trimEnd() === fence ? '' : fence;
    else if (ticks) fence = ticks;
    else if (/^#{1,3} /.test(line)) {
      if (begin >= 0 && index - 2 > begin) found.push([begin, index - 2]);
      begin = line.startsWith('### ') ? index : -1;
    }
  });
  return found;
}

export interface Mention { line: number; start: number; end: number; path: string }

/** Where a verbatim's head and its tool headings name a touched file. */
export function mentions(markdown: string, paths: string[]): Mention[] {
  return markdown.split('\n').flatMap((text, line) => {
    if (!/^(?:Files: |### )/.test(text)) return [];
    return paths.flatMap((path) => {
      const start = text.indexOf(`\`${path}\``) + 1;
      return start ? [{ line, start, end: start + path.length, path }] : [];
    });
  });
}
