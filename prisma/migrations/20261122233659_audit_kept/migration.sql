-- CreateIndex
CREATE INDEX "audit_entry_account_id_key_id_id_idx" ON "audit_entry"("account_id", "key_id", "id");

-- CreateIndex
CREATE INDEX "audit_entry_account_id_action_id_idx" ON "audit_entry"("account_id", "action", "id");

-- Nothing of the log is changed, and nothing leaves it but with its account: while that stands, a row is not removed.
CREATE FUNCTION audit_entry_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT FROM account WHERE id = OLD.account_id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'The audit log is append-only: no entry of it is changed or removed.'
    USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER audit_entry_kept BEFORE UPDATE OR DELETE ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION audit_entry_kept();
CREATE TRIGGER audit_entry_not_emptied BEFORE TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_kept();
