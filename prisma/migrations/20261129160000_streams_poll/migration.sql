-- Those who listen to changes look for them by themselves.
DO $$
DECLARE
  definition text;
BEGIN
  FOR definition IN
    SELECT pg_get_functiondef(oid) FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'note\_%' AND prosrc LIKE '%wake_streams%'
  LOOP
    EXECUTE regexp_replace(definition, '\s+IF FOUND THEN\s+PERFORM wake_streams\(\);\s+END IF;', '');
  END LOOP;
END
$$;
DROP FUNCTION wake_streams();

DROP TRIGGER api_key_changed ON api_key;
DROP TRIGGER account_disabled ON account;
DROP TRIGGER session_ended ON session;
DROP FUNCTION wake_for_keys();
