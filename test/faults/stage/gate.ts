import { setTimeout as wait } from 'node:timers/promises'
import { Client, type Pool } from 'pg'

/**
 * Writes of a delivery without any trouble: planned; reserve intended, created; upload intended, recorded; fill
 * intended; delivered.
 */
export const LEDGER_WRITES = 7

/** Writes of a newer version: planned; fill intended; delivered. */
export const LATER_WRITES = 3

/** The advisory lock at which a ledger write waits. */
const LOCK = 20_261_121

/**
 * A gate in the database itself: the nth write of a delivery's ledger waits there, in the middle of its statement, so
 * that its process can be killed before the write is stored or before it hears that it is.
 */
export interface Gate {
  /** How many writes the ledger of this document has seen. */
  written(documentId: string): Promise<number>
  /** Lets the nth ledger write of this document wait. */
  close(documentId: string, nth: number): Promise<void>
  /** Resolves with the connection that waits, or null where the delivery came to its end without that many writes. */
  caught(documentId: string): Promise<number | null>
  /** The write that waits goes on: stored. */
  open(): Promise<void>
  /** The write that waits is undone, as when the connection breaks. */
  undo(backend: number): Promise<void>
  end(): Promise<void>
}

export async function makeGate(pool: Pool, connectionString: string): Promise<Gate> {
  await pool.query(`
    CREATE TABLE fault_gate (document_id uuid PRIMARY KEY, nth int NOT NULL);
    -- Each write is a transaction of its own, and leaves a line in the timeline, but for an upload's id.
    CREATE FUNCTION fault_written(uuid) RETURNS int LANGUAGE sql AS $$
      SELECT count(DISTINCT writer)::int FROM (
        SELECT xmin::text AS writer FROM delivery_step WHERE delivery_id = $1
        UNION ALL SELECT xmin::text FROM delivery_media WHERE delivery_id = $1
      ) AS writers
    $$;
    CREATE FUNCTION fault_wait() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(${LOCK}) FROM delivery d JOIN fault_gate g USING (document_id)
        WHERE d.id = NEW.delivery_id AND g.nth = fault_written(d.id);
      RETURN NEW;
    END $$;
    CREATE TRIGGER fault_wait AFTER INSERT ON delivery_step FOR EACH ROW EXECUTE FUNCTION fault_wait();
    CREATE TRIGGER fault_wait AFTER INSERT OR UPDATE ON delivery_media FOR EACH ROW EXECUTE FUNCTION fault_wait();
  `)
  // A session of its own: the lock is a session's.
  const keeper = new Client({ connectionString })
  await keeper.connect()
  return {
    async written(documentId) {
      const { rows } = await pool.query(
        'SELECT fault_written(id) AS n FROM delivery WHERE document_id = $1',
        [documentId],
      )
      return rows[0]?.n ?? 0
    },
    async close(documentId, nth) {
      await pool.query('INSERT INTO fault_gate VALUES ($1, $2)', [documentId, nth])
      await keeper.query('SELECT pg_advisory_lock($1)', [LOCK])
    },
    async caught(documentId) {
      for (;;) {
        const { rows } = await pool.query(
          `SELECT pid FROM pg_locks JOIN pg_database d ON d.oid = database
           WHERE locktype = 'advisory' AND objid = $1 AND NOT granted AND datname = current_database()`,
          [LOCK],
        )
        if (rows[0]) return rows[0].pid
        const { rowCount } = await pool.query(
          `SELECT 1 FROM delivery WHERE document_id = $1 AND status IN ('delivered', 'held', 'failed')`,
          [documentId],
        )
        if (rowCount) return null
        await wait(20)
      }
    },
    async open() {
      await pool.query('DELETE FROM fault_gate')
      await keeper.query('SELECT pg_advisory_unlock_all()')
    },
    async undo(backend) {
      await pool.query('SELECT pg_terminate_backend($1)', [backend])
      await pool.query('DELETE FROM fault_gate')
      await keeper.query('SELECT pg_advisory_unlock_all()')
    },
    end: () => keeper.end(),
  }
}
