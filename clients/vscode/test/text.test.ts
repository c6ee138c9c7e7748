import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hit, Match, StatusAnswer } from '../src/shapes.ts';
import { age, byline, context, cut, exchangeId, files, headline, mentions, statusWords, tabName, tierWords, toolSections } from '../src/text.ts';
import { called, hit, NOW } from './samples.ts';

const AGES: [string | null, string][] = [
  [null, ''], ['nonsense', ''], ['2026-02-01T11:59:50Z', 'just now'], ['2026-02-01T11:59:00Z', '1 minute ago'], ['2026-02-01T09:00:00Z', '3 hours ago'],
  ['2026-01-31T11:00:00Z', '1 day ago'], ['2026-01-11T12:00:00Z', '3 weeks ago'], ['2025-12-01T12:00:00Z', '2 months ago'], ['2024-01-01T00:00:00Z', '2 years ago'],
  ['2030-01-01T00:00:00Z', 'just now'],
];
for (const [iso, want] of AGES) test(`age of ${iso}`, () => assert.equal(age(iso, NOW), want));

test('byline names agent, age and what is special', () => {
  assert.equal(byline(hit(), NOW), 'codex · 3 weeks ago');
  assert.equal(byline(hit({ fix: true, started_at: null }), NOW), 'codex · fix');
  assert.equal(byline(hit({ open: true, started_at: '2026-02-01T11:00:00Z' }), NOW), 'codex · 1 hour ago · still at work');
  assert.equal(byline(hit({ open: true }), NOW), 'codex · 3 weeks ago');
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
  [{ tier: 'line', lines: [[3, 5], [9, 9]], survival: 0.583 }, 'wrote lines 3-5, 9 · 58 % stands'],
  [{ tier: 'line', lines: [[3, 3]], survival: null }, 'wrote line 3'],
  [{ tier: 'symbol', lines: [], survival: null }, 'this function'],
  [{ tier: 'file', lines: [], survival: 0.1 }, 'this file'],
  [{ tier: 'file', lines: [], survival: 0, replaced_by: 'x' }, 'replaced since'],
  [{ tier: 'file', lines: [], survival: 0, replaced_by: 'x', undone: true }, 'undone since'],
];
for (const [match, want] of TIERS) test(`tier: ${want}`, () => assert.equal(tierWords({ hit: hit(), ...match } as Match), want));

test('status tells what is going on', () => {
  const status = (state: StatusAnswer['index']['state'], pending = 0, total = 90): StatusAnswer => ({
    agents: { codex: { exchanges: 7 }, aider: { exchanges: 0 } }, vectors: { ready: 0, pending }, index: { state, done: 3, total, finished_at: null },
  });
  assert.deepEqual(statusWords(status('running')), { text: 'pastwork: indexing 3 of 90', detail: '7 exchanges so far', busy: true });
  assert.deepEqual([statusWords(status('running', 0, 9)).busy, statusWords(status('running', 0, 9)).text], [false, 'pastwork: indexing 3 of 9'], 'an exchange that comes in moves nothing');
  assert.equal(statusWords(status('idle', 4)).detail, 'from 1 agent, 4 waiting for their vector');
  assert.equal(statusWords(status('paused')).text, 'pastwork (paused): 7 past exchanges');
});

test('exchange ids are read from any spelling of the address', () => {
  const known = ['pastwork://exchange/0123456789abcdef.md', 'pastwork:/exchange/0123456789abcdef.md', 'pastwork://exchange/0123456789abcdef/Made it work.md'];
  for (const uri of known) assert.equal(exchangeId(uri), '0123456789abcdef');
  for (const uri of ['file:///exchange/0123456789abcdef.md', 'pastwork://exchange/xyz.md', 'pastwork://written/a.py', 'pastwork://exchange/0123456789abcdef0.md', '']) assert.equal(exchangeId(uri), undefined);
});

const NAMES: [string, string][] = [
  ['Made it work', 'Made it work'],
  ['a/b\\c: "d" <e> #1 100% why?', 'a b c d e 1 100 why'],
  ['\u202egnp.exe\u0007', 'gnp.exe'],
  ['Bookings hang for ever when more than four people book at once', 'Bookings hang for ever when more than four people'],
  ['Prices must be in cents everywhere, as integers, no floats', 'Prices must be in cents everywhere, as integers'],
  ['Bookings hang… → The pool', 'Bookings hang… → The pool'],
  ['???', '0123456789abcdef'],
];
for (const [core, want] of NAMES) test(`tab name of ${JSON.stringify(core)}`, () => assert.equal(tabName(called(core)), want));

const DOCUMENT = `# Made it work

Files: \`src/a.py\` (edited), \`b.md\` (read)

## You

Make it work, as in \`src/a.py\`

### Edit \`src/a.py\`

\`\`\`diff
+### not a heading
+## nor this
\`\`\`

### Bash \`ls\`

Output:

\`\`\`\`text
\`\`\`
### not a heading either
\`\`\`\`

## Agent

Done.

### Bash \`true\`

### Bash \`tail\`

the end
`;

test('tool calls are sections up to the next heading outside of fences', () => {
  const lines = DOCUMENT.split('\n');
  const shown = toolSections(DOCUMENT).map(([first, last]) => [lines[first], lines[last]]);
  assert.deepEqual(shown, [['### Edit `src/a.py`', '```'], ['### Bash `ls`', '````'], ['### Bash `tail`', 'the end']]);
  assert.deepEqual(toolSections(''), []);
});

test('touched files are linked in the head and in tool headings only', () => {
  const lines = DOCUMENT.split('\n');
  const found = mentions(DOCUMENT, ['src/a.py', 'b.md', 'absent.py']);
  assert.deepEqual(found.map(({ line, path }) => [line, path]), [[2, 'src/a.py'], [2, 'b.md'], [8, 'src/a.py']]);
  for (const { line, start, end, path } of found) assert.equal(lines[line]?.slice(start, end), path);
});

test('long text is cut between words, and one long word anywhere', () => {
  assert.equal(cut('short', 10), 'short');
  assert.equal(cut('one two three four', 10), 'one two …');
  assert.equal(cut('x'.repeat(20), 10), 'xxxxxxxxxx …');
  assert.equal(cut('👩‍💻'.repeat(4), 12), '👩‍💻👩‍💻 …');
  assert.equal(cut(`12345678${'e\u0301'.repeat(9)}`, 9), '12345678 …');
});

test('the context is told where the headline does not say it already', () => {
  const said = (exchange_core: string, specific_context: string): string => context(hit({ object: { exchange_core, specific_context, files_touched: [] } }));
  assert.equal(said('The pool waits for ever', 'in  the\nqueue'), 'in the queue');
  assert.equal(said('Pool takes settings.SIZE → done', '`Pool` takes `settings.SIZE`'), '');
  assert.equal(said('Anything', ''), '');
});
