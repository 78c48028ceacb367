-- The tables of the catalogue: what all dossiers of a data folder share.
-- A version that was released is never edited: add the next one.

CREATE TABLE dossiers (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    maker TEXT NOT NULL DEFAULT '',         -- the user who made it; empty: the owner of the data folder
    created_at INTEGER NOT NULL,
    next_due_at INTEGER NOT NULL DEFAULT 0, -- a hint: at most HINT_CAP later than the real due time
    day INTEGER NOT NULL DEFAULT 0,         -- days since 1970, and the requests of that day
    spent INTEGER NOT NULL DEFAULT 0,
    has_meaning INTEGER NOT NULL DEFAULT 0, -- whether it has an embedder
    UNIQUE (maker, name)
) WITHOUT ROWID;
CREATE INDEX dossiers_due ON dossiers (next_due_at);

CREATE TABLE host_leases (
    host TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    until INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE duties (
    name TEXT PRIMARY KEY,
    due_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE hosts (
    key TEXT PRIMARY KEY,
    next_at INTEGER NOT NULL DEFAULT 0,
    delay_ms INTEGER NOT NULL DEFAULT 0,
    paused_until INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    pauses INTEGER NOT NULL DEFAULT 0,
    robots_until INTEGER NOT NULL DEFAULT 0,
    robots_error TEXT NOT NULL DEFAULT '',
    last_status INTEGER NOT NULL DEFAULT 0,
    last_at INTEGER NOT NULL DEFAULT 0,
    requests INTEGER NOT NULL DEFAULT 0,
    not_modified INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    bytes_saved INTEGER NOT NULL DEFAULT 0,
    refusals INTEGER NOT NULL DEFAULT 0,
    errors INTEGER NOT NULL DEFAULT 0,
    robots TEXT  -- last because it may be long: the columns before it are read without it
) WITHOUT ROWID, STRICT;

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    name TEXT NOT NULL,
    password_hash TEXT,          -- argon2id; NULL: one-time links and the command line only
    is_admin INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    removed_at INTEGER
) WITHOUT ROWID, STRICT;
CREATE UNIQUE INDEX users_email ON users (email) WHERE removed_at IS NULL;

CREATE TABLE sessions (
    digest TEXT PRIMARY KEY,     -- SHA-256 of the cookie
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    address TEXT NOT NULL,
    agent TEXT NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL,        -- SHA-256 of the secret half
    user_id TEXT NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,        -- a JSON list
    dossiers TEXT,               -- a JSON list of ids; NULL: all of the user's
    networks TEXT NOT NULL,      -- a JSON list; empty: from anywhere
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    used_at INTEGER,
    revoked_at INTEGER
) WITHOUT ROWID, STRICT;
CREATE INDEX tokens_user ON tokens (user_id);

CREATE TABLE members (
    user_id TEXT NOT NULL REFERENCES users (id),
    dossier_id TEXT NOT NULL REFERENCES dossiers (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('reader', 'editor', 'owner')),
    until INTEGER,               -- NULL: until it is revoked
    PRIMARY KEY (user_id, dossier_id)
) WITHOUT ROWID, STRICT;
CREATE INDEX members_dossier ON members (dossier_id);

CREATE TABLE login_tries (
    account TEXT NOT NULL,       -- SHA-256 of what was typed: people type passwords into the wrong field
    address TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX login_tries_account ON login_tries (address, account, at);
CREATE INDEX login_tries_address ON login_tries (address, at);
CREATE INDEX login_tries_at ON login_tries (at);

CREATE TABLE links (
    digest TEXT PRIMARY KEY,     -- SHA-256 of what is in the link
    user_id TEXT NOT NULL REFERENCES users (id),
    until INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    user_id TEXT NOT NULL,       -- no foreign key: lines outlive users and dossiers
    who TEXT NOT NULL,
    way TEXT NOT NULL,
    action TEXT NOT NULL,
    dossier_id TEXT NOT NULL,
    detail TEXT NOT NULL,        -- JSON, without secrets
    address TEXT NOT NULL
) STRICT;
CREATE INDEX audit_dossier ON audit (dossier_id, seq);
CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is never changed'); END;
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is never cut'); END;

CREATE TABLE schedules (
    dossier_id TEXT PRIMARY KEY REFERENCES dossiers (id) ON DELETE CASCADE,
    cron TEXT NOT NULL,
    zone TEXT NOT NULL,
    set_by TEXT NOT NULL,
    set_at INTEGER NOT NULL,
    next_run_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX schedules_due ON schedules (next_run_at);

CREATE TABLE offers (
    kind TEXT NOT NULL,              -- engine, source
    id TEXT NOT NULL,
    record TEXT,                     -- JSON; NULL: hides the built-in offer of this id
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
) WITHOUT ROWID, STRICT;

CREATE TABLE last_sweep (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    at INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    recovered INTEGER NOT NULL,
    found TEXT NOT NULL              -- JSON
) STRICT;

CREATE TABLE alert_times (
    dossier_id TEXT PRIMARY KEY REFERENCES dossiers (id) ON DELETE CASCADE,
    due_at INTEGER NOT NULL              -- when its alerts need attention again
) WITHOUT ROWID, STRICT;
CREATE INDEX alert_times_due ON alert_times (due_at);

-- Reader apps: the passwords that they are given, and the numbers that they know things by.
CREATE TABLE app_passwords (
    digest TEXT PRIMARY KEY,     -- SHA-256 of the password
    fever TEXT NOT NULL UNIQUE,  -- SHA-256 of the key that Fever apps make of it
    token_id TEXT NOT NULL REFERENCES tokens (id)
) WITHOUT ROWID, STRICT;

CREATE TABLE reader_names (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE    -- of a source or of a folder
) STRICT;

CREATE TABLE reader_ranges (     -- the numbers of changes, see `core.readers.item_numbers`; they outlive dossiers
    start INTEGER PRIMARY KEY,
    dossier_id TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    length INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX reader_ranges_dossier ON reader_ranges (dossier_id, first_seq);
