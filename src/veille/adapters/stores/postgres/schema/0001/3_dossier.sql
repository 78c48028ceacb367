-- The tables of all dossiers. The columns are those of the SQLite store, and `dossier_id`, which leads every key.
CREATE SCHEMA veille_tables;
SET LOCAL search_path = veille_tables;

CREATE TABLE sources (
    id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,  -- two spellings of one address are one source
    name text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    url text COLLATE "C" NOT NULL,
    config text COLLATE "C" NOT NULL DEFAULT '{}',
    interval_ms bigint NOT NULL,
    original_interval_ms bigint,
    cron text COLLATE "C" NOT NULL DEFAULT '',
    pace_ms bigint,  -- current check interval, if it adapts to changes
    rhythm text COLLATE "C",  -- JSON: the feed's own hints about that
    enabled bigint NOT NULL DEFAULT 1,
    state text COLLATE "C" NOT NULL DEFAULT 'pending',
    failures bigint NOT NULL DEFAULT 0,
    error_code text COLLATE "C" NOT NULL DEFAULT '',
    error text COLLATE "C" NOT NULL DEFAULT '',
    moved_to text COLLATE "C" NOT NULL DEFAULT '',
    moved_seen bigint NOT NULL DEFAULT 0,
    checked_at bigint,
    changed_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    run_until bigint NOT NULL DEFAULT 0,  -- when this turn must end; 0: no limit
    settled_at bigint,  -- when its first check was complete
    trashed_at bigint,  -- when it was deleted; it can be restored until it is purged
    was_enabled bigint NOT NULL DEFAULT 1,  -- whether it was checked before it was deleted
    muted_until bigint NOT NULL DEFAULT 0,  -- its changes before this time count as read, and no rule fires on them
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id),
    UNIQUE (dossier_id, key)
);
CREATE INDEX sources_muted ON sources (dossier_id, muted_until) WHERE muted_until > 0;
CREATE INDEX sources_trashed ON sources (dossier_id, trashed_at) WHERE trashed_at IS NOT NULL;

-- The tags of sources, as their options have them: kept by triggers, so that every writer keeps them.
CREATE TABLE source_tags (
    source_id text COLLATE "C" NOT NULL,
    tag text COLLATE "C" NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, source_id) REFERENCES sources (dossier_id, id) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, source_id, tag)
);
CREATE INDEX source_tags_tag ON source_tags (dossier_id, tag, source_id);

CREATE INDEX sources_ailing ON sources (dossier_id, state) WHERE state IN ('error', 'broken', 'suspect');

CREATE TABLE requests (
    id text COLLATE "C" NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    url text COLLATE "C" NOT NULL,
    host text COLLATE "C" NOT NULL,
    purpose text COLLATE "C" NOT NULL,
    stamp text COLLATE "C" NOT NULL DEFAULT '',
    every bigint NOT NULL DEFAULT 0,  -- at every Nth check; 0: only a new stamp makes it due
    optional bigint NOT NULL DEFAULT 0,
    pattern text COLLATE "C" NOT NULL DEFAULT '',  -- the shape of the address, if it is counted
    counted bigint NOT NULL DEFAULT 0,  -- whether it counts against the budget now
    depth bigint NOT NULL DEFAULT 0,
    context text COLLATE "C" NOT NULL DEFAULT '{}',
    final_url text COLLATE "C" NOT NULL DEFAULT '',  -- the address that gave the validators
    etag text COLLATE "C" NOT NULL DEFAULT '',
    last_modified text COLLATE "C" NOT NULL DEFAULT '',
    raw_hash text COLLATE "C" NOT NULL DEFAULT '',
    size bigint NOT NULL DEFAULT 0,  -- bytes a full answer takes on the wire
    full_at bigint NOT NULL DEFAULT 0,
    polls bigint NOT NULL DEFAULT 0,  -- conditional answers since full_at
    churn bigint NOT NULL DEFAULT 0,
    due_at bigint,  -- NULL: nothing to do
    wakes bigint NOT NULL DEFAULT 0,  -- how often it was made due out of turn
    parked bigint NOT NULL DEFAULT 0,  -- its source is paused
    attempts bigint NOT NULL DEFAULT 0,
    deaths bigint NOT NULL DEFAULT 0,  -- workers that died on it since it was last done
    glimpse text COLLATE "C" NOT NULL DEFAULT '',  -- what the first of two checks saw
    failed_with text COLLATE "C" NOT NULL DEFAULT '',  -- the code of the last failure, empty after a good answer
    error text COLLATE "C" NOT NULL DEFAULT '',  -- the message of the last failure
    found_at bigint NOT NULL DEFAULT 0,
    done_at bigint NOT NULL DEFAULT 0,  -- when it was last processed, with any result
    lease_owner text COLLATE "C",
    leased_at bigint NOT NULL DEFAULT 0,
    lease_until bigint NOT NULL DEFAULT 0,
    lease_epoch bigint NOT NULL DEFAULT 0,
    document_id text COLLATE "C",  -- the document at this very address
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id),
    FOREIGN KEY (dossier_id, source_id) REFERENCES sources (dossier_id, id) ON DELETE CASCADE
);
CREATE INDEX requests_due ON requests (dossier_id, due_at) WHERE due_at IS NOT NULL AND parked = 0;
CREATE INDEX requests_host ON requests (dossier_id, host, due_at) WHERE due_at IS NOT NULL AND parked = 0;
CREATE INDEX requests_leased ON requests (dossier_id, lease_owner, lease_until) WHERE lease_owner IS NOT NULL;
CREATE INDEX requests_source ON requests (dossier_id, source_id);
CREATE INDEX requests_roots ON requests (dossier_id, source_id, done_at, raw_hash) WHERE purpose = 'root';
CREATE INDEX requests_levels ON requests (dossier_id, due_at, source_id, depth, full_at) WHERE depth > 0 AND due_at IS NOT NULL AND parked = 0;
CREATE INDEX requests_document ON requests (dossier_id, document_id) WHERE document_id IS NOT NULL;

CREATE TABLE documents (
    row bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,  -- current, removed, duplicate; of a deleted source: trashed and one of these
    duplicate_of text COLLATE "C",
    url text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL,
    lang text COLLATE "C" NOT NULL DEFAULT '',
    content_hash text COLLATE "C" NOT NULL,
    revision_id text COLLATE "C",
    rev_n bigint NOT NULL DEFAULT 0,
    published_at bigint,
    first_seen_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    facts text COLLATE "C" NOT NULL DEFAULT '',  -- JSON: the metadata whose change counts, see `core.change.metadata_changes`
    beside bytea NOT NULL DEFAULT '',  -- marks of lines outside the content, 4 bytes each
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, row),
    UNIQUE (dossier_id, id),
    FOREIGN KEY (dossier_id, source_id) REFERENCES sources (dossier_id, id)
);
CREATE INDEX documents_text ON documents (dossier_id, content_hash) WHERE state = 'current';
CREATE INDEX documents_source ON documents (dossier_id, source_id, changed_at, state);
CREATE INDEX documents_changed ON documents (dossier_id, changed_at);
CREATE INDEX documents_other ON documents (dossier_id, state, changed_at) WHERE state <> 'current';
CREATE INDEX documents_duplicates ON documents (dossier_id, duplicate_of) WHERE duplicate_of IS NOT NULL;

CREATE TABLE identities (
    key text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, key),
    FOREIGN KEY (dossier_id, document_id) REFERENCES documents (dossier_id, id) ON DELETE CASCADE
);
CREATE INDEX identities_document ON identities (dossier_id, document_id);

CREATE TABLE sightings (
    document_id text COLLATE "C" NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, document_id) REFERENCES documents (dossier_id, id) ON DELETE CASCADE,
    FOREIGN KEY (dossier_id, source_id) REFERENCES sources (dossier_id, id) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, document_id, source_id)
);
CREATE INDEX sightings_source ON sightings (dossier_id, source_id);

CREATE TABLE revisions (
    id text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    n bigint NOT NULL,
    url text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL,
    lang text COLLATE "C" NOT NULL,
    content_hash text COLLATE "C" NOT NULL,
    meta text COLLATE "C" NOT NULL,
    strategy text COLLATE "C" NOT NULL,
    quality double precision,  -- share of the page's main container in the text; NULL if unknown
    published_at bigint,
    extracted_at bigint NOT NULL,
    text_length bigint NOT NULL,  -- in characters
    kept text COLLATE "C" NOT NULL DEFAULT 'here',  -- here, archived, removed: where its contents are, see `core.archive.content_state`
    delta bigint NOT NULL DEFAULT 0,
    -- The contents come last: queries that do not need them do not read their pages.
    text bytea NOT NULL,  -- zlib; with delta, Zstandard with the next revision's as prefix
    html bytea NOT NULL,  -- likewise
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id),
    FOREIGN KEY (dossier_id, document_id) REFERENCES documents (dossier_id, id) ON DELETE CASCADE,
    UNIQUE (dossier_id, document_id, n)
);

-- Where archived contents are, see `core.archive.archive_files`
CREATE TABLE archived_revisions (
    revision_id text COLLATE "C" NOT NULL,
    file text COLLATE "C" NOT NULL,
    start bigint NOT NULL,
    length bigint NOT NULL,
    line bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, revision_id),
    FOREIGN KEY (dossier_id, revision_id) REFERENCES revisions (dossier_id, id) ON DELETE CASCADE
);
CREATE INDEX archived_revisions_file ON archived_revisions (dossier_id, file);

CREATE TABLE options (
    name text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, name)
);
-- Answers that are kept as they came, to be read again: a body, the answers that had it, the revisions read from them.
CREATE TABLE raw_bodies (
    hash text COLLATE "C" NOT NULL,  -- SHA-256
    size bigint NOT NULL,
    data bytea NOT NULL,  -- Zstandard
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, hash)
);

CREATE TABLE raw_answers (
    id text COLLATE "C" NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL,
    fetched_at bigint NOT NULL,
    read_by text COLLATE "C" NOT NULL,  -- the reader that read it last
    options text COLLATE "C" NOT NULL,  -- a hash of the options it was read with
    read_at bigint NOT NULL,
    reads bigint NOT NULL DEFAULT 0,  -- how often it was read again: only who knows the number may write
    facts bytea NOT NULL,  -- JSON, Zstandard: the request, and what came with the body
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id),
    FOREIGN KEY (dossier_id, source_id) REFERENCES sources (dossier_id, id) ON DELETE CASCADE,
    FOREIGN KEY (dossier_id, hash) REFERENCES raw_bodies (dossier_id, hash)
);
CREATE INDEX raw_answers_source ON raw_answers (dossier_id, source_id);
CREATE INDEX raw_answers_hash ON raw_answers (dossier_id, hash);

CREATE TABLE raw_revisions (
    revision_id text COLLATE "C" NOT NULL,
    answer text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,  -- which document of the answer it is
    outcome text COLLATE "C" NOT NULL DEFAULT '',  -- when it was last read again: same, changed, failed; empty: it never was
    code text COLLATE "C" NOT NULL DEFAULT '',  -- of the failure
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, revision_id),
    FOREIGN KEY (dossier_id, revision_id) REFERENCES revisions (dossier_id, id) ON DELETE CASCADE,
    FOREIGN KEY (dossier_id, answer) REFERENCES raw_answers (dossier_id, id) ON DELETE CASCADE
);
CREATE INDEX raw_revisions_answer ON raw_revisions (dossier_id, answer);

-- Pictures of pages: one for all revisions that look the same.
CREATE TABLE pictures (
    hash text COLLATE "C" NOT NULL,  -- SHA-256 of its pixels
    width bigint NOT NULL,
    height bigint NOT NULL,
    data bytea NOT NULL,  -- WebP
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, hash)
);

CREATE TABLE revision_pictures (
    revision_id text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, revision_id),
    FOREIGN KEY (dossier_id, revision_id) REFERENCES revisions (dossier_id, id) ON DELETE CASCADE,
    FOREIGN KEY (dossier_id, hash) REFERENCES pictures (dossier_id, hash)
);
CREATE INDEX revision_pictures_hash ON revision_pictures (dossier_id, hash);

-- Pictures of pages that look different, until they are fetched again
CREATE TABLE first_pictures (
    request_id text COLLATE "C" NOT NULL,
    data bytea NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, request_id),
    FOREIGN KEY (dossier_id, request_id) REFERENCES requests (dossier_id, id) ON DELETE CASCADE
);

-- What the page looked like when a step failed last
CREATE TABLE failed_steps (
    source_id text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    message text COLLATE "C" NOT NULL,
    data bytea NOT NULL,  -- PNG
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, source_id),
    FOREIGN KEY (dossier_id, source_id) REFERENCES sources (dossier_id, id) ON DELETE CASCADE
);

CREATE TABLE bodies (
    row bigint NOT NULL,
    title text COLLATE "C" NOT NULL,
    text text COLLATE "C" NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, row),
    FOREIGN KEY (dossier_id, row) REFERENCES documents (dossier_id, row) ON DELETE CASCADE
);

-- Search by meaning, where it is switched on: the pieces of the current texts, and vectors, which belong to the hash of a
-- piece. An equal piece is embedded once, wherever it stands and however often it comes back.
CREATE TABLE embedders (
    id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    name text COLLATE "C" NOT NULL,  -- of its vectors: those of different names cannot be compared
    label text COLLATE "C" NOT NULL,  -- as it is called in the settings
    languages text COLLATE "C" NOT NULL,  -- JSON: the languages it knows; null for all
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id),
    UNIQUE (dossier_id, name)
);

CREATE TABLE pieces (
    document bigint NOT NULL,
    n bigint NOT NULL,  -- from 0; the title is -1
    start bigint NOT NULL,  -- in the text of the current revision
    "end" bigint NOT NULL,
    hash bytea NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, document) REFERENCES documents (dossier_id, row) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, document, n)
);
CREATE INDEX pieces_hash ON pieces (dossier_id, hash);

-- Documents whose pieces are still to be made
CREATE TABLE uncut (
    document bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, document),
    FOREIGN KEY (dossier_id, document) REFERENCES documents (dossier_id, row) ON DELETE CASCADE
);

CREATE TABLE to_embed (
    seq bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    embedder bigint NOT NULL,
    hash bytea NOT NULL,
    until bigint NOT NULL DEFAULT 0,  -- somebody is at it until then
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, seq),
    FOREIGN KEY (dossier_id, embedder) REFERENCES embedders (dossier_id, id) ON DELETE CASCADE,
    UNIQUE (dossier_id, hash, embedder)
);
CREATE INDEX to_embed_embedder ON to_embed (dossier_id, embedder, until);

CREATE TABLE vectors (
    id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,  -- never used again: caches read what was added by it
    embedder bigint NOT NULL,
    hash bytea NOT NULL,
    numbers bytea NOT NULL,  -- 8 bits each
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id),
    FOREIGN KEY (dossier_id, embedder) REFERENCES embedders (dossier_id, id) ON DELETE CASCADE,
    UNIQUE (dossier_id, hash, embedder)
);
CREATE INDEX vectors_embedder ON vectors (dossier_id, embedder);

-- A table of its own, because it is read as a whole
CREATE TABLE vector_bits (
    id bigint NOT NULL,
    embedder bigint NOT NULL,
    bits bytea NOT NULL,  -- the signs of the numbers
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id),
    FOREIGN KEY (dossier_id, id) REFERENCES vectors (dossier_id, id) ON DELETE CASCADE
);
-- What belongs to a piece goes with the last one of its hash: at once if its document was deleted; if its document was
-- written again, at the end of that transaction, because the same piece may come back in it.
CREATE TABLE loose_hashes (
    hash bytea NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, hash)
);

CREATE TABLE outbox (
    seq bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    at bigint NOT NULL,
    change text COLLATE "C" NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    revision_id text COLLATE "C" NOT NULL,
    rev_n bigint NOT NULL,
    url text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL,
    changed_metadata text COLLATE "C" NOT NULL DEFAULT '',  -- names, separated by spaces; empty if the text changed
    is_first bigint NOT NULL DEFAULT 0,  -- whether the first check of its source found it
    told text COLLATE "C" NOT NULL DEFAULT '',  -- JSON: what it says at first sight, see `core.told`
    past bigint NOT NULL DEFAULT 0,  -- whether it happened in another dossier: lists show it, nobody is told of it
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, seq)
);
CREATE INDEX outbox_document ON outbox (dossier_id, document_id);

CREATE TABLE value_points (
    document_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,  -- of the event in the outbox that brought it
    at bigint NOT NULL,
    revision_id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    text text COLLATE "C",  -- NULL: from then on it was not found
    number double precision,
    unit text COLLATE "C" NOT NULL DEFAULT '',
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, document_id) REFERENCES documents (dossier_id, id) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, document_id, name, seq)
);
CREATE INDEX value_points_seq ON value_points (dossier_id, seq);

CREATE TABLE cursors (
    sink text COLLATE "C" NOT NULL,
    seq bigint NOT NULL DEFAULT 0,
    owner text COLLATE "C",
    until bigint NOT NULL DEFAULT 0,
    delivered_at bigint,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, sink)
);

CREATE TABLE runs (
    id text COLLATE "C" NOT NULL,
    started_at bigint NOT NULL,
    finished_at bigint,
    counts text COLLATE "C",  -- the counts up to its last end
    tallied bigint NOT NULL DEFAULT 0,  -- the lines up to this one are in run_tallies
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id)
);
CREATE INDEX runs_started ON runs (dossier_id, started_at);

CREATE TABLE run_items (
    seq bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    run_id text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    change text COLLATE "C" NOT NULL,
    documents bigint NOT NULL DEFAULT 1,  -- unchanged documents of one answer share a line; 0: it only lists them
    url text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL DEFAULT '',
    code text COLLATE "C" NOT NULL DEFAULT '',
    message text COLLATE "C" NOT NULL DEFAULT '',
    status bigint NOT NULL DEFAULT 0,
    document_id text COLLATE "C" NOT NULL DEFAULT '',
    duration_ms bigint NOT NULL DEFAULT 0,
    wire_bytes bigint NOT NULL DEFAULT 0,
    found bigint,  -- entries in the answer, on its first line; NULL if it was not read
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, seq),
    FOREIGN KEY (dossier_id, run_id) REFERENCES runs (dossier_id, id) ON DELETE CASCADE
);
CREATE INDEX run_items_run ON run_items (dossier_id, run_id, change, source_id);
CREATE INDEX run_items_source ON run_items (dossier_id, source_id, at);

CREATE TABLE run_tallies (
    run_id text COLLATE "C" NOT NULL,
    change text COLLATE "C" NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    documents bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, run_id) REFERENCES runs (dossier_id, id) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, run_id, change, source_id)
);

CREATE TABLE patterns (
    source_id text COLLATE "C" NOT NULL,
    pattern text COLLATE "C" NOT NULL,  -- empty: all together
    requests bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, source_id) REFERENCES sources (dossier_id, id) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, source_id, pattern)
);

CREATE TABLE notices (
    source_id text COLLATE "C" NOT NULL,
    code text COLLATE "C" NOT NULL,
    about text COLLATE "C" NOT NULL,
    run_id text COLLATE "C" NOT NULL,  -- the run that reported it last
    times bigint NOT NULL DEFAULT 1,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, source_id) REFERENCES sources (dossier_id, id) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, source_id, code, about)
);

CREATE TABLE crawl_configs (
    version bigint NOT NULL,
    config text COLLATE "C" NOT NULL,
    set_by text COLLATE "C" NOT NULL,
    set_at bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, version)
);

CREATE TABLE crawls (
    id text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    choice text COLLATE "C" NOT NULL,
    config_version bigint NOT NULL,
    launched_by text COLLATE "C" NOT NULL,
    requested_at bigint NOT NULL,
    started_at bigint,
    finished_at bigint,
    first_seq bigint NOT NULL DEFAULT 0,  -- its lines of run_items come after this one
    last_seq bigint,
    code text COLLATE "C" NOT NULL DEFAULT '',
    message text COLLATE "C" NOT NULL DEFAULT '',
    deliveries text COLLATE "C" NOT NULL DEFAULT '[]',
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id)
);
CREATE INDEX crawls_requested ON crawls (dossier_id, requested_at);

CREATE TABLE engines (
    id text COLLATE "C" NOT NULL,
    record text COLLATE "C" NOT NULL,
    updated_at bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id)
);

CREATE TABLE saved_searches (
    id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    query text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    sink text COLLATE "C" NOT NULL DEFAULT '',  -- gets what it newly finds
    matched_seq bigint NOT NULL,  -- changes up to here were matched
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id),
    UNIQUE (dossier_id, name)
);

CREATE TABLE search_alerts (
    search_id text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,  -- the last change of it that was found
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, search_id) REFERENCES saved_searches (dossier_id, id) ON DELETE CASCADE,
    FOREIGN KEY (dossier_id, document_id) REFERENCES documents (dossier_id, id) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, search_id, document_id)
);
CREATE INDEX search_alerts_latest ON search_alerts (dossier_id, search_id, seq);
CREATE INDEX search_alerts_document ON search_alerts (dossier_id, document_id);

CREATE TABLE search_looks (
    user_id text COLLATE "C" NOT NULL,
    search_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, search_id) REFERENCES saved_searches (dossier_id, id) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, user_id, search_id)
);
CREATE INDEX search_looks_search ON search_looks (dossier_id, search_id);

CREATE TABLE search_log (
    seq bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    query text COLLATE "C" NOT NULL,
    result_count bigint NOT NULL,
    searched_at bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, seq)
);

CREATE TABLE imports (
    seq bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    begun_at bigint NOT NULL,
    ended_at bigint,  -- NULL: it is under way, or its service was killed
    total bigint NOT NULL,
    count bigint NOT NULL,
    added bigint NOT NULL,
    bad bigint NOT NULL,
    entries text COLLATE "C" NOT NULL,  -- JSON
    problem text COLLATE "C" NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, seq),
    UNIQUE (dossier_id, id)
);

CREATE TABLE days (
    day bigint NOT NULL,  -- days since 1970, in UTC
    host text COLLATE "C" NOT NULL,
    asked bigint NOT NULL, not_modified bigint NOT NULL, failed bigint NOT NULL, bytes bigint NOT NULL, saved bigint NOT NULL, duration_ms bigint NOT NULL, new bigint NOT NULL, changed bigint NOT NULL, removed bigint NOT NULL, duplicates bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, day, host)
);

CREATE TABLE source_days (
    source_id text COLLATE "C" NOT NULL,
    day bigint NOT NULL,
    changes bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, source_id) REFERENCES sources (dossier_id, id) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, source_id, day)
);

CREATE TABLE visits (
    user_id text COLLATE "C" NOT NULL,
    seen_seq bigint NOT NULL DEFAULT 0,  -- everything up to here counts as read
    since_seq bigint NOT NULL DEFAULT 0,  -- where the visit before this one ended
    since_at bigint,
    shown_seq bigint NOT NULL DEFAULT 0,  -- the last change there was when something was last shown
    shown_at bigint,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, user_id)
);

CREATE TABLE marks (
    user_id text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    read_seq bigint NOT NULL DEFAULT 0,  -- -1: the user marked it as unread
    kept_at bigint,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, document_id) REFERENCES documents (dossier_id, id) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, user_id, document_id)
);
CREATE INDEX marks_kept ON marks (dossier_id, user_id, kept_at) WHERE kept_at IS NOT NULL;
CREATE INDEX marks_unread ON marks (dossier_id, user_id) WHERE read_seq < 0;
CREATE INDEX marks_document ON marks (dossier_id, document_id);

CREATE TABLE stories (
    row bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    documents bigint NOT NULL DEFAULT 0,
    last_at bigint NOT NULL DEFAULT 0,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, row),
    UNIQUE (dossier_id, id)
);
CREATE INDEX stories_told ON stories (dossier_id, last_at) WHERE documents > 1;

CREATE TABLE story_documents (
    document bigint NOT NULL,
    story bigint NOT NULL,
    joined_at bigint NOT NULL,
    voice bigint NOT NULL,  -- newcomers are compared with it
    signature bytea NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, document),
    FOREIGN KEY (dossier_id, document) REFERENCES documents (dossier_id, row) ON DELETE CASCADE,
    FOREIGN KEY (dossier_id, story) REFERENCES stories (dossier_id, row)
);
CREATE INDEX story_documents_story ON story_documents (dossier_id, story, voice);

CREATE TABLE story_marks (
    mark bigint NOT NULL,
    story bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, mark, story)
);

CREATE TABLE quirks (
    document_id text COLLATE "C" NOT NULL,
    quirks text COLLATE "C" NOT NULL,  -- JSON, see `core.models.Quirk`
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, document_id),
    FOREIGN KEY (dossier_id, document_id) REFERENCES documents (dossier_id, id) ON DELETE CASCADE
);

CREATE TABLE views (
    document_id text COLLATE "C" NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    content_hash text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL,
    text bytea,  -- zlib; NULL if equal to the document's, or never compared by line
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, document_id) REFERENCES documents (dossier_id, id) ON DELETE CASCADE,
    FOREIGN KEY (dossier_id, source_id) REFERENCES sources (dossier_id, id) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, document_id, source_id)
);
CREATE INDEX views_source ON views (dossier_id, source_id);

CREATE TABLE secrets (
    name text COLLATE "C" NOT NULL,
    hosts text COLLATE "C" NOT NULL,  -- where it may be sent, separated by spaces; also sealed into the value
    key_id text COLLATE "C" NOT NULL,
    value bytea NOT NULL,
    updated_at bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, name)
);

-- Logins that the steps of a source made: cookies, sealed. They are used again until they are refused.
CREATE TABLE logins (
    source_id text COLLATE "C" NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    value bytea NOT NULL,
    updated_at bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, source_id),
    FOREIGN KEY (dossier_id, source_id) REFERENCES sources (dossier_id, id) ON DELETE CASCADE
);

CREATE TABLE reader_content (
    id text COLLATE "C" NOT NULL,
    url_key text COLLATE "C" NOT NULL,
    url text COLLATE "C" NOT NULL,
    readable bigint NOT NULL DEFAULT 0,
    strategy text COLLATE "C",
    title text COLLATE "C",
    content text COLLATE "C",
    text_content text COLLATE "C",
    excerpt text COLLATE "C",
    byline text COLLATE "C",
    site_name text COLLATE "C",
    word_count bigint,
    reading_time_minutes bigint,
    meta_title text COLLATE "C",
    meta_description text COLLATE "C",
    error text COLLATE "C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id),
    UNIQUE (dossier_id, url_key)
);
CREATE INDEX reader_content_over ON reader_content (dossier_id, expires_at);

CREATE TABLE reader_pages (
    id text COLLATE "C" NOT NULL,
    url text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id)
);
CREATE INDEX reader_pages_at ON reader_pages (dossier_id, at);

CREATE TABLE handovers (
    id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    sink text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    changes bigint NOT NULL,
    delivered bigint NOT NULL,
    attempt bigint NOT NULL,
    code text COLLATE "C" NOT NULL,
    error text COLLATE "C" NOT NULL,
    retry_at bigint,
    duration_ms bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id)
);
CREATE INDEX handovers_sink ON handovers (dossier_id, sink, id);

CREATE TABLE news_feeds (
    source_id text COLLATE "C" NOT NULL,
    given_url text COLLATE "C" NOT NULL,
    lang text COLLATE "C" NOT NULL,
    newest_at bigint,
    notes text COLLATE "C" NOT NULL,
    checked_at bigint,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, source_id),
    FOREIGN KEY (dossier_id, source_id) REFERENCES sources (dossier_id, id) ON DELETE CASCADE
);

CREATE TABLE news_rows (
    row_id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    url_hash text COLLATE "C" NOT NULL,  -- of the address it was first found at
    seen_at bigint NOT NULL,  -- when a feed last had it
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, row_id),
    UNIQUE (dossier_id, url_hash)
);

CREATE TABLE news_entries (
    request_id text COLLATE "C" NOT NULL,
    row_id bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, request_id),
    FOREIGN KEY (dossier_id, request_id) REFERENCES requests (dossier_id, id) ON DELETE CASCADE,
    FOREIGN KEY (dossier_id, row_id) REFERENCES news_rows (dossier_id, row_id)
);

CREATE TABLE news_runs (
    seq bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    record text COLLATE "C" NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, seq),
    UNIQUE (dossier_id, id)
);

CREATE TABLE news_books (
    book text COLLATE "C" NOT NULL,
    book_id text COLLATE "C" NOT NULL,
    cursor bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, book)
);

CREATE TABLE news_written (
    book text COLLATE "C" NOT NULL,
    sheet text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    tag text COLLATE "C" NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, book) REFERENCES news_books (dossier_id, book),
    PRIMARY KEY (dossier_id, book, sheet, key)
);

CREATE TABLE repairs (
    id text COLLATE "C" NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    rule text COLLATE "C" NOT NULL,
    before text COLLATE "C" NOT NULL,
    after text COLLATE "C" NOT NULL,
    proof text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    applied_at bigint,  -- NULL: only proposed
    undone_at bigint,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id),
    FOREIGN KEY (dossier_id, source_id) REFERENCES sources (dossier_id, id) ON DELETE CASCADE
);
CREATE INDEX repairs_source ON repairs (dossier_id, source_id, rule, at);
CREATE INDEX repairs_at ON repairs (dossier_id, at);
CREATE INDEX repairs_open ON repairs (dossier_id, at) WHERE applied_at IS NULL AND undone_at IS NULL;

-- Rules and what they fire. Scope and actions are JSON, see `core.alerts.models`.
CREATE TABLE rules (
    id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    expression text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    actions text COLLATE "C" NOT NULL,
    weight bigint NOT NULL,
    enabled bigint NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    since_seq bigint NOT NULL,  -- it looks at later changes only
    since_at bigint NOT NULL,  -- and at what happens to sources after this
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id),
    UNIQUE (dossier_id, name)
);

CREATE TABLE channels (
    id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    shown text COLLATE "C" NOT NULL,
    frequency text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,  -- on, paused, failed
    problem text COLLATE "C" NOT NULL,
    attempts bigint NOT NULL,
    retry_at bigint,
    user_id text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    options text COLLATE "C" NOT NULL,  -- JSON, without the secret ones
    key_id text COLLATE "C" NOT NULL,
    secrets bytea NOT NULL,  -- JSON, sealed
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id),
    UNIQUE (dossier_id, name)
);

CREATE TABLE happenings (
    seq bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    at bigint NOT NULL,
    occasion text COLLATE "C" NOT NULL,  -- health, run
    source_id text COLLATE "C" NOT NULL,
    state_before text COLLATE "C" NOT NULL,
    state_after text COLLATE "C" NOT NULL,
    code text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    run text COLLATE "C" NOT NULL,
    has_failed bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, seq)
);

CREATE TABLE alerts (
    seq bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    rule_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,  -- what it is about: a rule fires once for it
    at bigint NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    change text COLLATE "C" NOT NULL,
    record text COLLATE "C" NOT NULL,  -- JSON, see `core.alerts.models.Alert`
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, seq),
    UNIQUE (dossier_id, id),
    UNIQUE (dossier_id, rule_id, key)
);
CREATE INDEX alerts_rule ON alerts (dossier_id, rule_id, seq);
CREATE INDEX alerts_source ON alerts (dossier_id, source_id, seq);
CREATE INDEX alerts_document ON alerts (dossier_id, document_id, rule_id);

CREATE TABLE messages (
    seq bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    made_at bigint NOT NULL,
    state text COLLATE "C" NOT NULL,  -- open, sent, skipped
    notice text COLLATE "C" NOT NULL,
    alerts bigint NOT NULL,  -- how many it tells of
    attempts bigint NOT NULL DEFAULT 0,
    problem text COLLATE "C" NOT NULL DEFAULT '',
    sent_at bigint,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, seq),
    UNIQUE (dossier_id, id),
    FOREIGN KEY (dossier_id, channel_id) REFERENCES channels (dossier_id, id) ON DELETE CASCADE
);
CREATE INDEX messages_channel ON messages (dossier_id, channel_id, seq);
CREATE INDEX messages_open ON messages (dossier_id, channel_id, seq) WHERE state = 'open';

CREATE TABLE tellings (
    seq bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,  -- in this order they are told
    alert bigint NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    message bigint,  -- NULL until it is in a message
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, seq),
    FOREIGN KEY (dossier_id, alert) REFERENCES alerts (dossier_id, seq) ON DELETE CASCADE,
    FOREIGN KEY (dossier_id, channel_id) REFERENCES channels (dossier_id, id) ON DELETE CASCADE,
    FOREIGN KEY (dossier_id, message) REFERENCES messages (dossier_id, seq) ON DELETE CASCADE
);
CREATE INDEX tellings_alert ON tellings (dossier_id, alert);
CREATE INDEX tellings_waiting ON tellings (dossier_id, channel_id, seq) WHERE message IS NULL;
CREATE INDEX tellings_message ON tellings (dossier_id, message) WHERE message IS NOT NULL;

CREATE TABLE document_tags (
    document_id text COLLATE "C" NOT NULL,
    tag text COLLATE "C" NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, document_id) REFERENCES documents (dossier_id, id) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, document_id, tag)
);
CREATE INDEX document_tags_tag ON document_tags (dossier_id, tag);

-- Links by which anybody may read one document until a time. Only the hash of the link's token is known.
CREATE TABLE shares (
    id text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    made_by text COLLATE "C" NOT NULL,  -- the user
    created_at bigint NOT NULL,
    until bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, id),
    UNIQUE (dossier_id, hash),
    FOREIGN KEY (dossier_id, document_id) REFERENCES documents (dossier_id, id) ON DELETE CASCADE
);
CREATE INDEX shares_document ON shares (dossier_id, document_id);

-- Deleted rules, channels and saved searches that can be restored.
CREATE TABLE trashed_setups (
    kind text COLLATE "C" NOT NULL,  -- rule, channel, search
    id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    trashed_at bigint NOT NULL,
    rows text COLLATE "C" NOT NULL,  -- JSON: what was deleted of each table
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, kind, id)
);

CREATE TABLE hidden_changes (
    seq bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, seq)
);

CREATE TABLE sink_finds (
    sink text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,  -- of the change that a rule hands to the sink
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, sink, seq)
);
-- Answers of a language model, by a hash of what it was asked; until a time, or until a document they are from is deleted.
CREATE TABLE model_answers (
    key text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    prompt text COLLATE "C" NOT NULL,  -- its name and version
    answer text COLLATE "C" NOT NULL,  -- JSON
    at bigint NOT NULL,
    expires_at bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, key)
);
CREATE INDEX model_answers_expire ON model_answers (dossier_id, expires_at);

CREATE TABLE model_answer_documents (
    key text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, key) REFERENCES model_answers (dossier_id, key) ON DELETE CASCADE,
    FOREIGN KEY (dossier_id, document_id) REFERENCES documents (dossier_id, id) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, key, document_id)
);
CREATE INDEX model_answer_documents_document ON model_answer_documents (dossier_id, document_id);

CREATE TABLE model_days (
    day bigint NOT NULL,  -- since 1970, in UTC
    tokens bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    PRIMARY KEY (dossier_id, day)
);
-- What a revision is about, by each version of the rules or of the prompt. The record is JSON, see `core.analyse.records`.
CREATE TABLE analyses (
    revision_id text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    content_hash text COLLATE "C" NOT NULL,  -- of the text that was read
    made_by text COLLATE "C" NOT NULL,  -- rules, or the name of a model
    made_at bigint NOT NULL,
    code text COLLATE "C" NOT NULL,  -- why rules made it though a model was asked
    attempts bigint NOT NULL,
    is_open bigint NOT NULL,  -- whether the model is to be asked again
    record text COLLATE "C" NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, revision_id) REFERENCES revisions (dossier_id, id) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, revision_id, version)
);
CREATE INDEX analyses_document ON analyses (dossier_id, document_id, version, made_at);

-- The topics and tags of the last analysis, in lower case
CREATE TABLE document_labels (
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('topic', 'tag')),
    label text COLLATE "C" NOT NULL,
    document bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, document) REFERENCES documents (dossier_id, row) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, label, kind, document)
);
CREATE INDEX document_labels_document ON document_labels (dossier_id, document);

-- Where an analysed document links to
CREATE TABLE document_links (
    target bigint NOT NULL,  -- the first 15 digits of the hash of an address
    document bigint NOT NULL,
    dossier_id uuid NOT NULL DEFAULT veille_functions.dossier(),
    FOREIGN KEY (dossier_id, document) REFERENCES documents (dossier_id, row) ON DELETE CASCADE,
    PRIMARY KEY (dossier_id, target, document)
);
CREATE INDEX document_links_document ON document_links (dossier_id, document);
