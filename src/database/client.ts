import { PrismaPg } from '@prisma/adapter-pg'
import { Client, Pool, type PoolConfig } from 'pg'
import type { Logger } from '../log/log.ts'
import { databaseUnreachable } from './errors.ts'
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
  close(): Promise<void>
}

declare module 'pg' {
  // pg reads this per query; its types have it only per connection.
  interface QueryConfig {
    query_timeout?: number
  }
}

/** Milliseconds to connect; the system would wait for minutes behind a firewall that drops packets. */
export const CONNECT_TIMEOUT_MS = 10_000

/** Milliseconds for a statement without a limit of its own: a broken network never answers. It may still be carried out. */
export const STATEMENT_TIMEOUT_MS = 30_000

/** Milliseconds after which PostgreSQL ends an idle transaction, which may hold row locks. */
const IDLE_TRANSACTION_TIMEOUT_MS = 30_000

/** Connects on the first query only. */
export function openDatabase({ connectionString, poolSize, log }: DatabaseOptions): Database {
  const pool = openPool(
    {
      connectionString,
      max: poolSize,
      application_name: 'galley',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    },
    (message) => log.warn(`A connection to the database broke: ${message}`),
  )
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  return {
    prisma,
    pool,
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

export type DatabaseLog = Pick<Logger, 'info' | 'warn' | 'error'>

/** Opens a pool that survives broken connections; without a listener their events would end the process. */
export function openPool(config: PoolConfig, onBroken: (message: string) => void = () => undefined): Pool {
  const pool = new Pool(config)
  // The pool repeats what the client's listener has handled.
  pool.on('error', () => undefined)
  // Where the pool ends, the server may end first.
  pool.on('connect', (client) => client.on('error', ({ message }) => pool.ending || onBroken(message)))
  return pool
}

/** For long work beside a Galley. @param name for operators @throws GalleyError `database_unreachable` */
export async function openSession(
  connectionString: string,
  name: string,
  { connection = CONNECT_TIMEOUT_MS, answer }: Partial<SessionTimeouts> = {},
): Promise<Client> {
  const client = new Client({
    connectionString,
    application_name: name,
    connectionTimeoutMillis: connection,
    query_timeout: answer,
  })
  // Without a listener the event would end the process.
  client.on('error', () => undefined)
  await client.connect().catch((cause: Error) => {
    throw databaseUnreachable(client, cause)
  })
  return client
}

/** Limits of a database's silence, in milliseconds. */
export interface SessionTimeouts {
  connection: number
  answer: number
}
