import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'

/** Connections, as many as Galley's own pool has. */
const POOL = 20

/**
 * What any ledger of the same promise costs: as many commits as a job has moments that must be on disk before it goes on,
 * each an UPDATE of a row by its key and an INSERT of a line, one job after the other in each of so many lanes.
 *
 * @returns jobs a second
 */
export async function bareCommits(
  connectionString: string,
  { jobs, commits, lanes }: { jobs: number; commits: number; lanes: number },
): Promise<number> {
  const pool = new Pool({ connectionString, max: POOL })
  try {
    await pool.query(`
      CREATE TABLE IF NOT EXISTS bare_job (id uuid PRIMARY KEY, commits int NOT NULL DEFAULT 0);
      CREATE TABLE IF NOT EXISTS bare_line (job_id uuid NOT NULL, n int NOT NULL, said text, PRIMARY KEY (job_id, n));
      TRUNCATE bare_job, bare_line`)
    let left = jobs
    const began = performance.now()
    const lane = async () => {
      while (left > 0) {
        left -= 1
        const id = randomUUID()
        await pool.query('INSERT INTO bare_job (id) VALUES ($1)', [id])
        for (let n = 1; n < commits; n += 1)
          await pool.query({
            name: 'bare-commit',
            text: `WITH job AS (UPDATE bare_job SET commits = $2 WHERE id = $1 RETURNING id)
              INSERT INTO bare_line (job_id, n, said) SELECT id, $2, $3 FROM job`,
            values: [id, n, 'as said'],
          })
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    return jobs / ((performance.now() - began) / 1_000)
  } finally {
    await pool.end()
  }
}
