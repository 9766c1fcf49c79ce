import type { Pool } from 'pg'
import { membersOf, type ProxiedRequest } from '../../support/proxy/index.ts'

/** What the site is said to suffer from while {@link together} keeps it from being worked on. */
const WAITING = 'test_gathers'

/** Whatever is sent meanwhile is due in one moment, so that it is claimed together. */
export async function together(pool: Pool, siteId: string, send: () => Promise<void>): Promise<void> {
  await pool.query(
    `UPDATE site SET paused_until = now() + interval '1 hour', trouble = jsonb_build_object('code', $2::text)
     WHERE id = $1`,
    [siteId, WAITING],
  )
  await send()
  await pool.query('UPDATE site SET paused_until = NULL, trouble = NULL WHERE id = $1', [siteId])
}

/** Writes down every pause of a site from now on, for {@link pausesOf}. */
export async function watchPauses(pool: Pool): Promise<void> {
  await pool.query(`
    CREATE TABLE fault_pause (site_id uuid NOT NULL, code text);
    CREATE FUNCTION fault_paused() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO fault_pause VALUES (NEW.id, NEW.trouble ->> 'code');
      RETURN NEW;
    END $$;
    CREATE TRIGGER fault_paused AFTER UPDATE OF paused_until ON site FOR EACH ROW
      WHEN (NEW.paused_until > OLD.paused_until OR (NEW.paused_until > now() AND OLD.paused_until IS NULL))
      EXECUTE FUNCTION fault_paused();
  `)
}

/** For what a site was paused since {@link watchPauses}, in order. */
export async function pausesOf(pool: Pool, siteId: string): Promise<string[]> {
  const { rows } = await pool.query<{ code: string }>(
    'SELECT code FROM fault_pause WHERE site_id = $1 AND code <> $2',
    [siteId, WAITING],
  )
  return rows.map(({ code }) => code)
}

const isKind = {
  reserve: (path: string) => /^\/wp\/v2\/posts(\?|$)/.test(path),
  fill: (path: string) => /^\/wp\/v2\/posts\/\d+(\?|$)/.test(path),
  terms: (path: string) => /^\/wp\/v2\/(tags|categories)(\?|$)/.test(path),
}

/** What a batch does at a step of a delivery. */
export type BatchKind = keyof typeof isKind

/** Whether a request is a batch that does this, be it beside something else. */
export const isBatchOf =
  (kind: BatchKind) =>
  (request: ProxiedRequest): boolean =>
    membersOf(request)?.some(({ method, path }) => method === 'POST' && isKind[kind](path)) ?? false
