import { Client } from 'pg'
import { unreachable } from '../../database/unreachable.ts'

/** How long a database may be silent. Milliseconds. */
export interface Patience {
  /** For a connection. */
  connection: number
  /** For the answer to a statement. */
  answer: number
}

/**
 * A network that drops packets takes a statement and never answers, for longer than anybody waits. The slowest statement
 * is one over all of a table, or one of some megabytes over a slow line.
 */
const PATIENCE: Patience = { connection: 10_000, answer: 300_000 }

/**
 * A connection of its own for a backup or a restore, where a database that falls silent ends the work.
 *
 * @param name what the database's operator sees it as
 * @throws GalleyError `database_unreachable`
 */
export async function openSession(
  connectionString: string,
  name: string,
  { connection, answer }: Patience = PATIENCE,
): Promise<Client> {
  const client = new Client({
    connectionString,
    application_name: name,
    connectionTimeoutMillis: connection,
    query_timeout: answer,
  })
  // Whoever asks hears of a connection that breaks; without a listener it would end the process.
  client.on('error', () => undefined)
  await client.connect().catch((cause: Error) => {
    throw unreachable(client, cause)
  })
  return client
}
