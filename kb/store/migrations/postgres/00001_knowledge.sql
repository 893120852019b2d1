-- +goose Up
-- The same tables as of SQLite, in PostgreSQL's types. Text that is compared or
-- ordered is so by bytes, as there.
--
-- Days are YYYY-MM-DD or '', moments are microseconds since 1970 UTC, lists are JSON.

CREATE TABLE documents (
    id     TEXT COLLATE "C" PRIMARY KEY,
    newest BIGINT NOT NULL,          -- version
    origin TEXT NOT NULL           -- ROOT//PATH of the file it came from, or ''
);

CREATE TABLE versions (
    id            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id   TEXT COLLATE "C" NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    version       BIGINT NOT NULL,
    collection    TEXT NOT NULL,
    title         TEXT NOT NULL,
    text          TEXT NOT NULL,   -- exactly as ingested
    media_type    TEXT NOT NULL,
    source        TEXT NOT NULL,
    domain        TEXT NOT NULL,
    authority     DOUBLE PRECISION,               -- 0..10, NULL = unknown
    published_at  TEXT NOT NULL,
    valid_from    TEXT COLLATE "C" NOT NULL,
    valid_to      TEXT COLLATE "C" NOT NULL,
    supersedes    TEXT NOT NULL,
    readers       TEXT NOT NULL,
    ingested_at   BIGINT NOT NULL,
    replaced_by   BIGINT NOT NULL DEFAULT 0,  -- version of the same document, 0 = none
    superseded_by TEXT NOT NULL DEFAULT '', -- id@version
    given         BYTEA NOT NULL,   -- SHA-256 of text and fields as they were put
    content       BYTEA NOT NULL,   -- SHA-256 of text and fields as they are stored
    UNIQUE (document_id, version)
);

-- What a version says it supersedes, also where the target is not there yet.
CREATE TABLE supersessions (
    version_id     BIGINT NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
    target         TEXT COLLATE "C" NOT NULL,  -- as written
    target_id      TEXT COLLATE "C" NOT NULL,  -- id of id@version, '' where written without version
    target_version BIGINT NOT NULL,  -- version of id@version
    PRIMARY KEY (version_id, target)
);
CREATE INDEX supersessions_target ON supersessions (target);
CREATE INDEX supersessions_target_id ON supersessions (target_id) WHERE target_id <> '';

-- The text of a chunk is the version's text[start_at:end_at], in code points.
CREATE TABLE chunks (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    version_id BIGINT NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
    ordinal    BIGINT NOT NULL,
    start_at   BIGINT NOT NULL,
    end_at     BIGINT NOT NULL,
    kind       TEXT NOT NULL,
    headings   TEXT NOT NULL,
    lead       TEXT NOT NULL,
    UNIQUE (version_id, ordinal)
);

-- What was derived from a chunk: the facts as fact.Page, the window vectors.
CREATE TABLE readings (
    chunk_id BIGINT PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE,
    page     BYTEA,
    vectors  BYTEA 
);

-- Sentences of a chunk, as code points of the version's text.
CREATE TABLE sentences (
    chunk_id BIGINT NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    ordinal  BIGINT NOT NULL,
    start_at BIGINT NOT NULL,
    end_at   BIGINT NOT NULL,
    PRIMARY KEY (chunk_id, ordinal)
);

-- Complete facts, one a row; the spans are code points of the version's text.
CREATE TABLE facts (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chunk_id   BIGINT NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    subject    TEXT NOT NULL,
    attribute  TEXT NOT NULL,
    value      TEXT NOT NULL,
    value_kind TEXT NOT NULL,
    denied     BOOLEAN NOT NULL,
    modality   TEXT NOT NULL,
    condition  TEXT NOT NULL,
    place      TEXT NOT NULL,
    holds_from TEXT NOT NULL,
    holds_to   TEXT NOT NULL,
    start_at   BIGINT NOT NULL,
    end_at     BIGINT NOT NULL,
    confidence DOUBLE PRECISION NOT NULL
);
CREATE INDEX facts_chunk ON facts (chunk_id);

-- The outbox: the last change of every document version, and of every deleted
-- document (version 0). One writer at a time holds an advisory lock until it
-- has committed, so that numbers become visible in their order.
CREATE TABLE changes (
    seq         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id TEXT COLLATE "C" NOT NULL,
    collection  TEXT NOT NULL,
    version     BIGINT NOT NULL,
    UNIQUE (document_id, version)
);

CREATE TABLE gaps (
    id         TEXT COLLATE "C" PRIMARY KEY,
    kind       TEXT NOT NULL,
    text       TEXT NOT NULL,
    class      TEXT NOT NULL,
    slots      TEXT NOT NULL,
    documents  TEXT NOT NULL,
    count      BIGINT NOT NULL,
    first_seen BIGINT NOT NULL,
    last_seen  BIGINT NOT NULL,
    state      TEXT NOT NULL,
    note       TEXT NOT NULL DEFAULT '',
    trace_id   TEXT NOT NULL
);
CREATE INDEX gaps_order ON gaps (count DESC, last_seen DESC, id);

CREATE TABLE gap_questions (
    gap_id    TEXT COLLATE "C" NOT NULL REFERENCES gaps (id) ON DELETE CASCADE,
    question  TEXT COLLATE "C" NOT NULL,
    count     BIGINT NOT NULL,
    last_seen BIGINT NOT NULL,
    seq       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY -- in which order other processes read them
);
-- A question may be longer than an index entry.
CREATE UNIQUE INDEX gap_questions_once ON gap_questions (gap_id, md5(question));

-- On which days a gap was seen, so that a period can be asked for.
CREATE TABLE gap_days (
    gap_id TEXT COLLATE "C" NOT NULL REFERENCES gaps (id) ON DELETE CASCADE,
    day    TEXT COLLATE "C" NOT NULL,
    count  BIGINT NOT NULL,
    PRIMARY KEY (gap_id, day)
);

CREATE TABLE reviews (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL,
    question   TEXT NOT NULL,
    text       TEXT NOT NULL,
    trace_id   TEXT NOT NULL,
    documents  TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    state      TEXT NOT NULL,
    note       TEXT NOT NULL
);

CREATE TABLE feedback (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    trace_id   TEXT NOT NULL,
    helpful    BOOLEAN NOT NULL,
    comment    TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX feedback_trace ON feedback (trace_id);

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- +goose Down
DROP TABLE settings;
DROP TABLE feedback;
DROP TABLE reviews;
DROP TABLE gap_days;
DROP TABLE gap_questions;
DROP TABLE gaps;
DROP TABLE changes;
DROP TABLE facts;
DROP TABLE sentences;
DROP TABLE readings;
DROP TABLE chunks;
DROP TABLE supersessions;
DROP TABLE versions;
DROP TABLE documents;
