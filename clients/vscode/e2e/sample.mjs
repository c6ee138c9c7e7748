/** The sample home's transcripts, read and continued. */

import fs from 'node:fs';
import path from 'node:path';

/** What the exchange whose prompt matches tells: its prompt, its answers and the commands it ran, as they stand in the transcript. */
export function told(place, prompt) {
  const file = transcripts(place).find((name) => prompt.test(fs.readFileSync(name, 'utf8')));
  const found = [];
  let inside = false;
  for (const row of rows(file)) {
    const { content } = row.message ?? {};
    if (typeof content === 'string') inside = prompt.test(content);
    if (!inside || !content) continue;
    if (typeof content === 'string') found.push(content);
    else for (const block of content) found.push(...[block.text, block.input?.command, block.type === 'tool_result' ? block.content : undefined].filter(Boolean));
  }
  return found.flatMap((text) => text.split('\n')).filter((line) => line.trim() && !/^\(file content\)|has been updated/.test(line));
}

/** An agent at work: one more exchange at the end of the newest Claude Code transcript, with hostile text in it. */
export function appendExchange(place, name) {
  const file = transcripts(place).sort((a, b) => fs.statSync(b).mtimeMs - fs.statSync(a).mtimeMs)[0];
  const last = rows(file).filter((row) => row.type === 'assistant').at(-1);
  const base = { ...last, timestamp: new Date().toISOString(), message: undefined, toolUseResult: undefined };
  const target = path.join(place.workspace, name);
  const mark = `e2e-${Date.now()}`;
  const hostile = 'grenadine $(sync~spin) <img src="http://evil.example/x.png"> ![x](http://evil.example/y.png) [run](command:workbench.action.quit) '
    + '<script src="http://evil.example/evil.js"></script> \u001b]8;;http://evil.example\u0007\u202e';
  const patch = { filePath: target, structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: [' """The sign-in token, refreshed by one caller at a time."""', '+# grenadine constant for the retry'] }] };
  const more = [
    { ...base, type: 'user', uuid: `${mark}-1`, message: { role: 'user', content: `Add the grenadine constant ${hostile}` } },
    { ...base, type: 'assistant', uuid: `${mark}-2`, message: { id: `${mark}-m1`, role: 'assistant', model: 'm', content: [{ type: 'tool_use', id: mark, name: 'Edit', input: { file_path: target, old_string: 'a', new_string: 'b' } }] } },
    { ...base, type: 'user', uuid: `${mark}-3`, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: mark, content: 'updated' }] }, toolUseResult: patch },
    { ...base, type: 'assistant', uuid: `${mark}-4`, message: { id: `${mark}-m2`, role: 'assistant', model: 'm', content: [{ type: 'text', text: `Added the grenadine constant. ${hostile}` }] } },
  ];
  fs.appendFileSync(file, more.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** A long past before the server is first started: a thousand exchanges on one file, letters from everywhere, and megabytes. */
export function writeLongPast(place) {
  const folder = path.join(place.home, '.claude/projects/-long');
  const base = { cwd: place.workspace, version: '2.0', gitBranch: 'main' };
  let said = [];
  const session = () => `long-${fs.readdirSync(folder).length}`;
  const end = () => {
    fs.writeFileSync(path.join(folder, `${session()}.jsonl`), said.map((row) => `${JSON.stringify(row)}\n`).join(''));
    said = [];
  };
  fs.mkdirSync(folder, { recursive: true });
  const say = (ago, prompt, answer, file) => {
    const row = (type, content, more) => said.push({ ...base, sessionId: session(), type, uuid: `${session()}-${said.length}`, timestamp: new Date(Date.now() - ago * 3600e3).toISOString(), message: { id: `m-${session()}-${said.length}`, role: type, model: 'm', content }, ...more });
    row('user', prompt);
    if (file) row('assistant', [{ type: 'tool_use', id: `t${said.length}`, name: 'Edit', input: { file_path: path.join(place.workspace, file), old_string: 'a', new_string: `gauge_${ago}` } }]);
    if (file) row('user', [{ type: 'tool_result', tool_use_id: `t${said.length - 1}`, content: 'ok' }]);
    row('assistant', [{ type: 'text', text: answer }]);
  };
  for (let ago = 1140; ago > 100; ago -= 1) {
    say(ago, `Adjust the harbour gauge number ${ago} in the marmalade module`, `Gauge ${ago} of the harbour is adjusted now.`, 'ferryline/settings.py');
    if (ago % 13 === 0) end();
  }
  say(5, `צריך לתקן את לוח הזמנים \u{1f469}\u200d\u{1f4bb} كيف حالك ${'\u{1f600}'.repeat(200)}`, 'תוקן');
  say(4, `Pelican ${'with many words, '.repeat(4000)}`, 'Read.');
  say(3, 'Print the walrus log whole', `walrus\n${'0123456789 walrus abcdefghij klmnopqrst\n'.repeat(130_000)}`);
  end();
}

function transcripts(place) {
  const folder = path.join(place.home, '.claude/projects');
  return fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.jsonl')).map((name) => path.join(folder, name));
}

function rows(file) {
  return fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
}
