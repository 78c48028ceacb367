-- The tables of a dossier. A version that was released is never edited: add the next one.

CREATE TABLE sources (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,  -- two spellings of one address are one source
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    url TEXT NOT NULL,
    config TEXT NOT NULL DEFAULT '{}',
    interval_ms INTEGER NOT NULL,
    original_interval_ms INTEGER,
    cron TEXT NOT NULL DEFAULT '',
    pace_ms INTEGER,                     -- current check interval, if it adapts to changes
    rhythm TEXT,                         -- JSON: the feed's own hints about that
    enabled INTEGER NOT NULL DEFAULT 1,
    state TEXT NOT NULL DEFAULT 'pending',
    failures INTEGER NOT NULL DEFAULT 0,
    error_code TEXT NOT NULL DEFAULT '',
    error TEXT NOT NULL DEFAULT '',
    moved_to TEXT NOT NULL DEFAULT '',
    moved_seen INTEGER NOT NULL DEFAULT 0,
    checked_at INTEGER,
    changed_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    run_until INTEGER NOT NULL DEFAULT 0, -- when this turn must end; 0: no limit
    settled_at INTEGER,                   -- when its first check was complete
    trashed_at INTEGER,                   -- when it was deleted; it can be restored until it is purged
    was_enabled INTEGER NOT NULL DEFAULT 1, -- whether it was checked before it was deleted
    muted_until INTEGER NOT NULL DEFAULT 0  -- its changes before this time count as read, and no rule fires on them
) WITHOUT ROWID;
CREATE INDEX sources_muted ON sources (muted_until) WHERE muted_until > 0;
CREATE INDEX sources_trashed ON sources (trashed_at) WHERE trashed_at IS NOT NULL;

-- The tags of sources, as their options have them: kept by triggers, so that every writer keeps them.
CREATE TABLE source_tags (
    source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (source_id, tag)
) WITHOUT ROWID, STRICT;
CREATE INDEX source_tags_tag ON source_tags (tag, source_id);
CREATE TRIGGER source_tagged AFTER INSERT ON sources BEGIN
    INSERT OR IGNORE INTO source_tags SELECT new.id, trim(value) FROM json_each(iif(json_valid(new.config), new.config, '{}'), '$.tags')
        WHERE type = 'text' AND trim(value) <> ''; END;
CREATE TRIGGER source_retagged AFTER UPDATE OF config, trashed_at ON sources
    WHEN old.config IS NOT new.config OR old.trashed_at IS NOT new.trashed_at BEGIN
    DELETE FROM source_tags WHERE source_id = new.id;
    INSERT OR IGNORE INTO source_tags SELECT new.id, trim(value) FROM json_each(iif(json_valid(new.config), new.config, '{}'), '$.tags')
        WHERE type = 'text' AND trim(value) <> '' AND new.trashed_at IS NULL; END;

CREATE INDEX sources_ailing ON sources (state) WHERE state IN ('error', 'broken', 'suspect');

CREATE TABLE requests (
    id TEXT PRIMARY KEY,
    source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    purpose TEXT NOT NULL,
    stamp TEXT NOT NULL DEFAULT '',
    every INTEGER NOT NULL DEFAULT 0,    -- at every Nth check; 0: only a new stamp makes it due
    optional INTEGER NOT NULL DEFAULT 0,
    pattern TEXT NOT NULL DEFAULT '',    -- the shape of the address, if it is counted
    counted INTEGER NOT NULL DEFAULT 0,  -- whether it counts against the budget now
    depth INTEGER NOT NULL DEFAULT 0,
    context TEXT NOT NULL DEFAULT '{}',
    final_url TEXT NOT NULL DEFAULT '',  -- the address that gave the validators
    etag TEXT NOT NULL DEFAULT '',
    last_modified TEXT NOT NULL DEFAULT '',
    raw_hash TEXT NOT NULL DEFAULT '',
    size INTEGER NOT NULL DEFAULT 0,     -- bytes a full answer takes on the wire
    full_at INTEGER NOT NULL DEFAULT 0,
    polls INTEGER NOT NULL DEFAULT 0,    -- conditional answers since full_at
    churn INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER,                      -- NULL: nothing to do
    wakes INTEGER NOT NULL DEFAULT 0,    -- how often it was made due out of turn
    parked INTEGER NOT NULL DEFAULT 0,   -- its source is paused
    attempts INTEGER NOT NULL DEFAULT 0,
    deaths INTEGER NOT NULL DEFAULT 0,   -- workers that died on it since it was last done
    glimpse TEXT NOT NULL DEFAULT '',    -- what the first of two checks saw
    failed_with TEXT NOT NULL DEFAULT '',  -- the code of the last failure, empty after a good answer
    error TEXT NOT NULL DEFAULT '',      -- the message of the last failure
    found_at INTEGER NOT NULL DEFAULT 0,
    done_at INTEGER NOT NULL DEFAULT 0,  -- when it was last processed, with any result
    lease_owner TEXT,
    leased_at INTEGER NOT NULL DEFAULT 0,
    lease_until INTEGER NOT NULL DEFAULT 0,
    lease_epoch INTEGER NOT NULL DEFAULT 0,
    document_id TEXT                     -- the document at this very address
) WITHOUT ROWID;
CREATE INDEX requests_due ON requests (due_at) WHERE due_at IS NOT NULL AND parked = 0;
CREATE INDEX requests_host ON requests (host, due_at) WHERE due_at IS NOT NULL AND parked = 0;
CREATE INDEX requests_leased ON requests (lease_owner, lease_until) WHERE lease_owner IS NOT NULL;
CREATE INDEX requests_source ON requests (source_id);
CREATE INDEX requests_roots ON requests (source_id, done_at, raw_hash) WHERE purpose = 'root';
CREATE INDEX requests_levels ON requests (due_at, source_id, depth, full_at)
    WHERE depth > 0 AND due_at IS NOT NULL AND parked = 0;
CREATE INDEX requests_document ON requests (document_id) WHERE document_id IS NOT NULL;

CREATE TABLE documents (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    source_id TEXT NOT NULL REFERENCES sources (id),
    state TEXT NOT NULL,                 -- current, removed, duplicate; of a deleted source: trashed and one of these
    duplicate_of TEXT,
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    lang TEXT NOT NULL DEFAULT '',
    content_hash TEXT NOT NULL,
    revision_id TEXT,
    rev_n INTEGER NOT NULL DEFAULT 0,
    published_at INTEGER,
    first_seen_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    facts TEXT NOT NULL DEFAULT '',      -- JSON: the metadata whose change counts, see `core.change.metadata_changes`
    beside BLOB NOT NULL DEFAULT x''     -- marks of lines outside the content, 4 bytes each
);
CREATE INDEX documents_text ON documents (content_hash) WHERE state = 'current';
CREATE INDEX documents_source ON documents (source_id, changed_at, state);
CREATE INDEX documents_changed ON documents (changed_at);
CREATE INDEX documents_other ON documents (state, changed_at) WHERE state <> 'current';
CREATE INDEX documents_duplicates ON documents (duplicate_of) WHERE duplicate_of IS NOT NULL;

CREATE TABLE identities (
    key TEXT PRIMARY KEY,
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX identities_document ON identities (document_id);

CREATE TABLE sightings (
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    PRIMARY KEY (document_id, source_id)
) WITHOUT ROWID;
CREATE INDEX sightings_source ON sightings (source_id);

CREATE TABLE revisions (
    id TEXT PRIMARY KEY,
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    n INTEGER NOT NULL,
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    lang TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    meta TEXT NOT NULL,
    strategy TEXT NOT NULL,
    quality REAL,                        -- share of the page's main container in the text; NULL if unknown
    published_at INTEGER,
    extracted_at INTEGER NOT NULL,
    text_length INTEGER NOT NULL,        -- in characters
    kept TEXT NOT NULL DEFAULT 'here',   -- here, archived, removed: where its contents are, see `core.archive.content_state`
    delta INTEGER NOT NULL DEFAULT 0,
    -- The contents come last: queries that do not need them do not read their pages.
    text BLOB NOT NULL,                  -- zlib; with delta, Zstandard with the next revision's as prefix
    html BLOB NOT NULL,                  -- likewise
    UNIQUE (document_id, n)
);

CREATE TABLE archived_revisions (        -- where archived contents are, see `core.archive.archive_files`
    revision_id TEXT PRIMARY KEY REFERENCES revisions (id) ON DELETE CASCADE,
    file TEXT NOT NULL,
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    line INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX archived_revisions_file ON archived_revisions (file);

CREATE TABLE options (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID, STRICT;

-- Answers that are kept as they came, to be read again: a body, the answers that had it, the revisions read from them.
CREATE TABLE raw_bodies (
    hash TEXT PRIMARY KEY,               -- SHA-256
    size INTEGER NOT NULL,
    data BLOB NOT NULL                   -- Zstandard
) STRICT;

CREATE TABLE raw_answers (
    id TEXT PRIMARY KEY,
    source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    hash TEXT NOT NULL REFERENCES raw_bodies (hash),
    fetched_at INTEGER NOT NULL,
    read_by TEXT NOT NULL,               -- the reader that read it last
    options TEXT NOT NULL,               -- a hash of the options it was read with
    read_at INTEGER NOT NULL,
    reads INTEGER NOT NULL DEFAULT 0,    -- how often it was read again: only who knows the number may write
    facts BLOB NOT NULL                  -- JSON, Zstandard: the request, and what came with the body
) STRICT;
CREATE INDEX raw_answers_source ON raw_answers (source_id);
CREATE INDEX raw_answers_hash ON raw_answers (hash);

CREATE TABLE raw_revisions (
    revision_id TEXT PRIMARY KEY REFERENCES revisions (id) ON DELETE CASCADE,
    answer TEXT NOT NULL REFERENCES raw_answers (id) ON DELETE CASCADE,
    key TEXT NOT NULL,                   -- which document of the answer it is
    outcome TEXT NOT NULL DEFAULT '',    -- when it was last read again: same, changed, failed; empty: it never was
    code TEXT NOT NULL DEFAULT ''        -- of the failure
) WITHOUT ROWID, STRICT;
CREATE INDEX raw_revisions_answer ON raw_revisions (answer);
CREATE TRIGGER raw_revision_deleted AFTER DELETE ON raw_revisions BEGIN
    DELETE FROM raw_answers WHERE id = old.answer
        AND NOT EXISTS (SELECT 1 FROM raw_revisions WHERE answer = old.answer); END;
CREATE TRIGGER raw_answer_deleted AFTER DELETE ON raw_answers BEGIN
    DELETE FROM raw_bodies WHERE hash = old.hash
        AND NOT EXISTS (SELECT 1 FROM raw_answers WHERE hash = old.hash); END;

-- Pictures of pages: one for all revisions that look the same.
CREATE TABLE pictures (
    hash TEXT PRIMARY KEY,               -- SHA-256 of its pixels
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    data BLOB NOT NULL                   -- WebP
) STRICT;

CREATE TABLE revision_pictures (
    revision_id TEXT PRIMARY KEY REFERENCES revisions (id) ON DELETE CASCADE,
    hash TEXT NOT NULL REFERENCES pictures (hash)
) WITHOUT ROWID, STRICT;
CREATE INDEX revision_pictures_hash ON revision_pictures (hash);
CREATE TRIGGER revision_picture_deleted AFTER DELETE ON revision_pictures BEGIN
    DELETE FROM pictures WHERE hash = old.hash
        AND NOT EXISTS (SELECT 1 FROM revision_pictures WHERE hash = old.hash); END;

CREATE TABLE first_pictures (            -- of pages that look different, until they are fetched again
    request_id TEXT PRIMARY KEY REFERENCES requests (id) ON DELETE CASCADE,
    data BLOB NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE failed_steps (              -- what the page looked like when a step failed last
    source_id TEXT PRIMARY KEY REFERENCES sources (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    message TEXT NOT NULL,
    data BLOB NOT NULL                   -- PNG
) WITHOUT ROWID, STRICT;

CREATE TABLE bodies (
    row INTEGER PRIMARY KEY REFERENCES documents (row) ON DELETE CASCADE,
    title TEXT NOT NULL,
    text TEXT NOT NULL
);

CREATE VIRTUAL TABLE search USING fts5 (
    title, text, content = 'bodies', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE VIRTUAL TABLE search_words USING fts5vocab (search, row);

CREATE VIRTUAL TABLE forms USING fts5 (  -- the same texts by word forms, as core/search/words.py has them
    title, text, content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

-- No trigger for what is added: the writer does that, see SqliteWriter.finish. Bodies are never updated.
CREATE TRIGGER bodies_deleted AFTER DELETE ON bodies BEGIN
    INSERT INTO search (search, rowid, title, text) VALUES ('delete', old.row, old.title, old.text);
    DELETE FROM forms WHERE rowid = old.row; END;

-- Search by meaning, where it is switched on: the pieces of the current texts, and vectors, which belong to the hash of a
-- piece. An equal piece is embedded once, wherever it stands and however often it comes back.
CREATE TABLE embedders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,           -- of its vectors: those of different names cannot be compared
    label TEXT NOT NULL,                 -- as it is called in the settings
    languages TEXT NOT NULL              -- JSON: the languages it knows; null for all
) STRICT;

CREATE TABLE pieces (
    document INTEGER NOT NULL REFERENCES documents (row) ON DELETE CASCADE,
    n INTEGER NOT NULL,                  -- from 0; the title is -1
    start INTEGER NOT NULL,              -- in the text of the current revision
    end INTEGER NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (document, n)
) WITHOUT ROWID, STRICT;
CREATE INDEX pieces_hash ON pieces (hash);

CREATE TABLE uncut (                     -- documents whose pieces are still to be made
    document INTEGER PRIMARY KEY REFERENCES documents (row) ON DELETE CASCADE
) STRICT;

CREATE TABLE to_embed (
    seq INTEGER PRIMARY KEY,
    embedder INTEGER NOT NULL REFERENCES embedders (id) ON DELETE CASCADE,
    hash BLOB NOT NULL,
    until INTEGER NOT NULL DEFAULT 0,    -- somebody is at it until then
    UNIQUE (hash, embedder)
) STRICT;
CREATE INDEX to_embed_embedder ON to_embed (embedder, until);

CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again: caches read what was added by it
    embedder INTEGER NOT NULL REFERENCES embedders (id) ON DELETE CASCADE,
    hash BLOB NOT NULL,
    numbers BLOB NOT NULL,               -- 8 bits each
    UNIQUE (hash, embedder)
) STRICT;
CREATE INDEX vectors_embedder ON vectors (embedder);

CREATE TABLE vector_bits (               -- a table of its own, because it is read as a whole
    id INTEGER PRIMARY KEY REFERENCES vectors (id) ON DELETE CASCADE,
    embedder INTEGER NOT NULL,
    bits BLOB NOT NULL                   -- the signs of the numbers
) STRICT;

-- What belongs to a piece goes with the last one of its hash: at once if its document was deleted; if its document was
-- written again, at the end of that transaction, because the same piece may come back in it.
CREATE TABLE loose_hashes (
    hash BLOB PRIMARY KEY
) WITHOUT ROWID, STRICT;
CREATE TRIGGER piece_deleted AFTER DELETE ON pieces
    WHEN NOT EXISTS (SELECT 1 FROM documents WHERE row = old.document) BEGIN
    DELETE FROM vectors WHERE hash = old.hash AND NOT EXISTS (SELECT 1 FROM pieces WHERE hash = old.hash);
    DELETE FROM to_embed WHERE hash = old.hash AND NOT EXISTS (SELECT 1 FROM pieces WHERE hash = old.hash); END;
CREATE TRIGGER piece_replaced AFTER DELETE ON pieces
    WHEN EXISTS (SELECT 1 FROM documents WHERE row = old.document) BEGIN
    INSERT OR IGNORE INTO loose_hashes VALUES (old.hash); END;

CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    change TEXT NOT NULL,
    source_id TEXT NOT NULL,
    document_id TEXT NOT NULL,
    revision_id TEXT NOT NULL,
    rev_n INTEGER NOT NULL,
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    changed_metadata TEXT NOT NULL DEFAULT '',  -- names, separated by spaces; empty if the text changed
    is_first INTEGER NOT NULL DEFAULT 0, -- whether the first check of its source found it
    told TEXT NOT NULL DEFAULT '',       -- JSON: what it says at first sight, see `core.told`
    past INTEGER NOT NULL DEFAULT 0      -- whether it happened in another dossier: lists show it, nobody is told of it
);
CREATE INDEX outbox_document ON outbox (document_id);

CREATE TABLE value_points (
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,                -- of the event in the outbox that brought it
    at INTEGER NOT NULL,
    revision_id TEXT NOT NULL,
    type TEXT NOT NULL,
    text TEXT,                           -- NULL: from then on it was not found
    number REAL,
    unit TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (document_id, name, seq)
) WITHOUT ROWID, STRICT;
CREATE INDEX value_points_seq ON value_points (seq);

CREATE TABLE cursors (
    sink TEXT PRIMARY KEY,
    seq INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    until INTEGER NOT NULL DEFAULT 0,
    delivered_at INTEGER
) WITHOUT ROWID;

CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    counts TEXT,                           -- the counts up to its last end
    tallied INTEGER NOT NULL DEFAULT 0     -- the lines up to this one are in run_tallies
) WITHOUT ROWID;
CREATE INDEX runs_started ON runs (started_at);

CREATE TABLE run_items (
    seq INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    source_id TEXT NOT NULL,
    change TEXT NOT NULL,
    documents INTEGER NOT NULL DEFAULT 1,  -- unchanged documents of one answer share a line; 0: it only lists them
    url TEXT NOT NULL,
    title TEXT NOT NULL DEFAULT '',
    code TEXT NOT NULL DEFAULT '',
    message TEXT NOT NULL DEFAULT '',
    status INTEGER NOT NULL DEFAULT 0,
    document_id TEXT NOT NULL DEFAULT '',
    duration_ms INTEGER NOT NULL DEFAULT 0,
    wire_bytes INTEGER NOT NULL DEFAULT 0,
    found INTEGER                          -- entries in the answer, on its first line; NULL if it was not read
);
CREATE INDEX run_items_run ON run_items (run_id, change, source_id);
CREATE INDEX run_items_source ON run_items (source_id, at);

CREATE TABLE run_tallies (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    change TEXT NOT NULL,
    source_id TEXT NOT NULL,
    documents INTEGER NOT NULL,
    PRIMARY KEY (run_id, change, source_id)
) WITHOUT ROWID;

CREATE TABLE patterns (
    source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    pattern TEXT NOT NULL,               -- empty: all together
    requests INTEGER NOT NULL,
    PRIMARY KEY (source_id, pattern)
) WITHOUT ROWID;

CREATE TABLE notices (
    source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    code TEXT NOT NULL,
    about TEXT NOT NULL,
    run_id TEXT NOT NULL,                -- the run that reported it last
    times INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (source_id, code, about)
) WITHOUT ROWID;

CREATE TABLE crawl_configs (
    version INTEGER PRIMARY KEY,
    config TEXT NOT NULL,
    set_by TEXT NOT NULL,
    set_at INTEGER NOT NULL
) STRICT;

CREATE TABLE crawls (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    choice TEXT NOT NULL,
    config_version INTEGER NOT NULL,
    launched_by TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    first_seq INTEGER NOT NULL DEFAULT 0,    -- its lines of run_items come after this one
    last_seq INTEGER,
    code TEXT NOT NULL DEFAULT '',
    message TEXT NOT NULL DEFAULT '',
    deliveries TEXT NOT NULL DEFAULT '[]'
) WITHOUT ROWID, STRICT;
CREATE INDEX crawls_requested ON crawls (requested_at);

CREATE TABLE engines (
    id TEXT PRIMARY KEY,
    record TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE saved_searches (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    query TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    sink TEXT NOT NULL DEFAULT '',   -- gets what it newly finds
    matched_seq INTEGER NOT NULL     -- changes up to here were matched
) WITHOUT ROWID, STRICT;

CREATE TABLE search_alerts (
    search_id TEXT NOT NULL REFERENCES saved_searches (id) ON DELETE CASCADE,
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,            -- the last change of it that was found
    PRIMARY KEY (search_id, document_id)
) WITHOUT ROWID, STRICT;
CREATE INDEX search_alerts_latest ON search_alerts (search_id, seq);
CREATE INDEX search_alerts_document ON search_alerts (document_id);

CREATE TABLE search_looks (
    user_id TEXT NOT NULL,
    search_id TEXT NOT NULL REFERENCES saved_searches (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    PRIMARY KEY (user_id, search_id)
) WITHOUT ROWID, STRICT;
CREATE INDEX search_looks_search ON search_looks (search_id);

CREATE TABLE search_log (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    query TEXT NOT NULL,
    result_count INTEGER NOT NULL,
    searched_at INTEGER NOT NULL
) STRICT;

CREATE TABLE imports (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    begun_at INTEGER NOT NULL,
    ended_at INTEGER,                -- NULL: it is under way, or its service was killed
    total INTEGER NOT NULL,
    count INTEGER NOT NULL,
    added INTEGER NOT NULL,
    bad INTEGER NOT NULL,
    entries TEXT NOT NULL,           -- JSON
    problem TEXT NOT NULL
) STRICT;

CREATE TABLE days (
    day INTEGER NOT NULL,  -- days since 1970, in UTC
    host TEXT NOT NULL,
    asked INTEGER NOT NULL, not_modified INTEGER NOT NULL, failed INTEGER NOT NULL, bytes INTEGER NOT NULL, saved INTEGER NOT NULL, duration_ms INTEGER NOT NULL, new INTEGER NOT NULL, changed INTEGER NOT NULL, removed INTEGER NOT NULL, duplicates INTEGER NOT NULL,
    PRIMARY KEY (day, host)
) WITHOUT ROWID, STRICT;

CREATE TABLE source_days (
    source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    day INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    PRIMARY KEY (source_id, day)
) WITHOUT ROWID, STRICT;

CREATE TABLE visits (
    user_id TEXT PRIMARY KEY,
    seen_seq INTEGER NOT NULL DEFAULT 0,   -- everything up to here counts as read
    since_seq INTEGER NOT NULL DEFAULT 0,  -- where the visit before this one ended
    since_at INTEGER,
    shown_seq INTEGER NOT NULL DEFAULT 0,  -- the last change there was when something was last shown
    shown_at INTEGER
) WITHOUT ROWID, STRICT;

CREATE TABLE marks (
    user_id TEXT NOT NULL,
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    read_seq INTEGER NOT NULL DEFAULT 0,   -- -1: the user marked it as unread
    kept_at INTEGER,
    PRIMARY KEY (user_id, document_id)
) WITHOUT ROWID, STRICT;
CREATE INDEX marks_kept ON marks (user_id, kept_at) WHERE kept_at IS NOT NULL;
CREATE INDEX marks_unread ON marks (user_id) WHERE read_seq < 0;
CREATE INDEX marks_document ON marks (document_id);

CREATE TABLE stories (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    documents INTEGER NOT NULL DEFAULT 0,
    last_at INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX stories_told ON stories (last_at) WHERE documents > 1;

CREATE TABLE story_documents (
    document INTEGER PRIMARY KEY REFERENCES documents (row) ON DELETE CASCADE,
    story INTEGER NOT NULL REFERENCES stories (row),
    joined_at INTEGER NOT NULL,
    voice INTEGER NOT NULL,              -- newcomers are compared with it
    signature BLOB NOT NULL
);
CREATE INDEX story_documents_story ON story_documents (story, voice);
CREATE TRIGGER story_joined AFTER INSERT ON story_documents BEGIN
    UPDATE stories SET documents = documents + 1, last_at = max(last_at, new.joined_at) WHERE row = new.story; END;
CREATE TRIGGER story_left AFTER DELETE ON story_documents BEGIN
    UPDATE stories SET documents = documents - 1 WHERE row = old.story; END;
CREATE TRIGGER story_merged AFTER UPDATE OF story ON story_documents BEGIN
    UPDATE stories SET documents = documents - 1 WHERE row = old.story;
    UPDATE stories SET documents = documents + 1, last_at = max(last_at, new.joined_at) WHERE row = new.story; END;

CREATE TABLE story_marks (
    mark INTEGER NOT NULL,
    story INTEGER NOT NULL,
    PRIMARY KEY (mark, story)
) WITHOUT ROWID;

CREATE TABLE quirks (
    document_id TEXT PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    quirks TEXT NOT NULL  -- JSON, see `core.models.Quirk`
) WITHOUT ROWID;

CREATE TABLE views (
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    title TEXT NOT NULL,
    text BLOB,                           -- zlib; NULL if equal to the document's, or never compared by line
    PRIMARY KEY (document_id, source_id)
) WITHOUT ROWID;
CREATE INDEX views_source ON views (source_id);

CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    hosts TEXT NOT NULL,  -- where it may be sent, separated by spaces; also sealed into the value
    key_id TEXT NOT NULL,
    value BLOB NOT NULL,
    updated_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

-- Logins that the steps of a source made: cookies, sealed. They are used again until they are refused.
CREATE TABLE logins (
    source_id TEXT PRIMARY KEY REFERENCES sources (id) ON DELETE CASCADE,
    key_id TEXT NOT NULL,
    value BLOB NOT NULL,
    updated_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE reader_content (
    id TEXT PRIMARY KEY,
    url_key TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    readable INTEGER NOT NULL DEFAULT 0,
    strategy TEXT,
    title TEXT,
    content TEXT,
    text_content TEXT,
    excerpt TEXT,
    byline TEXT,
    site_name TEXT,
    word_count INTEGER,
    reading_time_minutes INTEGER,
    meta_title TEXT,
    meta_description TEXT,
    error TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX reader_content_over ON reader_content (expires_at);

CREATE TABLE reader_pages (
    id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX reader_pages_at ON reader_pages (at);

CREATE TABLE handovers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    sink TEXT NOT NULL,
    at INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    code TEXT NOT NULL,
    error TEXT NOT NULL,
    retry_at INTEGER,
    duration_ms INTEGER NOT NULL
);
CREATE INDEX handovers_sink ON handovers (sink, id);

CREATE TABLE news_feeds (
    source_id TEXT PRIMARY KEY REFERENCES sources (id) ON DELETE CASCADE,
    given_url TEXT NOT NULL,
    lang TEXT NOT NULL,
    newest_at INTEGER,
    notes TEXT NOT NULL,
    checked_at INTEGER
) WITHOUT ROWID;

CREATE TABLE news_rows (
    row_id INTEGER PRIMARY KEY,
    url_hash TEXT NOT NULL UNIQUE,       -- of the address it was first found at
    seen_at INTEGER NOT NULL             -- when a feed last had it
);

CREATE TABLE news_entries (
    request_id TEXT PRIMARY KEY REFERENCES requests (id) ON DELETE CASCADE,
    row_id INTEGER NOT NULL REFERENCES news_rows (row_id)
) WITHOUT ROWID;

CREATE TABLE news_runs (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL
);

CREATE TABLE news_books (
    book TEXT PRIMARY KEY,
    book_id TEXT NOT NULL,
    cursor INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE news_written (
    book TEXT NOT NULL REFERENCES news_books (book),
    sheet TEXT NOT NULL,
    key TEXT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (book, sheet, key)
) WITHOUT ROWID;

CREATE TABLE repairs (
    id TEXT PRIMARY KEY,
    source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    rule TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    proof TEXT NOT NULL,
    at INTEGER NOT NULL,
    applied_at INTEGER,                  -- NULL: only proposed
    undone_at INTEGER
) WITHOUT ROWID;
CREATE INDEX repairs_source ON repairs (source_id, rule, at);
CREATE INDEX repairs_at ON repairs (at);
CREATE INDEX repairs_open ON repairs (at) WHERE applied_at IS NULL AND undone_at IS NULL;

-- Rules and what they fire. Scope and actions are JSON, see `core.alerts.models`.
CREATE TABLE rules (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    expression TEXT NOT NULL,
    scope TEXT NOT NULL,
    actions TEXT NOT NULL,
    weight INTEGER NOT NULL,
    enabled INTEGER NOT NULL,
    user_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    since_seq INTEGER NOT NULL,          -- it looks at later changes only
    since_at INTEGER NOT NULL            -- and at what happens to sources after this
) WITHOUT ROWID, STRICT;

CREATE TABLE channels (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    shown TEXT NOT NULL,
    frequency TEXT NOT NULL,
    state TEXT NOT NULL,                 -- on, paused, failed
    problem TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    retry_at INTEGER,
    user_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    options TEXT NOT NULL,               -- JSON, without the secret ones
    key_id TEXT NOT NULL,
    secrets BLOB NOT NULL                -- JSON, sealed
) WITHOUT ROWID, STRICT;

CREATE TABLE happenings (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    occasion TEXT NOT NULL,              -- health, run
    source_id TEXT NOT NULL,
    state_before TEXT NOT NULL,
    state_after TEXT NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    run TEXT NOT NULL,
    has_failed INTEGER NOT NULL
) STRICT;

CREATE TABLE alerts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    rule_id TEXT NOT NULL,
    key TEXT NOT NULL,                   -- what it is about: a rule fires once for it
    at INTEGER NOT NULL,
    source_id TEXT NOT NULL,
    document_id TEXT NOT NULL,
    change TEXT NOT NULL,
    record TEXT NOT NULL,                -- JSON, see `core.alerts.models.Alert`
    UNIQUE (rule_id, key)
) STRICT;
CREATE INDEX alerts_rule ON alerts (rule_id, seq);
CREATE INDEX alerts_source ON alerts (source_id, seq);
CREATE INDEX alerts_document ON alerts (document_id, rule_id);

CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    state TEXT NOT NULL,                 -- open, sent, skipped
    notice TEXT NOT NULL,
    alerts INTEGER NOT NULL,             -- how many it tells of
    attempts INTEGER NOT NULL DEFAULT 0,
    problem TEXT NOT NULL DEFAULT '',
    sent_at INTEGER
) STRICT;
CREATE INDEX messages_channel ON messages (channel_id, seq);
CREATE INDEX messages_open ON messages (channel_id, seq) WHERE state = 'open';

CREATE TABLE tellings (
    seq INTEGER PRIMARY KEY,             -- in this order they are told
    alert INTEGER NOT NULL REFERENCES alerts (seq) ON DELETE CASCADE,
    channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
    message INTEGER REFERENCES messages (seq) ON DELETE CASCADE  -- NULL until it is in a message
) STRICT;
CREATE INDEX tellings_alert ON tellings (alert);
CREATE INDEX tellings_waiting ON tellings (channel_id, seq) WHERE message IS NULL;
CREATE INDEX tellings_message ON tellings (message) WHERE message IS NOT NULL;

CREATE TABLE document_tags (
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (document_id, tag)
) WITHOUT ROWID, STRICT;
CREATE INDEX document_tags_tag ON document_tags (tag);

-- Links by which anybody may read one document until a time. Only the hash of the link's token is known.
CREATE TABLE shares (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    made_by TEXT NOT NULL,               -- the user
    created_at INTEGER NOT NULL,
    until INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX shares_document ON shares (document_id);

-- Deleted rules, channels and saved searches that can be restored.
CREATE TABLE trashed_setups (
    kind TEXT NOT NULL,                  -- rule, channel, search
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    trashed_at INTEGER NOT NULL,
    rows TEXT NOT NULL,                  -- JSON: what was deleted of each table
    PRIMARY KEY (kind, id)
) WITHOUT ROWID, STRICT;

CREATE TABLE hidden_changes (
    seq INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE sink_finds (
    sink TEXT NOT NULL,
    seq INTEGER NOT NULL,                -- of the change that a rule hands to the sink
    PRIMARY KEY (sink, seq)
) WITHOUT ROWID, STRICT;

-- Answers of a language model, by a hash of what it was asked; until a time, or until a document they are from is deleted.
CREATE TABLE model_answers (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    prompt TEXT NOT NULL,                -- its name and version
    answer TEXT NOT NULL,                -- JSON
    at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX model_answers_expire ON model_answers (expires_at);

CREATE TABLE model_answer_documents (
    key TEXT NOT NULL REFERENCES model_answers (key) ON DELETE CASCADE,
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    PRIMARY KEY (key, document_id)
) WITHOUT ROWID, STRICT;
CREATE INDEX model_answer_documents_document ON model_answer_documents (document_id);
CREATE TRIGGER model_answer_document_deleted AFTER DELETE ON model_answer_documents BEGIN
    DELETE FROM model_answers WHERE key = old.key; END;

CREATE TABLE model_days (
    day INTEGER PRIMARY KEY,             -- since 1970, in UTC
    tokens INTEGER NOT NULL
) STRICT;

-- What a revision is about, by each version of the rules or of the prompt. The record is JSON, see `core.analyse.records`.
CREATE TABLE analyses (
    revision_id TEXT NOT NULL REFERENCES revisions (id) ON DELETE CASCADE,
    version TEXT NOT NULL,
    document_id TEXT NOT NULL,
    content_hash TEXT NOT NULL,          -- of the text that was read
    made_by TEXT NOT NULL,               -- rules, or the name of a model
    made_at INTEGER NOT NULL,
    code TEXT NOT NULL,                  -- why rules made it though a model was asked
    attempts INTEGER NOT NULL,
    is_open INTEGER NOT NULL,            -- whether the model is to be asked again
    record TEXT NOT NULL,
    PRIMARY KEY (revision_id, version)
) STRICT;
CREATE INDEX analyses_document ON analyses (document_id, version, made_at);

CREATE TABLE document_labels (           -- the topics and tags of the last analysis, in lower case
    kind TEXT NOT NULL CHECK (kind IN ('topic', 'tag')),
    label TEXT NOT NULL,
    document INTEGER NOT NULL REFERENCES documents (row) ON DELETE CASCADE,
    PRIMARY KEY (label, kind, document)
) WITHOUT ROWID, STRICT;
CREATE INDEX document_labels_document ON document_labels (document);

CREATE TABLE document_links (            -- where an analysed document links to
    target INTEGER NOT NULL,             -- the first 15 digits of the hash of an address
    document INTEGER NOT NULL REFERENCES documents (row) ON DELETE CASCADE,
    PRIMARY KEY (target, document)
) WITHOUT ROWID, STRICT;
CREATE INDEX document_links_document ON document_links (document);
