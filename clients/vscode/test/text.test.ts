import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hit, Match, StatusAnswer } from '../src/shapes.ts';
import { age, byline, exchangeId, files, headline, statusWords, tierWords } from '../src/text.ts';

const NOW = Date.parse('2026-02-01T12:00:00Z');

function hit(change: Partial<Hit> = {}): Hit {
  return {
    id: '0123456789abcdef', score: 1, agent: 'codex', session_id: 's', turn: 1, title: '', open: false, fix: false,
    started_at: '2026-01-11T12:00:00Z', workspace: '/w', prompt: 'make\n  it work', snippet: { text: '', marks: [] },
    object: { exchange_core: 'Made it work', specific_context: '', room_assignments: [], files_touched: [] }, ...change,
  };
}

const AGES: [string | null, string][] = [
  [null, ''], ['nonsense', ''], ['2026-02-01T11:59:50Z', 'just now'], ['2026-02-01T11:59:00Z', '1 minute ago'], ['2026-02-01T09:00:00Z', '3 hours ago'],
  ['2026-01-31T11:00:00Z', '1 day ago'], ['2026-01-11T12:00:00Z', '3 weeks ago'], ['2025-12-01T12:00:00Z', '2 months ago'], ['2024-01-01T00:00:00Z', '2 years ago'],
  ['2030-01-01T00:00:00Z', 'just now'],
];
for (const [iso, want] of AGES) test(`age of ${iso}`, () => assert.equal(age(iso, NOW), want));

test('byline names agent, age and what is special', () => {
  assert.equal(byline(hit(), NOW), 'codex · 3 weeks ago');
  assert.equal(byline(hit({ fix: true, open: true, started_at: null }), NOW), 'codex · fix · still at work');
});

test('headline falls back to the prompt in one line', () => {
  assert.equal(headline(hit()), 'Made it work');
  assert.equal(headline(hit({ object: { ...hit().object, exchange_core: '' } })), 'make it work');
  assert.equal(headline(hit({ prompt: ' ', object: { ...hit().object, exchange_core: '' } })), '(empty prompt)');
});

test('files prefers those that were written, and says how many more', () => {
  const touched = (...names: string[]): Hit => hit({ object: { ...hit().object, files_touched: names.map((name) => ({ path: name, action: name.startsWith('r') ? 'read' : 'edited' })) } });
  assert.equal(files(touched('r1', 'a', 'b')), 'a, b');
  assert.equal(files(touched('r1')), 'r1');
  assert.equal(files(touched('a', 'b', 'c', 'd', 'e')), 'a, b, c and 2 more');
  assert.equal(files(hit()), '');
});

const TIERS: [Partial<Match>, string][] = [
  [{ tier: 'line', lines: [[3, 5], [9, 9]], survival: 0.583 }, 'wrote line 3-5, 9 · 58 % stands'],
  [{ tier: 'line', lines: [[3, 3]], survival: null }, 'wrote line 3'],
  [{ tier: 'symbol', lines: [], survival: null }, 'this function'],
  [{ tier: 'file', lines: [], survival: 0.1 }, 'this file'],
];
for (const [match, want] of TIERS) test(`tier: ${want}`, () => assert.equal(tierWords({ hit: hit(), ...match } as Match), want));

test('status tells what is going on', () => {
  const status = (state: StatusAnswer['index']['state'], pending = 0): StatusAnswer => ({
    agents: { codex: { sessions: 1, exchanges: 7, expiring: 0, skipped: [] } }, vectors: { ready: 0, pending }, index: { state, done: 3, total: 9, finished_at: null },
  });
  assert.deepEqual(statusWords(status('running')), { text: 'pastwork: indexing 3 of 9', detail: '7 exchanges so far', busy: true });
  assert.equal(statusWords(status('idle', 4)).detail, '1 agents, 4 waiting for their vector');
  assert.equal(statusWords(status('paused')).text, 'pastwork (paused): 7 past exchanges');
});

test('exchange ids are read from any spelling of the address', () => {
  for (const uri of ['pastwork://exchange/0123456789abcdef.md', 'pastwork:/exchange/0123456789abcdef.md']) assert.equal(exchangeId(uri), '0123456789abcdef');
  for (const uri of ['file:///exchange/0123456789abcdef.md', 'pastwork://exchange/xyz.md', '']) assert.equal(exchangeId(uri), undefined);
});
