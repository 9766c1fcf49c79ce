import { PrismaPg } from '@prisma/adapter-pg'
import { Pool, type PoolConfig } from 'pg'
import type { Logger } from '../log/log.ts'
import { PrismaClient } from './generated/client.ts'

interface DatabaseOptions {
  connectionString: string
  /** Connections at most, shared by Prisma and the job queue. */
  poolSize: number
  log: DatabaseLog
}

/** Galley's database: Prisma for the tables, and the pool underneath for the job queue and for plain SQL. */
export interface Database {
  prisma: PrismaClient
  pool: Pool
  /** Waits for the queries that run, and closes the pool. */
  close(): Promise<void>
}

declare module 'pg' {
  // pg reads it of every query; its types know it only of a whole connection.
  interface QueryConfig {
    /** Milliseconds after which the query fails and its connection is given up. */
    query_timeout?: number
  }
}

/**
 * Milliseconds for a connection, and for the answer to a statement unless it says otherwise. A database behind a broken
 * network takes connections and statements and never answers: what waits for it must end, or it would keep its
 * connection for good, also when the database is back. A statement given up here may still be carried out there.
 */
const TIMEOUTS_MS = { connection: 10_000, statement: 30_000 }

/** Milliseconds after which PostgreSQL ends a transaction that says nothing: its process sleeps, and holds row locks. */
const IDLE_TRANSACTION_TIMEOUT_MS = 30_000

/** Opens nothing yet: the first query does. */
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

/** Prisma reads a description of all tables when a client is made, which takes 15 ms of a start that needs none. */
const lazyClient = (made: () => PrismaClient): PrismaClient =>
  new Proxy({} as PrismaClient, {
    get(_, name) {
      const client = made()
      const value = Reflect.get(client, name)
      return typeof value === 'function' ? value.bind(client) : value
    },
  })

/** What this room needs of a logger; pino's fits. */
export type DatabaseLog = Pick<Logger, 'info' | 'warn' | 'error'>

/**
 * Connections to PostgreSQL that may break: one that is idle is replaced, and whoever borrowed it hears of it in their query.
 * Without a listener, either event would end the process, also after the pool was ended: its connections are then still on
 * their way out, and a server that stops in that moment says so on them.
 *
 * @param onBroken hears of each connection that breaks, in the words of the database
 */
export function openPool(config: PoolConfig, onBroken: (message: string) => void = () => undefined): Pool {
  const pool = new Pool(config)
  // The pool repeats of an idle one what its client has said.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', ({ message }) => onBroken(message)))
  return pool
}
