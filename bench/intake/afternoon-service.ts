/**
 * The service that an engineer would write in an afternoon, for a process of its own: the baseline of this benchmark. It
 * stores every webhook before it acknowledges it, and a repetition once; it asks nobody who they are, has no limits but
 * that of the size, writes no log and has two tables with the least of indexes.
 */
import { createHash, randomUUID } from 'node:crypto'
import express, { type Request } from 'express'
import { Pool } from 'pg'

const { DATABASE_URL = '', POOL_SIZE = '' } = process.env

const pool = new Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) })

await pool.query(`
  CREATE TABLE IF NOT EXISTS afternoon_event (
    id uuid PRIMARY KEY, digest bytea NOT NULL UNIQUE, kind text NOT NULL, document_id uuid NOT NULL,
    body jsonb NOT NULL, received_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE IF NOT EXISTS afternoon_delivery (
    id uuid PRIMARY KEY, event_id uuid NOT NULL REFERENCES afternoon_event, site_id uuid NOT NULL,
    document_id uuid NOT NULL, status text NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (site_id, document_id))`)

const digests = new WeakMap<object, Buffer>()

const app = express()
app.use(
  express.json({
    limit: '10mb',
    verify: (request, _response, body) => {
      digests.set(request, createHash('sha256').update(body).digest())
    },
  }),
)

app.post('/webhooks', async (request, response) => {
  const { event, id: documentId, delivery } = request.body
  const eventId = randomUUID()
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const { rowCount } = await client.query(
      `INSERT INTO afternoon_event (id, digest, kind, document_id, body) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING`,
      [eventId, digestOf(request), event, documentId, request.body],
    )
    if (rowCount === 1 && delivery)
      await client.query(
        `INSERT INTO afternoon_delivery (id, event_id, site_id, document_id, status)
         VALUES ($1, $2, $3, $4, 'queued') ON CONFLICT DO NOTHING`,
        [randomUUID(), eventId, delivery.id, documentId],
      )
    await client.query('COMMIT')
    response.status(rowCount === 1 ? 202 : 200).json({ success: true })
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
})

const digestOf = (request: Request): Buffer | undefined => digests.get(request)

const server = app.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.once('SIGTERM', () => server.close(() => pool.end()))
