-- A table is named once; its number is never given to another, so nothing of a deleted one can come back.
CREATE TABLE sortes_table (
    id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE
);

-- The log, only ever appended to. The key is what makes one of two racers lose.
CREATE TABLE sortes_event (
    tab    bigint NOT NULL REFERENCES sortes_table ON DELETE CASCADE,
    number bigint NOT NULL,
    data   bytea NOT NULL,
    PRIMARY KEY (tab, number)
);

-- What was appended under an idempotency key.
CREATE TABLE sortes_request (
    tab   bigint NOT NULL REFERENCES sortes_table ON DELETE CASCADE,
    key   text COLLATE "C" NOT NULL,
    first bigint NOT NULL,
    last  bigint NOT NULL,
    PRIMARY KEY (tab, key)
);

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
