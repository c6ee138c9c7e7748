/** Packs the .vsix. The README goes in without its pictures: VS Code shows none that lie on this disk. */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const LIMIT = 300_000;
const root = path.resolve(import.meta.dirname, '..');
const vsix = path.join(root, 'pastwork.vsix');
const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8');
fs.writeFileSync(path.join(root, 'dist/README.md'), readme.replace(/^!\[.*\]\(.*\)\n\n/gm, ''));
fs.copyFileSync(path.join(root, '../../LICENSE'), path.join(root, 'LICENSE'));
const vsce = path.join(root, 'node_modules/@vscode/vsce/vsce');
const words = ['package', '--no-dependencies', '--allow-missing-repository', '--readme-path', 'dist/README.md', '-o', vsix];
execFileSync(process.execPath, [vsce, ...words], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
const { size } = fs.statSync(vsix);
console.log(`clients/vscode/pastwork.vsix: ${Math.round(size / 1000)} kB`);
if (size > LIMIT) throw new Error(`the package is too large: ${size} bytes, ${LIMIT} are the limit`);
