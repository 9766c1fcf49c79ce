import { createHash } from 'node:crypto'
import { Client } from 'pg'

/** The least that a durable intake can do: digest and body into a table, one row a transaction. */
export interface Baseline {
  /** One for each connection. */
  lanes: (() => Promise<void>)[]
  close(): Promise<void>
}

export async function openBaseline(
  connectionString: string,
  connections: number,
  next: () => Buffer,
): Promise<Baseline> {
  const clients = Array.from({ length: connections }, () => new Client({ connectionString }))
  await Promise.all(clients.map((client) => client.connect()))
  await clients[0]?.query('CREATE TABLE bare_event (digest bytea PRIMARY KEY, body bytea NOT NULL)')
  return {
    lanes: clients.map((client) => async () => {
      const body = next()
      const digest = createHash('sha256').update(body).digest()
      // Alone in its implicit transaction, and so answered once the commit is on disk: one round trip, not three.
      await client.query({
        name: 'bare',
        text: 'INSERT INTO bare_event (digest, body) VALUES ($1, $2)',
        values: [digest, body],
      })
    }),
    async close() {
      await Promise.all(clients.map((client) => client.end()))
    },
  }
}
