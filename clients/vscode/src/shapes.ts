/** The server's answers, as the contract states them (only the fields that are rendered here). */
export interface Touched { path: string; action: 'edited' | 'created' | 'deleted' | 'read' | 'mentioned' }
export interface PalaceObject { exchange_core: string; specific_context: string; files_touched: Touched[] }

export interface Hit {
  id: string;
  agent: string;
  open: boolean; fix: boolean;
  session_note?: string;
  started_at: string | null;
  workspace: string | null;
  prompt: string;
  object: PalaceObject;
}

export interface SearchAnswer { query: string; mode: string; scope: string; took_ms: number; total: number; notes: string[]; hits: Hit[] }
export interface Match { tier: 'line' | 'symbol' | 'file'; lines: [number, number][]; survival: number | null; hit: Hit; replaced_by?: string | null; undone?: boolean }
export interface HistoryAnswer { file: string; line: number | null; matches: Match[]; silence: string | null }
export interface BlameAnswer { file: string; lines: { line: number; exchange_id: string; session_id: string }[] }
export interface RoomCount { room_type: 'file' | 'concept' | 'workflow'; room_key: string; room_label: string; exchanges: number; last: string | null }
export interface RoomsAnswer { rooms: RoomCount[]; notes?: string[] }
export interface RoomAnswer { room: RoomCount; hits: Hit[]; notes?: string[] }
export interface ExchangeAnswer { id: string; hit: Hit; markdown: string; source: { path: string; present: boolean }; previous: string | null; next: string | null; resume: string | null }

export interface StatusAnswer {
  agents: Record<string, { exchanges: number }>;
  vectors: { ready: number; pending: number };
  index: { state: 'idle' | 'running' | 'paused'; done: number; total: number; finished_at: string | null };
  notes?: string[];
}
export interface TouchedAnswer { id: string; files: (Touched & { today: string | null })[] }
export interface Written { file: string; text: string; note: string | null }
