-- A line of the audit log may lose whom it is about when that person is erased, and nothing else.
CREATE OR REPLACE FUNCTION veille.audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'UPDATE' AND new.seq = old.seq AND new.at = old.at AND new.user_id = old.user_id
            AND new.way = old.way AND new.action = old.action AND new.dossier_id = old.dossier_id AND new.detail = '{}'
            AND new.who IN (old.who, '(deleted)') AND new.address IN (old.address, '') THEN
            RETURN new;
        END IF;
        RAISE EXCEPTION 'the audit log is never changed';
    END $$;
