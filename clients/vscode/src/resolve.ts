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
  const scripts = machine.platform === 'win32' ? 'Scripts' : 'bin';
  const folders: [string | undefined, Found['from']][] = [
    [python && flavour.dirname(python), 'python environment'],
    [machine.env['VIRTUAL_ENV'] && flavour.join(machine.env['VIRTUAL_ENV'], scripts), 'python environment'],
    ...pathFolders(machine, flavour).map((folder): [string, Found['from']] => [folder, 'PATH']),
    ...toolFolders(machine, flavour).map((folder): [string, Found['from']] => [folder, 'tool folder']),
  ];
  for (const [folder, from] of folders) {
    const found = folder && probe(flavour.join(folder, name), from);
    if (found) return { found, tried };
  }
  return { found: undefined, tried };
}

function pathFolders(machine: Machine, flavour: path.PlatformPath): string[] {
  return (machine.env['PATH'] ?? machine.env['Path'] ?? '').split(flavour.delimiter).filter((folder) => flavour.isAbsolute(folder));
}

function toolFolders(machine: Machine, flavour: path.PlatformPath): string[] {
  const own = [machine.env['PIPX_BIN_DIR'], machine.env['UV_TOOL_BIN_DIR'], machine.env['XDG_BIN_HOME']].filter((folder): folder is string => Boolean(folder));
  return [...own, flavour.join(machine.home, '.local', 'bin')];
}

const expand = (setting: string, home: string): string => setting.replace(/^~(?=[/\\]|$)/, home);
