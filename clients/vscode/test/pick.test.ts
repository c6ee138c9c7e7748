import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerRows, hitRow, LatestQuery, pickTitle } from '../src/pick.ts';
import type { SearchAnswer } from '../src/shapes.ts';
import { called, hit, NOW } from './samples.ts';

function answer(change: Partial<SearchAnswer> = {}): SearchAnswer {
  return { query: 'pool', mode: 'cross', scope: 'workspace', took_ms: 1, total: 2, notes: [], hits: [called('Second'), called('First')], ...change };
}

test('rows stay in the order of the server and show what was asked, by whom, when, where', () => {
  const rows = answerRows(answer(), 'workspace', NOW);
  assert.deepEqual(rows.map((row) => row.label), ['$(comment-discussion) Second', '$(comment-discussion) First']);
  const [row] = answerRows(answer({ hits: [hit({ fix: true, object: { exchange_core: 'Core', specific_context: 'in  the\npool', files_touched: [{ path: 'a.py', action: 'edited' }] } })] }), 'all', NOW);
  assert.deepEqual({ ...row, hit: undefined }, { label: '$(wrench) Core', detail: 'codex · 3 weeks ago · fix · a.py — in the pool', alwaysShow: true, hit: undefined });
});

test('hits of one session are told and stay where the server ranked them', () => {
  const hits = [called('First'), called('Second', { session_note: '↳ same session' }), called('Third', { session_note: 'same session as “$(x) First”' })];
  const rows = answerRows(answer({ hits }), 'workspace', NOW);
  assert.deepEqual(rows.map((row) => row.detail), ['codex · 3 weeks ago', '↳ same session · codex · 3 weeks ago', 'same session as “\\$(x) First” · codex · 3 weeks ago']);
});

test('what was typed filters no row of an answer, but does filter a history', () => {
  assert.ok(answerRows(answer({ notes: ['vectors: 1 of 2 exchanges ready'] }), 'all', NOW).every((row) => row.alwaysShow));
  assert.equal(hitRow(hit(), NOW, 'wrote line 3').alwaysShow, undefined);
  assert.equal(hitRow(hit(), NOW, 'wrote line 3').detail, 'wrote line 3 · codex · 3 weeks ago');
});

test('icons are ours: text of a transcript draws none', () => {
  assert.equal(hitRow(called('$(sync~spin) $(x)'), NOW).label, '$(comment-discussion) \\$(sync~spin) \\$(x)');
});

const SAID: [SearchAnswer | Error, 'workspace' | 'all', string[]][] = [
  [answer({ hits: [] }), 'workspace', ['Nothing found', 'Try all work (the folder button above), or other words']],
  [answer({ hits: [], query: ' ' }), 'all', ['No past work here yet', 'Try other words, or look at pastwork: Status']],
  [new Error('the pastwork server is not running'), 'all', ['$(warning) the pastwork server is not running']],
  [answer({ hits: [], notes: ['no model'] }), 'workspace', ['Nothing found', 'Try all work (the folder button above), or other words', '$(info) no model']],
];
for (const [given, scope, want] of SAID) test(`an answer without hits says so: ${want.join(' / ')}`, () => {
  assert.deepEqual(answerRows(given, scope, NOW).flatMap((row) => [row.label, row.detail].filter(Boolean)), want);
});

test('the title tells scope, agent and count', () => {
  assert.equal(pickTitle({ scope: 'workspace', agent: undefined }), 'Past work in this workspace');
  assert.equal(pickTitle({ scope: 'all', agent: 'codex' }, { total: 12, notes: [] }), 'Past work anywhere by codex · 12 found');
  assert.equal(pickTitle({ scope: 'all', agent: undefined }, { total: 2, notes: ['no model', 'old'] }), 'Past work anywhere · 2 found · no model');
});

interface Asked { query: string; signal: AbortSignal; answer: (text: string) => void; fail: (error: unknown) => void }

function asking(): { asked: Asked[]; latest: LatestQuery<string> } {
  const asked: Asked[] = [];
  const latest = new LatestQuery<string>((query, signal) => new Promise((answer, fail) => { asked.push({ query, signal, answer, fail }); }));
  return { asked, latest };
}

const pause = (ms = 5): Promise<void> => new Promise((resolve) => { setTimeout(resolve, ms); });

test('the first key is asked at once, keys typed while an answer is due are one query', async () => {
  const { asked, latest } = asking();
  latest.query('p', () => undefined);
  await pause();
  for (const text of ['po', 'poo', 'pool']) latest.query(text, () => undefined);
  await pause(60);
  assert.deepEqual(asked.map(({ query }) => query), ['p', 'pool']);
  asked[1]?.answer('two');
  await pause();
  latest.query('pools', () => undefined);
  await pause();
  assert.equal(asked.at(-1)?.query, 'pools');
});

test('the newest query wins, whichever answer comes first, and the older one is aborted', async () => {
  const { asked, latest } = asking();
  const shown: unknown[] = [];
  latest.query('po', (text) => shown.push(text));
  await pause(40);
  latest.query('pool', (text) => shown.push(text));
  await pause(40);
  assert.deepEqual(asked.map(({ signal }) => signal.aborted), [true, false]);
  asked[1]?.answer('new');
  asked[0]?.answer('old');
  await pause();
  assert.deepEqual(shown, ['new']);
});

test('an error of the newest query is shown, of an older one it is not', async () => {
  const { asked, latest } = asking();
  const shown: unknown[] = [];
  latest.query('a', (text) => shown.push(text));
  await pause(40);
  latest.query('b', (text) => shown.push(text));
  await pause(40);
  asked[0]?.fail(new Error('cancelled'));
  asked[1]?.fail('no server');
  await pause();
  assert.deepEqual(shown, [new Error('no server')]);
});

test('after cancel nothing is asked or shown', async () => {
  const { asked, latest } = asking();
  const shown: unknown[] = [];
  latest.query('a', (text) => shown.push(text));
  await pause(40);
  latest.cancel();
  asked[0]?.answer('late');
  latest.query('b', (text) => shown.push(text));
  latest.cancel();
  await pause(20);
  assert.deepEqual([asked.length, shown], [1, []]);
});
