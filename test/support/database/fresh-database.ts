import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { expect, inject } from 'vitest'

export interface FreshDatabase {
  connectionString: string
  /** Removes it, whoever is still connected. */
  drop(): Promise<void>
}

/** A database of a test's own, with Galley's schema and not a row; made in about 50 ms. */
export const freshDatabase = (): Promise<FreshDatabase> => create(nameOf(template()))

/** A database of a test's own without a single table. */
export const emptyDatabase = (): Promise<FreshDatabase> => create('template0')

const PURE = /\/test\/(?!(?:end-to-end|faults|hostile)\/)(?:.*\/)?[^./]+\.test\.ts$/

/** @throws Error in a file whose tier has none */
function template(): string {
  const connectionString = inject('templateDatabase') as string | undefined
  // A pure file may run beside those that have one (scripts/test.ts).
  if (connectionString === undefined || PURE.test(expect.getState().testPath ?? ''))
    throw new Error('There is no database for a file that its name says needs none: call it x.db.test.ts')
  return connectionString
}

async function create(template: string): Promise<FreshDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  // as files: to write each page into the log first takes twice as long
  await administer(`create database ${name} template ${template} strategy file_copy`)
  return {
    connectionString: withDatabase(name),
    drop: () => drop(name),
  }
}

/**
 * PostgreSQL waits five seconds for sessions that are about to end. To end them by force at once would be an error in a
 * pool that has just been closed, and fail whichever test runs then.
 */
async function drop(name: string): Promise<void> {
  const client = await connect()
  try {
    await client.query(`drop database if exists ${name}`)
  } catch (error) {
    if (!isInUse(error)) throw error
    await client.query(`drop database if exists ${name} with (force)`)
  } finally {
    await client.end()
  }
}

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: withDatabase('postgres') })
  await client.connect()
  return client
}

const nameOf = (connectionString: string) => new URL(connectionString).pathname.slice(1)

function withDatabase(name: string): string {
  const url = new URL(template())
  url.pathname = `/${name}`
  return url.href
}

/** SQLSTATE `object_in_use`: it has a connection. */
const isInUse = (error: unknown): boolean => error instanceof DatabaseError && error.code === '55006'

async function administer(statement: string): Promise<void> {
  const client = await connect()
  try {
    // The last session of whoever made the template may take a moment to end.
    for (let attempt = 1; ; attempt += 1) {
      try {
        await client.query(statement)
        return
      } catch (error) {
        if (!isInUse(error) || attempt === 50) throw error
        await sleep(100)
      }
    }
  } finally {
    await client.end()
  }
}
