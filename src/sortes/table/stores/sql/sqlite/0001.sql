-- A table is named once; its number is never given to another, so nothing of a deleted one can come back.
CREATE TABLE tables (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE
);

-- The log. A place is the table's id << 40 | the event's number: one tree in reading order, whose rows hold
-- up to 4 kB before they overflow (a key of two columns WITHOUT ROWID would at 1 kB). Only ever appended to.
-- What was appended under an idempotency key says so in its first event, with the number of its last.
CREATE TABLE events (
    place INTEGER PRIMARY KEY,
    data  BLOB NOT NULL,
    crc   INTEGER NOT NULL,
    last  INTEGER,
    key   TEXT
);
CREATE UNIQUE INDEX requests ON events (place >> 40, key) WHERE key IS NOT NULL;

-- The newest snapshot of each form of the fold.
CREATE TABLE snapshots (
    tab    INTEGER NOT NULL,
    form   TEXT NOT NULL,
    number INTEGER NOT NULL,
    data   BLOB NOT NULL,
    crc    INTEGER NOT NULL,
    PRIMARY KEY (tab, form)
);

-- House settings by digest, shared by all tables.
CREATE TABLE settings (
    digest TEXT PRIMARY KEY,
    data   BLOB NOT NULL,
    crc    INTEGER NOT NULL
);
