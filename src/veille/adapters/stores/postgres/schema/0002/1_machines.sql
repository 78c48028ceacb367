-- Several machines: who is alive on which, and which hosts somebody else waits for.
CREATE TABLE veille.programs (
    name text COLLATE "C" NOT NULL,
    machine text COLLATE "C" NOT NULL,  -- whose files say whether it is alive
    beat_at bigint NOT NULL,
    PRIMARY KEY (name)
);

ALTER TABLE veille.host_leases ADD COLUMN wanted_at bigint NOT NULL DEFAULT 0;  -- when somebody else last asked for it
