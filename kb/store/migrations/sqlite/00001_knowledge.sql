-- +goose Up
-- Days are YYYY-MM-DD or '', moments are microseconds since 1970 UTC, lists are JSON.

CREATE TABLE documents (
    id     TEXT PRIMARY KEY,
    newest INTEGER NOT NULL,          -- version
    origin TEXT    NOT NULL           -- ROOT//PATH of the file it came from, or ''
) STRICT;

CREATE TABLE versions (
    id            INTEGER PRIMARY KEY,
    document_id   TEXT    NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    version       INTEGER NOT NULL,
    collection    TEXT    NOT NULL,
    title         TEXT    NOT NULL,
    text          TEXT    NOT NULL,   -- exactly as ingested
    media_type    TEXT    NOT NULL,
    source        TEXT    NOT NULL,
    domain        TEXT    NOT NULL,
    authority     REAL,               -- 0..10, NULL = unknown
    published_at  TEXT    NOT NULL,
    valid_from    TEXT    NOT NULL,
    valid_to      TEXT    NOT NULL,
    supersedes    TEXT    NOT NULL,
    readers       TEXT    NOT NULL,
    ingested_at   INTEGER NOT NULL,
    replaced_by   INTEGER NOT NULL DEFAULT 0,  -- version of the same document, 0 = none
    superseded_by TEXT    NOT NULL DEFAULT '', -- id@version
    given         BLOB    NOT NULL,   -- SHA-256 of text and fields as they were put
    content       BLOB    NOT NULL,   -- SHA-256 of text and fields as they are stored
    UNIQUE (document_id, version)
) STRICT;

-- What a version says it supersedes, also where the target is not there yet.
CREATE TABLE supersessions (
    version_id     INTEGER NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
    target         TEXT    NOT NULL,  -- as written
    target_id      TEXT    NOT NULL,  -- id of id@version, '' where written without version
    target_version INTEGER NOT NULL,  -- version of id@version
    PRIMARY KEY (version_id, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX supersessions_target ON supersessions (target);
CREATE INDEX supersessions_target_id ON supersessions (target_id) WHERE target_id <> '';

-- The text of a chunk is the version's text[start_at:end_at], in code points.
CREATE TABLE chunks (
    id         INTEGER PRIMARY KEY,
    version_id INTEGER NOT NULL REFERENCES versions (id) ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    start_at   INTEGER NOT NULL,
    end_at     INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    headings   TEXT    NOT NULL,
    lead       TEXT    NOT NULL,
    UNIQUE (version_id, ordinal)
) STRICT;

-- What was derived from a chunk: the facts as fact.Page, the window vectors.
CREATE TABLE readings (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE,
    page     BLOB,
    vectors  BLOB
) STRICT;

-- Sentences of a chunk, as code points of the version's text.
CREATE TABLE sentences (
    chunk_id INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    ordinal  INTEGER NOT NULL,
    start_at INTEGER NOT NULL,
    end_at   INTEGER NOT NULL,
    PRIMARY KEY (chunk_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Complete facts, one a row; the spans are code points of the version's text.
CREATE TABLE facts (
    id         INTEGER PRIMARY KEY,
    chunk_id   INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    subject    TEXT    NOT NULL,
    attribute  TEXT    NOT NULL,
    value      TEXT    NOT NULL,
    value_kind TEXT    NOT NULL,
    denied     INTEGER NOT NULL,
    modality   TEXT    NOT NULL,
    condition  TEXT    NOT NULL,
    place      TEXT    NOT NULL,
    holds_from TEXT    NOT NULL,
    holds_to   TEXT    NOT NULL,
    start_at   INTEGER NOT NULL,
    end_at     INTEGER NOT NULL,
    confidence REAL    NOT NULL
) STRICT;
CREATE INDEX facts_chunk ON facts (chunk_id);
CREATE INDEX facts_subject ON facts (subject);

-- The outbox: the last change of every document version, and of every deleted
-- document (version 0). AUTOINCREMENT never gives a number twice.
CREATE TABLE changes (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id TEXT    NOT NULL,
    collection  TEXT    NOT NULL,
    version     INTEGER NOT NULL,
    UNIQUE (document_id, version)
) STRICT;

CREATE TABLE gaps (
    id         TEXT PRIMARY KEY,
    kind       TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    class      TEXT    NOT NULL,
    slots      TEXT    NOT NULL,
    documents  TEXT    NOT NULL,
    count      INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    state      TEXT    NOT NULL,
    note       TEXT    NOT NULL DEFAULT '',
    trace_id   TEXT    NOT NULL
) STRICT;
CREATE INDEX gaps_order ON gaps (count DESC, last_seen DESC, id);

CREATE TABLE gap_questions (
    gap_id    TEXT    NOT NULL REFERENCES gaps (id) ON DELETE CASCADE,
    question  TEXT    NOT NULL,
    count     INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    PRIMARY KEY (gap_id, question)
) STRICT, WITHOUT ROWID;

-- On which days a gap was seen, so that a period can be asked for.
CREATE TABLE gap_days (
    gap_id TEXT    NOT NULL REFERENCES gaps (id) ON DELETE CASCADE,
    day    TEXT    NOT NULL,
    count  INTEGER NOT NULL,
    PRIMARY KEY (gap_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE reviews (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT    NOT NULL UNIQUE,
    kind       TEXT    NOT NULL,
    question   TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    trace_id   TEXT    NOT NULL,
    documents  TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    state      TEXT    NOT NULL,
    note       TEXT    NOT NULL
) STRICT;

CREATE TABLE feedback (
    id         INTEGER PRIMARY KEY,
    trace_id   TEXT    NOT NULL,
    helpful    INTEGER NOT NULL,
    comment    TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX feedback_trace ON feedback (trace_id);

-- +goose Down
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
