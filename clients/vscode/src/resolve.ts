/** Finds the server; pure: the machine is passed in. The order is documented in the README. */

import * as path from 'node:path';

export interface Machine {
  platform: NodeJS.Platform;
  home: string;
  env: Record<string, string | undefined>;
  /** Whether the file exists and may be run. */
  runnable(file: string): boolean;
}

export interface Found { command: string; from: 'setting' | 'python environment' | 'PATH' | 'tool folder' }
export interface Lookup { found: Found | undefined; tried: string[] }

/**
 * 1. the setting `pastwork.server.path`, 2. the active Python environment, 3. PATH, 4. the folders where
 * pipx and uv put tools. A setting that names nothing runnable ends the search: it was meant.
 */
export function resolveServer(machine: Machine, setting: string, python: string | undefined): Lookup {
  const tried: string[] = [];
  const probe = (file: string, from: Found['from']): Found | undefined => {
    tried.push(`${from}: ${file}`);
    return machine.runnable(file) ? { command: file, from } : undefined;
  };
  if (setting) return { found: probe(expand(setting, machine.home), 'setting'), tried };
  const name = machine.platform === 'win32' ? 'pastwork.exe' : 'pastwork';
  const flavour = machine.platform === 'win32' ? path.win32 : path.posix;
  const candidates: [string, Found['from']][] = [
    ...(python ? [[flavour.join(flavour.dirname(python), name), 'python environment'] as [string, Found['from']]] : []),
    ...(machine.env['VIRTUAL_ENV'] ? [[flavour.join(machine.env['VIRTUAL_ENV'], machine.platform === 'win32' ? 'Scripts' : 'bin', name), 'python environment'] as [string, Found['from']]] : []),
    ...pathFolders(machine, flavour).map((folder): [string, Found['from']] => [flavour.join(folder, name), 'PATH']),
    ...toolFolders(machine, flavour).map((folder): [string, Found['from']] => [flavour.join(folder, name), 'tool folder']),
  ];
  for (const [file, from] of candidates) {
    const found = probe(file, from);
    if (found) return { found, tried };
  }
  return { found: undefined, tried };
}

function pathFolders(machine: Machine, flavour: path.PlatformPath): string[] {
  return (machine.env['PATH'] ?? machine.env['Path'] ?? '').split(flavour.delimiter).filter((folder) => flavour.isAbsolute(folder));
}

function toolFolders(machine: Machine, flavour: path.PlatformPath): string[] {
  const own = [machine.env['PIPX_BIN_DIR'], machine.env['UV_TOOL_BIN_DIR']].filter((folder): folder is string => Boolean(folder));
  return [...own, flavour.join(machine.home, '.local', 'bin')];
}

function expand(setting: string, home: string): string {
  return setting.replace(/^~(?=[/\\]|$)/, home);
}
