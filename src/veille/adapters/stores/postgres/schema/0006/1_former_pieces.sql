-- What older revisions said, where search by meaning is switched on: an equal piece that comes back is not embedded again.
-- A piece that its document lost is noted with the last revision that had it, as long as the contents of that are here.
SET LOCAL search_path = veille_tables;

CREATE TABLE former_pieces (
    document bigint NOT NULL,
    n bigint NOT NULL,  -- of the revision
    hash bytea NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, document, n, hash),
    FOREIGN KEY (dossier_id, document) REFERENCES documents (dossier_id, row) ON DELETE CASCADE
);
CREATE INDEX former_pieces_hash ON former_pieces (dossier_id, hash);

-- Kept, but not searched
CREATE TABLE former_vectors (
    hash bytea NOT NULL,
    embedder bigint NOT NULL,
    numbers bytea NOT NULL,
    bits bytea NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, hash, embedder),
    FOREIGN KEY (dossier_id, embedder) REFERENCES embedders (dossier_id, id) ON DELETE CASCADE
);
CREATE INDEX former_vectors_embedder ON former_vectors (dossier_id, embedder);

CREATE FUNCTION veille_functions.vector_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = veille_tables, pg_temp AS $$
BEGIN
    INSERT INTO former_vectors (dossier_id, hash, embedder, numbers, bits)
        SELECT old.dossier_id, old.hash, old.embedder, old.numbers, bits FROM vector_bits
        WHERE dossier_id = old.dossier_id AND id = old.id
        AND EXISTS (SELECT 1 FROM former_pieces WHERE dossier_id = old.dossier_id AND hash = old.hash)
        ON CONFLICT DO NOTHING;
    RETURN old;
END $$;
CREATE TRIGGER vector_deleted BEFORE DELETE ON vectors FOR EACH ROW EXECUTE FUNCTION veille_functions.vector_deleted();

CREATE FUNCTION veille_functions.former_piece_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = veille_tables, pg_temp AS $$
BEGIN
    DELETE FROM former_vectors WHERE dossier_id = old.dossier_id AND hash = old.hash
        AND NOT EXISTS (SELECT 1 FROM former_pieces WHERE dossier_id = old.dossier_id AND hash = old.hash);
    RETURN NULL;
END $$;
CREATE TRIGGER former_piece_deleted AFTER DELETE ON former_pieces FOR EACH ROW
    EXECUTE FUNCTION veille_functions.former_piece_deleted();

-- The writer knows by itself which hashes it replaced; its view is made without it at the end.
CREATE OR REPLACE FUNCTION veille_functions.piece_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = veille_tables, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM documents WHERE dossier_id = old.dossier_id AND row = old.document)
        AND NOT EXISTS (SELECT 1 FROM pieces WHERE dossier_id = old.dossier_id AND hash = old.hash) THEN
        DELETE FROM vectors WHERE dossier_id = old.dossier_id AND hash = old.hash;
        DELETE FROM to_embed WHERE dossier_id = old.dossier_id AND hash = old.hash;
    END IF;
    RETURN NULL;
END $$;
DROP TABLE loose_hashes CASCADE;
