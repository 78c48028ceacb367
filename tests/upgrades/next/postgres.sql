SET LOCAL search_path TO veille_tables, veille_functions;
ALTER TABLE sources ADD COLUMN shelf text NOT NULL DEFAULT '';
UPDATE sources SET shelf = kind;
CREATE TABLE shelves (
    name text NOT NULL,
    sources bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, name)
);
INSERT INTO shelves (name, sources, dossier_id) SELECT shelf, count(*), dossier_id FROM sources GROUP BY shelf, dossier_id;
