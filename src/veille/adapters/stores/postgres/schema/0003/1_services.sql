-- Services on several machines: which key the secrets are sealed with, who called how often, and what waits for its user.
CREATE TABLE veille.vault_key (
    one bigint NOT NULL CHECK (one = 1),
    id text COLLATE "C" NOT NULL,       -- a hash of the key, never the key
    machine text COLLATE "C" NOT NULL,  -- which first had it
    PRIMARY KEY (one)
);

CREATE TABLE veille.call_turns (
    name text COLLATE "C" NOT NULL,
    left_over bigint NOT NULL,          -- in thousandths of a call
    at bigint NOT NULL,
    PRIMARY KEY (name)
);
CREATE INDEX call_turns_at ON veille.call_turns (at);

CREATE TABLE veille.shelf (
    key text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    kept_at bigint NOT NULL,
    until bigint NOT NULL,
    value bytea NOT NULL,               -- sealed with the key of the secrets
    PRIMARY KEY (key)
);
CREATE INDEX shelf_owner ON veille.shelf (owner, kept_at);
CREATE INDEX shelf_until ON veille.shelf (until);
