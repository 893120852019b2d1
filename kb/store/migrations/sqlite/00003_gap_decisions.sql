-- +goose Up
-- Who decided about a gap and when, and since when its question is answered; times in microseconds, 0 = never.
ALTER TABLE gaps ADD COLUMN decided_by TEXT NOT NULL DEFAULT '';
ALTER TABLE gaps ADD COLUMN decided_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE gaps ADD COLUMN answered_at INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE gaps DROP COLUMN answered_at;
ALTER TABLE gaps DROP COLUMN decided_at;
ALTER TABLE gaps DROP COLUMN decided_by;
