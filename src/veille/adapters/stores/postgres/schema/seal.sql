-- Run after every migration: makes the views of one dossier, and gives the application its rights. It owns nothing.
--
-- Two walls keep dossiers apart, and each alone is enough. The views show the rows of the dossier that the transaction
-- is for, whoever asks. Row-level security shows no others to the application, whatever it asks.
DROP SCHEMA IF EXISTS veille_dossier CASCADE;
CREATE SCHEMA veille_dossier;

DO $$
DECLARE
    name text;
    columns text;
BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'veille_tables' LOOP
        EXECUTE format('ALTER TABLE veille_tables.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('DROP POLICY IF EXISTS one_dossier ON veille_tables.%I', name);
        EXECUTE format('CREATE POLICY one_dossier ON veille_tables.%I USING (dossier_id = veille_functions.dossier())', name);
        -- `dossier_id` comes last: a row may be given without it.
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attname = 'dossier_id', attnum) INTO columns
            FROM pg_attribute WHERE attrelid = format('veille_tables.%I', name)::regclass AND attnum > 0 AND NOT attisdropped;
        EXECUTE format('CREATE VIEW veille_dossier.%I WITH (security_invoker = true) AS SELECT %s FROM veille_tables.%I '
            'WHERE dossier_id = veille_functions.dossier()', name, columns, name);
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA veille, veille_tables, veille_dossier, veille_functions TO veille_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA veille, veille_tables, veille_dossier TO veille_app;
REVOKE INSERT, UPDATE, DELETE ON veille.origin FROM veille_app;
REVOKE UPDATE, DELETE ON veille.audit FROM veille_app;
-- Only to erase a person; the trigger sees to that.
GRANT UPDATE (who, detail, address) ON veille.audit TO veille_app;
