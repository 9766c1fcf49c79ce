import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'

/** Milliseconds between two rounds of waking: sites that become due meanwhile share the next. */
const SPACING_MS = 20

/**
 * Queues the pumps of sites whose deliveries were just stored: after the commit and not in it. A transaction
 * that notifies takes a lock of the whole server until it is on disk, so intake would commit one by one; and a
 * job costs several times what an event does, though most sites under load have one waiting already.
 */
export class Waker {
  readonly #pool: Pool
  #due = new Set<string>()
  #running = false

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** The deliveries must be committed: the pump that comes of it has to see them. */
  wake(siteId: string): void {
    this.#due.add(siteId)
    if (!this.#running) void this.#run()
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#due.size > 0) {
      const siteIds = [...this.#due]
      this.#due = new Set()
      // The deliveries are stored: a worker's sweep queues every due site without a job within two seconds.
      await queuePumps(this.#pool, siteIds).catch(() => undefined)
      await sleep(SPACING_MS)
    }
    this.#running = false
  }
}

/** One that waits already has its pump still before it, which will see what was stored, and keeps its place. */
async function queuePumps(pool: Pool, siteIds: string[]): Promise<void> {
  await pool.query({
    name: 'queue-pumps',
    text: `
      SELECT graphile_worker.add_job('pump', json_build_object('siteId', site_id), queue_name => site_id,
        job_key => 'pump:' || site_id, job_key_mode => 'preserve_run_at')
      FROM unnest($1::text[]) AS site_id
      WHERE NOT EXISTS (
        SELECT 1 FROM graphile_worker.jobs
        WHERE jobs.key = 'pump:' || site_id AND jobs.locked_at IS NULL AND jobs.attempts < jobs.max_attempts
          AND jobs.run_at <= now())
      ORDER BY site_id`,
    values: [siteIds],
  })
}
