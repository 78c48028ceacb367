-- What is packed already is not packed again, and texts by lz4, where the server has it: a fifth of the work.
ALTER TABLE veille_tables.revisions ALTER text SET STORAGE EXTERNAL, ALTER html SET STORAGE EXTERNAL;
ALTER TABLE veille_tables.raw_bodies ALTER data SET STORAGE EXTERNAL;
ALTER TABLE veille_tables.pictures ALTER data SET STORAGE EXTERNAL;
DO $$ BEGIN
    ALTER TABLE veille_tables.bodies ALTER text SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;
-- Which documents are of a language that few are of.
CREATE INDEX documents_lang ON veille_tables.documents (dossier_id, lang);
