-- CreateTable
CREATE TABLE "change" (
    "id" BIGSERIAL NOT NULL,
    "account_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "site_ids" TEXT[],
    "xid" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "change_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "change_watch" (
    "account_id" UUID NOT NULL,
    "epoch" INTEGER NOT NULL,
    "since" BIGINT,
    "purged" BIGINT NOT NULL DEFAULT 0,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "change_watch_pkey" PRIMARY KEY ("account_id")
);

-- CreateIndex
CREATE INDEX "change_account_id_xid_idx" ON "change"("account_id", "xid");

-- CreateIndex
CREATE INDEX "change_at_idx" ON "change"("at");

-- Nothing of this need outlive a crash, or be sent to a standby: who listens is then told to read everything again.
ALTER TABLE "change" SET UNLOGGED;
ALTER TABLE "change_watch" SET UNLOGGED;

-- Wakes those who read. Of several transactions at once one does: a NOTIFY makes commits wait for each other, and who reads
-- also looks unasked.
CREATE FUNCTION wake_streams() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF pg_try_advisory_xact_lock(2426, 0) THEN
    PERFORM pg_notify('galley_changes', '');
  END IF;
END
$$;

-- Each of these writes down, once a statement, what became another for whoever looks at it, and only of accounts that somebody
-- watches. What a lease, a fence or a count moves is nothing to see.

CREATE FUNCTION note_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM change_watch WHERE until > now()) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
    SELECT n.account_id, seen.kind, seen.id, ARRAY[n.site_id::text], pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now(),
      LATERAL (VALUES ('delivery', n.id), ('event', n.wanted_event_id)) AS seen (kind, id);
  ELSE
    INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
    SELECT n.account_id, seen.kind, seen.id, ARRAY[seen.site_id::text], pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now()
      JOIN rows_before b ON b.id = n.id,
      LATERAL (
        SELECT 'delivery' AS kind, n.id, n.site_id
        WHERE (n.status, n.updated_at, n.attempts, n.error, n.warnings, n.title, n.source_id, n.post_id, n.post_url,
            n.post_edit_url, n.post_status, n.site_id)
          IS DISTINCT FROM (b.status, b.updated_at, b.attempts, b.error, b.warnings, b.title, b.source_id, b.post_id,
            b.post_url, b.post_edit_url, b.post_status, b.site_id)
        UNION ALL SELECT 'delivery', n.id, b.site_id WHERE n.site_id <> b.site_id
        UNION ALL SELECT 'event', n.wanted_event_id, n.site_id
          WHERE (n.wanted_event_id, n.site_id) IS DISTINCT FROM (b.wanted_event_id, b.site_id)
      ) AS seen;
  END IF;
  IF FOUND THEN
    PERFORM wake_streams();
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER delivery_made AFTER INSERT ON delivery
  REFERENCING NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_deliveries();
CREATE TRIGGER delivery_changed AFTER UPDATE ON delivery
  REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_deliveries();

CREATE FUNCTION note_sites() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM change_watch WHERE until > now()) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
    SELECT n.account_id, 'site', n.id, ARRAY[n.id::text], pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now();
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
    SELECT b.account_id, 'site', b.id, ARRAY[b.id::text], pg_current_xact_id()::text::bigint
    FROM rows_before b JOIN change_watch w ON w.account_id = b.account_id AND w.until > now();
  ELSE
    INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
    SELECT n.account_id, 'site', n.id, ARRAY[n.id::text], pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now()
      JOIN rows_before b ON b.account_id = n.account_id AND b.id = n.id
    WHERE (n.name, n.url, n.rest_root, n.username, n.labels, n.settings, n.report_at, n.trouble, n.paused_until, n.stopped_at,
        n.stop_reason)
      IS DISTINCT FROM (b.name, b.url, b.rest_root, b.username, b.labels, b.settings, b.report_at, b.trouble,
        b.paused_until, b.stopped_at, b.stop_reason);
  END IF;
  IF FOUND THEN
    PERFORM wake_streams();
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER site_made AFTER INSERT ON site
  REFERENCING NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_sites();
CREATE TRIGGER site_changed AFTER UPDATE ON site
  REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_sites();
CREATE TRIGGER site_removed AFTER DELETE ON site
  REFERENCING OLD TABLE AS rows_before FOR EACH STATEMENT EXECUTE FUNCTION note_sites();

-- An event of a site is noted with its delivery, too: only that says which site it is for.
CREATE FUNCTION note_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM change_watch WHERE until > now()) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO change (account_id, kind, subject_id, xid)
    SELECT n.account_id, 'event', n.id, pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now();
  ELSE
    INSERT INTO change (account_id, kind, subject_id, xid)
    SELECT n.account_id, 'event', n.id, pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now()
      JOIN rows_before b ON b.id = n.id
    WHERE (n.status, n.issues, n.confirmed_at) IS DISTINCT FROM (b.status, b.issues, b.confirmed_at);
  END IF;
  IF FOUND THEN
    PERFORM wake_streams();
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER event_made AFTER INSERT ON event
  REFERENCING NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_events();
CREATE TRIGGER event_changed AFTER UPDATE ON event
  REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_events();

CREATE FUNCTION note_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM change_watch WHERE until > now()) THEN
    RETURN NULL;
  END IF;
  -- A job that is for no site is seen by every key.
  IF TG_OP = 'INSERT' THEN
    INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
    SELECT n.account_id, 'job', n.id, array_remove(ARRAY[n.request #>> '{delivery,id}'], NULL),
      pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now();
  ELSE
    INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
    SELECT n.account_id, 'job', n.id, array_remove(ARRAY[n.request #>> '{delivery,id}'], NULL),
      pg_current_xact_id()::text::bigint
    FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now()
      JOIN rows_before b ON b.id = n.id
    WHERE (n.status, n.progress, n.started_at, n.ended_at) IS DISTINCT FROM (b.status, b.progress, b.started_at, b.ended_at);
  END IF;
  IF FOUND THEN
    PERFORM wake_streams();
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER generation_job_made AFTER INSERT ON generation_job
  REFERENCING NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_jobs();
CREATE TRIGGER generation_job_changed AFTER UPDATE ON generation_job
  REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_jobs();

CREATE FUNCTION note_bulk_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM change_watch WHERE until > now()) THEN
    RETURN NULL;
  END IF;
  INSERT INTO change (account_id, kind, subject_id, site_ids, xid)
  SELECT n.account_id, 'bulk_job', n.id,
    CASE jsonb_typeof(n.site_ids) WHEN 'array' THEN ARRAY(SELECT jsonb_array_elements_text(n.site_ids)) END,
    pg_current_xact_id()::text::bigint
  FROM rows_now n JOIN change_watch w ON w.account_id = n.account_id AND w.until > now();
  IF FOUND THEN
    PERFORM wake_streams();
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER bulk_job_made AFTER INSERT ON bulk_job
  REFERENCING NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_bulk_jobs();
CREATE TRIGGER bulk_job_changed AFTER UPDATE ON bulk_job
  REFERENCING NEW TABLE AS rows_now FOR EACH STATEMENT EXECUTE FUNCTION note_bulk_jobs();

-- A key that is revoked, or may see something else, ends or changes what is told by it.
CREATE FUNCTION wake_for_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('galley_changes', '');
  RETURN NULL;
END
$$;
CREATE TRIGGER api_key_changed AFTER UPDATE OF role, site_ids, labels, expires_at, revoked_at ON api_key
  FOR EACH STATEMENT EXECUTE FUNCTION wake_for_keys();
CREATE TRIGGER account_disabled AFTER UPDATE OF disabled_at ON account
  FOR EACH STATEMENT EXECUTE FUNCTION wake_for_keys();
CREATE TRIGGER session_ended AFTER DELETE ON session
  FOR EACH STATEMENT EXECUTE FUNCTION wake_for_keys();
