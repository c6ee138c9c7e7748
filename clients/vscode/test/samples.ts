import type { Hit } from '../src/shapes.ts';

export const NOW = Date.parse('2026-02-01T12:00:00Z');

export function hit(change: Partial<Hit> = {}): Hit {
  return {
    id: '0123456789abcdef', agent: 'codex', open: false, fix: false, started_at: '2026-01-11T12:00:00Z', workspace: '/w', prompt: 'make\n  it work',
    object: { exchange_core: 'Made it work', specific_context: '', files_touched: [] }, ...change,
  };
}

/** The same, with another headline. */
export function called(core: string, change: Partial<Hit> = {}): Hit {
  return hit({ object: { exchange_core: core, specific_context: '', files_touched: [] }, ...change });
}
