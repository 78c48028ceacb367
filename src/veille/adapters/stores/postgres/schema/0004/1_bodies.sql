-- Bodies that are kept outside the store: the record of a segment (a WARC file) that holds it; `data` is empty then.
ALTER TABLE veille_tables.raw_bodies ADD COLUMN segment text COLLATE "C";
ALTER TABLE veille_tables.raw_bodies ADD COLUMN start bigint;
ALTER TABLE veille_tables.raw_bodies ADD COLUMN length bigint;
CREATE INDEX raw_bodies_segment ON veille_tables.raw_bodies (dossier_id, segment, length) WHERE segment IS NOT NULL;
ALTER TABLE veille_tables.pictures ADD COLUMN segment text COLLATE "C";
ALTER TABLE veille_tables.pictures ADD COLUMN start bigint;
ALTER TABLE veille_tables.pictures ADD COLUMN length bigint;
CREATE INDEX pictures_segment ON veille_tables.pictures (dossier_id, segment, length) WHERE segment IS NOT NULL;
