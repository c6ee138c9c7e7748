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
  const [name, scripts, flavour] = machine.platform === 'win32' ? ['pastwork.exe', 'Scripts', path.win32] as const : ['pastwork', 'bin', path.posix] as const;
  const folders: [string | undefined, Found['from']][] = [
    [python && flavour.dirname(python), 'python environment'],
    [machine.env['VIRTUAL_ENV'] && flavour.join(machine.env['VIRTUAL_ENV'], scripts), 'python environment'],
    ...pathFolders(machine, flavour).map((folder): [string, Found['from']] => [folder, 'PATH']),
    ...toolFolders(machine, flavour).map((folder): [string | undefined, Found['from']] => [folder, 'tool folder']),
  ];
  for (const [folder, from] of folders) {
    const found = folder && probe(flavour.join(folder, name), from);
    if (found) return { found, tried };
  }
  return { found: undefined, tried };
}

const pathFolders = ({ env }: Machine, flavour: path.PlatformPath): string[] => (env['PATH'] ?? env['Path'] ?? '').split(flavour.delimiter).filter((folder) => flavour.isAbsolute(folder));

const toolFolders = ({ env, home }: Machine, flavour: path.PlatformPath): (string | undefined)[] => [env['PIPX_BIN_DIR'], env['UV_TOOL_BIN_DIR'], env['XDG_BIN_HOME'], flavour.join(home, '.local', 'bin')];

const expand = (setting: string, home: string): string => setting.replace(/^~(?=[/\\]|$)/, home);
