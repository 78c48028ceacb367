"""The tables of a dossier, one script per version. A version that was released is never edited: add the next one."""

from __future__ import annotations

from veille.adapters.stores.sqlite.catalog.schema import CATALOG
from veille.adapters.stores.sqlite.commit.budgets import BUDGETS_SCHEMA
from veille.adapters.stores.sqlite.commit.figures import FIGURES_SCHEMA
from veille.adapters.stores.sqlite.commit.quirks import QUIRKS_SCHEMA
from veille.adapters.stores.sqlite.read.crawls import CRAWLS_SCHEMA
from veille.adapters.stores.sqlite.read.delivery_attempts import HANDOVERS_SCHEMA
from veille.adapters.stores.sqlite.read.engines import ENGINES_SCHEMA
from veille.adapters.stores.sqlite.read.imports import IMPORTS_SCHEMA
from veille.adapters.stores.sqlite.read.marks import MARKS_SCHEMA
from veille.adapters.stores.sqlite.read.news import NEWS_SCHEMA
from veille.adapters.stores.sqlite.read.readings import READINGS_SCHEMA
from veille.adapters.stores.sqlite.read.repairs import REPAIRS_SCHEMA
from veille.adapters.stores.sqlite.read.saved_searches import SEARCHES_SCHEMA
from veille.adapters.stores.sqlite.read.search_log import SEARCH_LOG_SCHEMA
from veille.adapters.stores.sqlite.read.stories import STORIES_SCHEMA
from veille.adapters.stores.sqlite.read.vault import VAULT_SCHEMA
from veille.adapters.stores.sqlite.read.views import VIEWS_SCHEMA

__all__ = ["CATALOG", "DOSSIER"]

DOSSIER = (
    """
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
        pace_ms INTEGER,                     -- how often it is looked at now, if that follows its changes
        rhythm TEXT,                         -- JSON: what its feed says about that
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
        run_until INTEGER NOT NULL DEFAULT 0  -- when this turn has to end, if it has to
    ) WITHOUT ROWID;

    CREATE INDEX sources_ailing ON sources (state) WHERE state IN ('error', 'broken', 'suspect');

    CREATE TABLE requests (
        id TEXT PRIMARY KEY,
        source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
        url TEXT NOT NULL,
        host TEXT NOT NULL,
        purpose TEXT NOT NULL,
        stamp TEXT NOT NULL DEFAULT '',
        every INTEGER NOT NULL DEFAULT 0,    -- at every so-manieth turn; 0: only a new stamp brings it back
        optional INTEGER NOT NULL DEFAULT 0,
        pattern TEXT NOT NULL DEFAULT '',    -- the shape of the address, if it is counted
        counted INTEGER NOT NULL DEFAULT 0,  -- whether it takes a place in the budget now
        depth INTEGER NOT NULL DEFAULT 0,
        context TEXT NOT NULL DEFAULT '{}',
        final_url TEXT NOT NULL DEFAULT '',  -- the address that gave the validators
        etag TEXT NOT NULL DEFAULT '',
        last_modified TEXT NOT NULL DEFAULT '',
        raw_hash TEXT NOT NULL DEFAULT '',
        size INTEGER NOT NULL DEFAULT 0,     -- bytes a full answer takes on the wire
        full_at INTEGER NOT NULL DEFAULT 0,
        polls INTEGER NOT NULL DEFAULT 0,    -- conditional answers since then
        churn INTEGER NOT NULL DEFAULT 0,
        due_at INTEGER,                      -- NULL: nothing is to be done
        wakes INTEGER NOT NULL DEFAULT 0,    -- how often it was made due out of turn
        parked INTEGER NOT NULL DEFAULT 0,   -- its source is paused
        attempts INTEGER NOT NULL DEFAULT 0,
        deaths INTEGER NOT NULL DEFAULT 0,   -- workers that ended with it in hand, since it was last done
        glimpse TEXT NOT NULL DEFAULT '',    -- what was seen at the first of two looks
        failed_with TEXT NOT NULL DEFAULT '',  -- the code of the last failure, empty after a good answer
        error TEXT NOT NULL DEFAULT '',      -- what the last failure said
        found_at INTEGER NOT NULL DEFAULT 0,
        done_at INTEGER NOT NULL DEFAULT 0,  -- when it was last worked on, whatever came of it
        lease_owner TEXT,
        leased_at INTEGER NOT NULL DEFAULT 0,
        lease_until INTEGER NOT NULL DEFAULT 0,
        lease_epoch INTEGER NOT NULL DEFAULT 0,
        document_id TEXT                     -- the document at this very address
    ) WITHOUT ROWID;
    CREATE INDEX requests_due ON requests (due_at) WHERE due_at IS NOT NULL AND NOT parked;
    CREATE INDEX requests_host ON requests (host, due_at) WHERE due_at IS NOT NULL AND NOT parked;
    CREATE INDEX requests_leased ON requests (lease_owner, lease_until) WHERE lease_owner IS NOT NULL;
    CREATE INDEX requests_source ON requests (source_id);
    CREATE INDEX requests_roots ON requests (source_id, done_at, raw_hash) WHERE purpose = 'root';
    CREATE INDEX requests_levels ON requests (due_at, source_id, depth, full_at)
        WHERE depth > 0 AND due_at IS NOT NULL AND NOT parked;
    CREATE INDEX requests_document ON requests (document_id) WHERE document_id IS NOT NULL;

    CREATE TABLE documents (
        row INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        source_id TEXT NOT NULL REFERENCES sources (id),
        state TEXT NOT NULL,                 -- current, removed, duplicate
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
        beside BLOB NOT NULL DEFAULT x''     -- marks of what its page has beside the content, 4 bytes each
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
        quality REAL NOT NULL,
        published_at INTEGER,
        extracted_at INTEGER NOT NULL,
        text_length INTEGER NOT NULL,        -- in characters
        delta INTEGER NOT NULL DEFAULT 0,
        -- The contents come last: whoever wants none of them reads none of their pages.
        text BLOB NOT NULL,                  -- zlib; with delta, Zstandard with the next revision's as prefix
        html BLOB NOT NULL,                  -- likewise
        UNIQUE (document_id, n)
    );

    CREATE TABLE bodies (
        row INTEGER PRIMARY KEY REFERENCES documents (row) ON DELETE CASCADE,
        title TEXT NOT NULL,
        text TEXT NOT NULL
    );
    CREATE VIRTUAL TABLE search USING fts5 (
        title, text, content = 'bodies', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
    );
    CREATE VIRTUAL TABLE search_words USING fts5vocab (search, row);
    -- No trigger for what is added: the writer does that, see SqliteWriter.finish. Bodies are never updated.
    CREATE TRIGGER bodies_deleted AFTER DELETE ON bodies BEGIN
        INSERT INTO search (search, rowid, title, text) VALUES ('delete', old.row, old.title, old.text); END;

    CREATE TABLE outbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        change TEXT NOT NULL,
        source_id TEXT NOT NULL,
        document_id TEXT NOT NULL,
        revision_id TEXT NOT NULL,
        rev_n INTEGER NOT NULL,
        url TEXT NOT NULL,
        title TEXT NOT NULL
    );
    CREATE INDEX outbox_document ON outbox (document_id);
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
        counts TEXT,                           -- what it counted until it last ended
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
        found INTEGER                          -- what the answer named, on its first line; NULL when it was not read
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
    """
    + BUDGETS_SCHEMA
    + CRAWLS_SCHEMA
    + ENGINES_SCHEMA
    + SEARCHES_SCHEMA
    + SEARCH_LOG_SCHEMA
    + IMPORTS_SCHEMA
    + FIGURES_SCHEMA
    + MARKS_SCHEMA
    + STORIES_SCHEMA
    + QUIRKS_SCHEMA
    + VIEWS_SCHEMA
    + VAULT_SCHEMA
    + READINGS_SCHEMA
    + HANDOVERS_SCHEMA
    + NEWS_SCHEMA
    + REPAIRS_SCHEMA,
)
