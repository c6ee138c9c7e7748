"""The tables of the store, by version.

``PRAGMA user_version`` holds the schema's version and ``application_id`` says the file is ours.
``MIGRATIONS[n]`` brings version n to n + 1; version 0 is an empty file. Once released, a migration
is never edited: a change is a further one.
"""

from __future__ import annotations

import sqlite3

#: "pwrk": what ``file`` and a doctor may look for at byte 68.
APPLICATION_ID = 0x7077726B

_FIRST = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY) WITHOUT ROWID;

-- What the sync found out about an agent: where it looked, how the reader was proven, days until clean-up.
CREATE TABLE agent (
    agent TEXT PRIMARY KEY, roots TEXT NOT NULL, proof TEXT NOT NULL, keep_days INTEGER
) WITHOUT ROWID;

-- One transcript and how far it has been read. The path is the file system's bytes.
CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL, path BLOB NOT NULL,
    size INTEGER NOT NULL DEFAULT 0, mtime_ns INTEGER NOT NULL DEFAULT 0, stamp BLOB NOT NULL DEFAULT x'',
    offset INTEGER NOT NULL DEFAULT 0, carry BLOB NOT NULL DEFAULT x'',
    done INTEGER NOT NULL DEFAULT 0, gone_at TEXT,
    UNIQUE (agent, path)
);
CREATE TABLE problem (
    source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
    path BLOB NOT NULL, offset INTEGER NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (source_id, path, offset, reason)
) WITHOUT ROWID;

CREATE TABLE session (
    agent TEXT NOT NULL, id TEXT NOT NULL,
    title TEXT NOT NULL DEFAULT '', workspace TEXT, parent_id TEXT, started_at TEXT,
    PRIMARY KEY (agent, id)
) WITHOUT ROWID;

-- The exchange as shown: its best carrier (see carriers.py). content tells readings apart, place and
-- stood are workspace and cwd in comparable spelling, recipe says which distillation the rest is of.
-- Rows are never used twice: caches outside may know one that was forgotten.
CREATE TABLE exchange (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    agent TEXT NOT NULL, session_id TEXT NOT NULL, turn INTEGER NOT NULL,
    prompt TEXT NOT NULL,
    started_at TEXT, ended_at TEXT, time_source TEXT NOT NULL,
    workspace TEXT, cwd TEXT, branch TEXT, model TEXT,
    open INTEGER NOT NULL, fix INTEGER NOT NULL,
    tokens_verbatim INTEGER NOT NULL, tokens_distilled INTEGER NOT NULL,
    place TEXT, stood TEXT,
    recipe TEXT NOT NULL DEFAULT '',
    source_id INTEGER NOT NULL REFERENCES source (id),
    content BLOB NOT NULL
);
CREATE INDEX exchange_place ON exchange (place);
CREATE INDEX exchange_stood ON exchange (stood);
CREATE INDEX exchange_started ON exchange (started_at);
CREATE INDEX exchange_session ON exchange (agent, session_id, turn);
CREATE INDEX exchange_source ON exchange (source_id);
CREATE INDEX exchange_recipe ON exchange (recipe);

-- Every place an exchange was found in, under every id it goes by there.
CREATE TABLE carrier (
    id TEXT NOT NULL, source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
    row INTEGER NOT NULL REFERENCES exchange (row) ON DELETE CASCADE,
    twin TEXT, agent TEXT NOT NULL, session_id TEXT NOT NULL, turn INTEGER NOT NULL,
    rank INTEGER NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (id, source_id)
) WITHOUT ROWID;
CREATE INDEX carrier_row ON carrier (row);
CREATE INDEX carrier_twin ON carrier (twin) WHERE twin IS NOT NULL;
CREATE INDEX carrier_session ON carrier (agent, session_id, turn);
CREATE INDEX carrier_source ON carrier (source_id);

CREATE TABLE verbatim (
    row INTEGER PRIMARY KEY REFERENCES exchange (row) ON DELETE CASCADE, data BLOB NOT NULL
);
-- Masked text that keywords are looked for in; passages are read from it.
CREATE TABLE searched (
    row INTEGER PRIMARY KEY REFERENCES exchange (row) ON DELETE CASCADE, data BLOB NOT NULL
);
CREATE TABLE edit (
    id INTEGER PRIMARY KEY,
    row INTEGER NOT NULL REFERENCES exchange (row) ON DELETE CASCADE, seq INTEGER NOT NULL,
    path TEXT NOT NULL, relative TEXT, base TEXT NOT NULL, previous_path TEXT,
    action TEXT NOT NULL, evidence TEXT NOT NULL, time TEXT, tool_id TEXT,
    at_ms INTEGER NOT NULL, hunks BLOB,
    UNIQUE (row, seq)
);
CREATE INDEX edit_path ON edit (path);
CREATE INDEX edit_relative ON edit (relative);
CREATE TABLE file_touch (
    row INTEGER NOT NULL REFERENCES exchange (row) ON DELETE CASCADE,
    path TEXT NOT NULL, relative TEXT, base TEXT NOT NULL, action TEXT NOT NULL,
    PRIMARY KEY (row, path)
) WITHOUT ROWID;
CREATE INDEX file_touch_path ON file_touch (path);
CREATE INDEX file_touch_relative ON file_touch (relative);
CREATE INDEX file_touch_base ON file_touch (base);

-- terms: key terms, embedded with core and context. tried: the distiller that last failed at it.
CREATE TABLE object (
    row INTEGER PRIMARY KEY REFERENCES exchange (row) ON DELETE CASCADE,
    core TEXT NOT NULL, context TEXT NOT NULL, distilled_by TEXT NOT NULL, terms TEXT NOT NULL DEFAULT '',
    tried TEXT NOT NULL DEFAULT ''
);
CREATE TABLE room (
    row INTEGER NOT NULL REFERENCES exchange (row) ON DELETE CASCADE, place INTEGER NOT NULL,
    room_type TEXT NOT NULL, room_key TEXT NOT NULL, room_label TEXT NOT NULL, relevance REAL NOT NULL,
    PRIMARY KEY (row, place)
) WITHOUT ROWID;
CREATE INDEX room_key ON room (room_key, room_type);
-- msgpack of the rooms an exchange proposes
CREATE TABLE candidate (
    row INTEGER PRIMARY KEY REFERENCES exchange (row) ON DELETE CASCADE, data BLOB NOT NULL
);

-- data: little-endian float16, see vectors.py; crc: of data. A replaced vector gets a new, greater id,
-- so that who holds the vectors in memory reads only what came since.
CREATE TABLE vector (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    row INTEGER NOT NULL REFERENCES exchange (row) ON DELETE CASCADE, recipe TEXT NOT NULL,
    crc INTEGER NOT NULL, data BLOB NOT NULL,
    UNIQUE (recipe, row)
);
CREATE INDEX vector_row ON vector (row);

-- Forgotten for good: exchange ids and twins (hashes), and agent + session ids.
CREATE TABLE tombstone (kind TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, value)) WITHOUT ROWID;

INSERT INTO meta (key, value) VALUES ('generation', 1), ('content', 1);
"""

MIGRATIONS: tuple[str, ...] = (_FIRST,)

#: The version this program writes.
VERSION = len(MIGRATIONS)


def version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, migrations: tuple[str, ...] = MIGRATIONS) -> None:
    """Brings an older (or empty) store to the newest version, each step whole or not at all."""
    for step in range(version(connection), len(migrations)):
        with connection:  # commits in the end, or rolls back
            connection.execute("BEGIN IMMEDIATE")
            for statement in _statements(migrations[step]):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {step + 1}")


def _statements(script: str) -> list[str]:
    """One statement at a time: ``executescript`` would commit on its own."""
    statements, pending = [], ""
    for line in script.splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements
