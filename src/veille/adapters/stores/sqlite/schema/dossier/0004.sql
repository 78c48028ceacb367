-- What older revisions said, where search by meaning is switched on: an equal piece that comes back is not embedded again.
-- A piece that its document lost is noted with the last revision that had it, as long as the contents of that are here.
CREATE TABLE former_pieces (
    document INTEGER NOT NULL REFERENCES documents (row) ON DELETE CASCADE,
    n INTEGER NOT NULL,                  -- of the revision
    hash BLOB NOT NULL,
    PRIMARY KEY (document, n, hash)
) WITHOUT ROWID, STRICT;
CREATE INDEX former_pieces_hash ON former_pieces (hash);

CREATE TABLE former_vectors (            -- kept, but not searched
    hash BLOB NOT NULL,
    embedder INTEGER NOT NULL REFERENCES embedders (id) ON DELETE CASCADE,
    numbers BLOB NOT NULL,
    bits BLOB NOT NULL,
    PRIMARY KEY (hash, embedder)
) STRICT;
CREATE INDEX former_vectors_embedder ON former_vectors (embedder);

CREATE TRIGGER vector_deleted BEFORE DELETE ON vectors
    WHEN EXISTS (SELECT 1 FROM former_pieces WHERE hash = old.hash) BEGIN
    INSERT OR IGNORE INTO former_vectors SELECT old.hash, old.embedder, old.numbers, bits FROM vector_bits
        WHERE id = old.id; END;
CREATE TRIGGER former_piece_deleted AFTER DELETE ON former_pieces BEGIN
    DELETE FROM former_vectors WHERE hash = old.hash AND NOT EXISTS (SELECT 1 FROM former_pieces WHERE hash = old.hash); END;

-- The writer knows by itself which hashes it replaced.
DROP TRIGGER piece_replaced;
DROP TABLE loose_hashes;
