-- What follows from a change. These run as the owner, whom row-level security does not bind: each names the dossier.
SET LOCAL search_path = veille_tables;

CREATE FUNCTION veille_functions.retag() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = veille_tables, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM source_tags WHERE dossier_id = new.dossier_id AND source_id = new.id;
    END IF;
    IF new.trashed_at IS NULL AND json_typeof(new.config::json -> 'tags') = 'array' THEN
        INSERT INTO source_tags (dossier_id, source_id, tag)
            SELECT new.dossier_id, new.id, trim(tag #>> '{}') FROM json_array_elements(new.config::json -> 'tags') AS tag
            WHERE json_typeof(tag) = 'string' AND trim(tag #>> '{}') <> '' ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER source_tagged AFTER INSERT ON sources FOR EACH ROW EXECUTE FUNCTION veille_functions.retag();
CREATE TRIGGER source_retagged AFTER UPDATE OF config, trashed_at ON sources FOR EACH ROW
    WHEN (old.config IS DISTINCT FROM new.config OR old.trashed_at IS DISTINCT FROM new.trashed_at)
    EXECUTE FUNCTION veille_functions.retag();

-- Kept answers go with the last revision that was read from them, and bodies with the last answer that had them.
CREATE FUNCTION veille_functions.raw_revision_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = veille_tables, pg_temp AS $$
BEGIN
    DELETE FROM raw_answers WHERE dossier_id = old.dossier_id AND id = old.answer AND NOT EXISTS
        (SELECT 1 FROM raw_revisions WHERE dossier_id = old.dossier_id AND answer = old.answer);
    RETURN NULL;
END $$;
CREATE TRIGGER raw_revision_deleted AFTER DELETE ON raw_revisions FOR EACH ROW
    EXECUTE FUNCTION veille_functions.raw_revision_deleted();

CREATE FUNCTION veille_functions.raw_answer_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = veille_tables, pg_temp AS $$
BEGIN
    DELETE FROM raw_bodies WHERE dossier_id = old.dossier_id AND hash = old.hash AND NOT EXISTS
        (SELECT 1 FROM raw_answers WHERE dossier_id = old.dossier_id AND hash = old.hash);
    RETURN NULL;
END $$;
CREATE TRIGGER raw_answer_deleted AFTER DELETE ON raw_answers FOR EACH ROW
    EXECUTE FUNCTION veille_functions.raw_answer_deleted();

CREATE FUNCTION veille_functions.revision_picture_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = veille_tables, pg_temp AS $$
BEGIN
    DELETE FROM pictures WHERE dossier_id = old.dossier_id AND hash = old.hash AND NOT EXISTS
        (SELECT 1 FROM revision_pictures WHERE dossier_id = old.dossier_id AND hash = old.hash);
    RETURN NULL;
END $$;
CREATE TRIGGER revision_picture_deleted AFTER DELETE ON revision_pictures FOR EACH ROW
    EXECUTE FUNCTION veille_functions.revision_picture_deleted();

-- What belongs to a piece, see `loose_hashes`.
CREATE FUNCTION veille_functions.piece_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = veille_tables, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM documents WHERE dossier_id = old.dossier_id AND row = old.document) THEN
        INSERT INTO loose_hashes (dossier_id, hash) VALUES (old.dossier_id, old.hash) ON CONFLICT DO NOTHING;
    ELSIF NOT EXISTS (SELECT 1 FROM pieces WHERE dossier_id = old.dossier_id AND hash = old.hash) THEN
        DELETE FROM vectors WHERE dossier_id = old.dossier_id AND hash = old.hash;
        DELETE FROM to_embed WHERE dossier_id = old.dossier_id AND hash = old.hash;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER piece_deleted AFTER DELETE ON pieces FOR EACH ROW EXECUTE FUNCTION veille_functions.piece_deleted();

CREATE FUNCTION veille_functions.story_counted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = veille_tables, pg_temp AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE stories SET documents = documents - 1 WHERE dossier_id = old.dossier_id AND row = old.story;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        UPDATE stories SET documents = documents + 1, last_at = greatest(last_at, new.joined_at)
            WHERE dossier_id = new.dossier_id AND row = new.story;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER story_counted AFTER INSERT OR DELETE OR UPDATE OF story ON story_documents FOR EACH ROW
    EXECUTE FUNCTION veille_functions.story_counted();

CREATE FUNCTION veille_functions.model_answer_document_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = veille_tables, pg_temp AS $$
BEGIN
    DELETE FROM model_answers WHERE dossier_id = old.dossier_id AND key = old.key;
    RETURN NULL;
END $$;
CREATE TRIGGER model_answer_document_deleted AFTER DELETE ON model_answer_documents FOR EACH ROW
    EXECUTE FUNCTION veille_functions.model_answer_document_deleted();

-- A dossier goes whole, in the transaction that takes it out of the catalog. Its writers wait for that, and then find
-- that it is gone.
CREATE FUNCTION veille_functions.dossier_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = veille_tables, pg_temp AS $$
DECLARE
    name text;
BEGIN
    PERFORM pg_advisory_xact_lock(veille_functions.lock_of(old.id));
    DELETE FROM veille.versions WHERE dossier_id = old.id;
    -- First those that others may not outlive, and then all the rest, in any order.
    FOREACH name IN ARRAY ARRAY['raw_revisions', 'raw_answers', 'revision_pictures', 'news_entries', 'news_written',
                                'story_documents', 'documents', 'sources'] LOOP
        EXECUTE format('DELETE FROM %I WHERE dossier_id = $1', name) USING old.id::uuid;
    END LOOP;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'veille_tables' LOOP
        EXECUTE format('DELETE FROM %I WHERE dossier_id = $1', name) USING old.id::uuid;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER dossier_deleted AFTER DELETE ON veille.dossiers FOR EACH ROW
    EXECUTE FUNCTION veille_functions.dossier_deleted();
