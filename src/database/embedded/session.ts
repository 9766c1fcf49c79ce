import { createServer } from 'node:net'
import { Client, DatabaseError } from 'pg'
import { GalleyError } from '../../errors.ts'
import { NOT_LET_IN } from '../sqlstates.ts'
import type { Cluster } from './cluster.ts'

/** Where a client finds a database of the cluster's server. */
export function connectionString(cluster: Cluster, port: number, database: string): string {
  const url = new URL(`postgresql://galley:${cluster.password}@localhost:${port}/${database}`)
  if (cluster.socketDir) url.searchParams.set('host', cluster.socketDir)
  url.searchParams.set('sslmode', 'disable')
  return url.href
}

/** Sockets are told apart by their folder, and all have PostgreSQL's own number; TCP needs a port that nobody has. */
export async function choosePort({ socketDir }: Cluster): Promise<number> {
  if (socketDir) return 5432
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port')
  return address.port
}

/**
 * Opens a connection to the database `postgres`: `busy` where the server asks to come back later, `silent` where
 * nobody answers.
 */
export async function openSession(cluster: Cluster, port: number): Promise<Client | 'busy' | 'silent'> {
  const session = new Client({
    connectionString: connectionString(cluster, port, 'postgres'),
    connectionTimeoutMillis: 2_000,
    application_name: `galley, process ${process.pid}`,
  })
  // What breaks the connection also ends it, which is what its user listens for.
  session.on('error', () => undefined)
  try {
    await session.connect()
    return session
  } catch (error) {
    await session.end()
    if (!(error instanceof DatabaseError)) return 'silent'
    if (error.code === NOT_LET_IN.notNow) return 'busy'
    // Anything else that the server says, a wrong password above all, does not pass with time.
    throw new GalleyError({
      code: 'embedded_failed',
      message: `Galley's own PostgreSQL in ${cluster.data} does not let Galley in: ${error.message}. Put the folder back as it was, or begin with an empty one in GALLEY_DATA_DIR.`,
      action: 'owner',
      cause: error,
    })
  }
}
