-- The log without who signed in and out: a page may be opened more often than anything is done.
CREATE INDEX audit_entry_deeds_idx ON audit_entry (account_id, id) WHERE subject_kind <> 'session';
