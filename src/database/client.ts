import { PrismaPg } from '@prisma/adapter-pg'
import { Pool, type PoolConfig } from 'pg'
import type { Logger } from '../log/log.ts'
import { PrismaClient } from './generated/client.ts'

interface DatabaseOptions {
  connectionString: string
  /** Shared by Prisma and the job queue. */
  poolSize: number
  log: DatabaseLog
}

/** Prisma for the tables, and the pool below it for the job queue and plain SQL. */
export interface Database {
  prisma: PrismaClient
  pool: Pool
  /** Waits for running queries, then closes the pool. */
  close(): Promise<void>
}

declare module 'pg' {
  // pg reads this per query; its types have it only per connection.
  interface QueryConfig {
    query_timeout?: number
  }
}

/**
 * Milliseconds to connect, and to answer a statement that sets no limit of its own. A broken
 * network accepts connections and never answers; without a limit the connection would be lost for
 * good. A statement given up here may still be carried out.
 */
const TIMEOUTS_MS = { connection: 10_000, statement: 30_000 }

/** Milliseconds after which PostgreSQL ends an idle transaction, which may hold row locks. */
const IDLE_TRANSACTION_TIMEOUT_MS = 30_000

/** Connects on the first query only. */
export function openDatabase({ connectionString, poolSize, log }: DatabaseOptions): Database {
  const pool = openPool(
    {
      connectionString,
      max: poolSize,
      application_name: 'galley',
      connectionTimeoutMillis: TIMEOUTS_MS.connection,
      query_timeout: TIMEOUTS_MS.statement,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    },
    (message) => log.warn(`A connection to the database broke: ${message}`),
  )
  let client: PrismaClient | undefined
  const made = () => {
    client ??= new PrismaClient({ adapter: new PrismaPg(pool) })
    return client
  }
  return {
    prisma: lazyClient(made),
    pool,
    async close() {
      await client?.$disconnect()
      await pool.end()
    },
  }
}

/** Creating a Prisma client takes 15 ms, which a start does not need. */
const lazyClient = (made: () => PrismaClient): PrismaClient =>
  new Proxy({} as PrismaClient, {
    get(_, name) {
      const client = made()
      const value = Reflect.get(client, name)
      return typeof value === 'function' ? value.bind(client) : value
    },
  })

export type DatabaseLog = Pick<Logger, 'info' | 'warn' | 'error'>

/**
 * Opens a pool that survives broken connections: an idle one is replaced, a borrowed one fails its
 * query. Without a listener either event would end the process, even after the pool has ended.
 *
 * @param onBroken receives the database's message for each broken connection
 */
export function openPool(config: PoolConfig, onBroken: (message: string) => void = () => undefined): Pool {
  const pool = new Pool(config)
  // The pool repeats what the client's listener has handled.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', ({ message }) => onBroken(message)))
  return pool
}
