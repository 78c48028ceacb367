-- When somebody else last asked for a host that a worker has.
ALTER TABLE host_leases ADD COLUMN wanted_at INTEGER NOT NULL DEFAULT 0;

-- A line may lose whom it is about when that person is erased, and nothing else.
DROP TRIGGER audit_stays;
CREATE TRIGGER audit_stays BEFORE UPDATE ON audit WHEN NOT (
    new.seq = old.seq AND new.at = old.at AND new.user_id = old.user_id AND new.way = old.way AND new.action = old.action
    AND new.dossier_id = old.dossier_id AND new.detail = '{}' AND new.who IN (old.who, '(deleted)')
    AND new.address IN (old.address, '')) BEGIN SELECT RAISE(ABORT, 'the audit log is never changed'); END;
