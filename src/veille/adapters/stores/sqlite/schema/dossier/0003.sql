-- Bodies that are kept outside the store: the record of a segment (a WARC file) that holds it; `data` is empty then.
ALTER TABLE raw_bodies ADD COLUMN segment TEXT;
ALTER TABLE raw_bodies ADD COLUMN start INTEGER;
ALTER TABLE raw_bodies ADD COLUMN length INTEGER;
CREATE INDEX raw_bodies_segment ON raw_bodies (segment, length) WHERE segment IS NOT NULL;
ALTER TABLE pictures ADD COLUMN segment TEXT;
ALTER TABLE pictures ADD COLUMN start INTEGER;
ALTER TABLE pictures ADD COLUMN length INTEGER;
CREATE INDEX pictures_segment ON pictures (segment, length) WHERE segment IS NOT NULL;
