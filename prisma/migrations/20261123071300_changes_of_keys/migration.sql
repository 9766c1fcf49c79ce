-- AlterTable
ALTER TABLE "change" ADD COLUMN     "key_id" UUID;

-- A key that is limited to sites reads its own bulk jobs alone, so that it is told of no others.
CREATE OR REPLACE FUNCTION note_bulk_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM change_watch WHERE until > now()) THEN
    RETURN NULL;
  END IF;
  INSERT INTO change (account_id, kind, subject_id, key_id, xid)
  SELECT n.account_id, 'bulk_job', n.id, n.key_id, pg_current_xact_id()::text::bigint
  FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now();
  IF FOUND THEN
    PERFORM wake_streams();
  END IF;
  RETURN NULL;
END
$$;
