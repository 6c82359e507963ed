-- A table is named once; its number is never given to another, so nothing of a deleted one can come back.
CREATE TABLE sortes_table (
    id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE
);

-- The log, only ever appended to. Its key is what makes one of two racers lose. What was appended under an
-- idempotency key says so in its first event, with the number of its last: one row fewer to write.
-- No foreign key: each append locks its table's row itself, which is the same for a third of the time.
CREATE TABLE sortes_event (
    tab    bigint NOT NULL,
    number bigint NOT NULL,
    last   bigint,
    key    text COLLATE "C",
    data   bytea NOT NULL,
    PRIMARY KEY (tab, number)
);
CREATE UNIQUE INDEX sortes_event_request ON sortes_event (tab, key) WHERE key IS NOT NULL;

-- The newest snapshot of each form of the fold.
CREATE TABLE sortes_snapshot (
    tab    bigint NOT NULL REFERENCES sortes_table ON DELETE CASCADE,
    form   text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    data   bytea NOT NULL,
    PRIMARY KEY (tab, form)
);

-- House settings by digest, shared by all tables.
CREATE TABLE sortes_settings (
    digest text COLLATE "C" PRIMARY KEY,
    data   bytea NOT NULL
);
