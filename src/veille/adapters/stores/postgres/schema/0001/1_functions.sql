-- What SQLite has and PostgreSQL has not, or has under another type: both stores share their statements.
CREATE SCHEMA veille_functions;

-- The dossier of the transaction; NULL, which is equal to no dossier, if none was set.
CREATE FUNCTION veille_functions.dossier() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('veille.dossier', true), '')::uuid;

-- The lock of the only transaction that may write to a dossier; that of the catalog has no id.
CREATE FUNCTION veille_functions.lock_of(dossier_id text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN hashtextextended(dossier_id, 0);

-- The elements of a list: texts, which are equal to the numbers that they write.
CREATE FUNCTION veille_functions.json_each(list text) RETURNS TABLE (key bigint, value text)
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 20
    AS $$ SELECT place - 1, item FROM json_array_elements_text(list::json) WITH ORDINALITY AS items (item, place) $$;

CREATE FUNCTION veille_functions.json_text_at(document text, place integer) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN document::json ->> place;
CREATE FUNCTION veille_functions.json_text_at(document text, name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN document::json ->> name;
CREATE FUNCTION veille_functions.json_at(document text, place integer) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (document::json -> place)::text;
CREATE FUNCTION veille_functions.json_at(document text, name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (document::json -> name)::text;
CREATE OPERATOR veille_functions.->> (LEFTARG = text, RIGHTARG = integer, FUNCTION = veille_functions.json_text_at);
CREATE OPERATOR veille_functions.->> (LEFTARG = text, RIGHTARG = text, FUNCTION = veille_functions.json_text_at);
CREATE OPERATOR veille_functions.-> (LEFTARG = text, RIGHTARG = integer, FUNCTION = veille_functions.json_at);
CREATE OPERATOR veille_functions.-> (LEFTARG = text, RIGHTARG = text, FUNCTION = veille_functions.json_at);

CREATE FUNCTION veille_functions.is_number(number bigint, written text) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN number = written::bigint;
CREATE OPERATOR veille_functions.= (LEFTARG = bigint, RIGHTARG = text, FUNCTION = veille_functions.is_number);

CREATE FUNCTION veille_functions.instr(whole text, part text) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN strpos(whole, part);
CREATE FUNCTION veille_functions.substr(whole text, start bigint) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.substr(whole, start::integer);
CREATE FUNCTION veille_functions.substr(whole text, start bigint, length bigint) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.substr(whole, start::integer, length::integer);
CREATE FUNCTION veille_functions.unhex(digits text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN decode(digits, 'hex');
