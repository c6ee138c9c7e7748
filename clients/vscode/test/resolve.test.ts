import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveServer, type Machine } from '../src/resolve.ts';

function machine(files: string[], env: Record<string, string> = {}, platform: NodeJS.Platform = 'linux'): Machine {
  return { platform, home: platform === 'win32' ? 'C:\\Users\\me' : '/home/me', env, runnable: (file) => files.includes(file) };
}

const CASES: { name: string; files: string[]; env?: Record<string, string>; setting?: string; python?: string; platform?: NodeJS.Platform; want: string | undefined }[] = [
  { name: 'the setting wins over everything', files: ['/opt/p', '/v/bin/pastwork', '/usr/bin/pastwork'], setting: '/opt/p', python: '/v/bin/python', env: { PATH: '/usr/bin' }, want: 'setting /opt/p' },
  { name: 'a setting that names nothing ends the search', files: ['/usr/bin/pastwork'], setting: '/opt/p', env: { PATH: '/usr/bin' }, want: undefined },
  { name: 'a tilde in the setting is the home folder', files: ['/home/me/bin/p'], setting: '~/bin/p', want: 'setting /home/me/bin/p' },
  { name: 'the chosen Python environment comes before PATH', files: ['/v/bin/pastwork', '/usr/bin/pastwork'], python: '/v/bin/python', env: { PATH: '/usr/bin' }, want: 'python environment /v/bin/pastwork' },
  { name: 'an activated environment counts too', files: ['/act/bin/pastwork'], env: { VIRTUAL_ENV: '/act' }, want: 'python environment /act/bin/pastwork' },
  { name: 'PATH in its own order', files: ['/b/pastwork', '/a/pastwork'], env: { PATH: '/a:/b' }, want: 'PATH /a/pastwork' },
  { name: 'relative folders in PATH are never searched', files: ['pastwork', './pastwork', 'bin/pastwork'], env: { PATH: '.:bin:' }, want: undefined },
  { name: 'pipx and uv put tools here', files: ['/home/me/.local/bin/pastwork'], env: { PATH: '/usr/bin' }, want: 'tool folder /home/me/.local/bin/pastwork' },
  { name: 'a moved pipx folder', files: ['/pipx/pastwork'], env: { PIPX_BIN_DIR: '/pipx' }, want: 'tool folder /pipx/pastwork' },
  { name: 'Windows names and separators', files: ['D:\\tools\\pastwork.exe'], env: { Path: 'C:\\Windows;D:\\tools' }, platform: 'win32', want: 'PATH D:\\tools\\pastwork.exe' },
  { name: 'nothing anywhere', files: [], env: { PATH: '/usr/bin' }, want: undefined },
];

for (const { name, files, env, setting, python, platform, want } of CASES) {
  test(`server resolution: ${name}`, () => {
    const { found, tried } = resolveServer(machine(files, env, platform), setting ?? '', python);
    assert.equal(found && `${found.from} ${found.command}`, want);
    assert.ok(tried.length > 0, 'what was tried is told, so that the log explains a miss');
  });
}
