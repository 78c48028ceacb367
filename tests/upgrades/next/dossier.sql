-- A column, filled from what is there.
ALTER TABLE sources ADD COLUMN shelf TEXT NOT NULL DEFAULT '';
UPDATE sources SET shelf = coalesce((SELECT min(tag) FROM source_tags WHERE source_id = sources.id), '');

-- A table that triggers keep.
CREATE TABLE shelves (
    name TEXT PRIMARY KEY,
    sources INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
INSERT INTO shelves SELECT shelf, count(*) FROM sources GROUP BY shelf;
CREATE TRIGGER shelved AFTER UPDATE OF shelf ON sources BEGIN
    UPDATE shelves SET sources = sources - 1 WHERE name = old.shelf;
    INSERT INTO shelves VALUES (new.shelf, 1) ON CONFLICT (name) DO UPDATE SET sources = sources + 1; END;

-- A table made anew, to which others refer.
CREATE TABLE saved_searches_anew (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE CHECK (name <> ''),
    query TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    sink TEXT NOT NULL DEFAULT '',
    matched_seq INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
INSERT INTO saved_searches_anew SELECT id, name, query, created_at, sink, matched_seq FROM saved_searches;
DROP TABLE saved_searches;
ALTER TABLE saved_searches_anew RENAME TO saved_searches;
