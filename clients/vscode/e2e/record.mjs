/** Writes the figures of the last end-to-end run to bench/results/<date>-vscode.md, and its pictures to docs/images. */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT, SHOTS } from './stage.mjs';

const WORDS = {
  lens_after_first_answer_ms: ['lens visible after the server’s first answer, cold window', 1500],
  live_lens_ms: ['lens visible after an agent’s append to its transcript', 2000],
  keystroke_to_results_p50_ms: ['key to results in the list, median', undefined],
  keystroke_to_results_p95_ms: ['key to results in the list, 95th percentile', 150],
  activation_ms: ['the extension’s own code at activation', 100],
  five_megabytes_ms: ['key to the verbatim of an exchange of five megabytes', undefined],
  server_start_ms: ['server started to first answer', undefined],
};
const { date, load, passed, failed, second_tries: again, editor, browser, figures } = JSON.parse(fs.readFileSync(path.join(SHOTS, 'figures.json'), 'utf8'));
if (figures.slowness > 1.5) throw new Error(`the machine was ${figures.slowness} times slower than it is when nobody else uses it: no figures to keep`);
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
const rows = Object.entries(WORDS).map(([name, [words, limit]]) => `| ${words} | ${Math.round(figures[name] * 10) / 10} | ${limit ?? ''} |`);
const text = `# VS Code, end to end

\`make test-vscode\` on ${date}, commit ${commit}: ${passed} steps passed, ${again} of them at the second try, ${failed} failed.

${os.cpus()[0].model}, ${os.cpus().length} processors, ${Math.round(os.totalmem() / 2 ** 30)} GB, ${os.type()}; load averages before
and after the run: ${load.join(', ')}. ${editor}, ${browser}. The sample home of \`demo/\`, 10 exchanges; for the
first window of a stranger and the five megabytes, a thousand more.

| what (milliseconds) | measured | limit |
|---|---|---|
${rows.join('\n')}

A key's time runs from \`keydown\` in the browser to the last change of the list before it rests, over 51 keys typed one by
one, each after the list had come to rest. Of at most three cold windows and rounds of keys one has to keep the limit; these
are window ${figures.lens_rounds} and round ${figures.keystroke_rounds}.
`;
fs.writeFileSync(path.join(ROOT, 'bench/results', `${date}-vscode.md`), text);
const images = path.join(ROOT, 'docs/images');
fs.mkdirSync(images, { recursive: true });
for (const name of ['lens', 'hover', 'search', 'verbatim', 'compare', 'palace']) fs.copyFileSync(path.join(SHOTS, `${name}.png`), path.join(images, `vscode-${name}.png`));
