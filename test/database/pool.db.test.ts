import { tmpdir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/client.ts'
import { databaseFailure } from '../../src/database/errors.ts'
import { migrate } from '../../src/database/migrations.ts'
import { checkInstallation } from '../../src/operations/doctor.ts'
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { startDatabaseProxy } from '../support/database-proxy.ts'

// A connection that was ended is still on its way out when its pool is done. Where the server stops in that moment, as the
// embedded one does at the end of a restore, it says so on it.

const log = pino({ level: 'silent' })

let database: FreshDatabase | undefined
let uncaught: Error[] = []
const catchUncaught = (error: Error) => void uncaught.push(error)
beforeEach(() => {
  uncaught = []
  process.on('uncaughtExceptionMonitor', catchUncaught)
})
afterEach(async () => {
  process.off('uncaughtExceptionMonitor', catchUncaught)
  await database?.drop()
})

test.each([
  {
    what: 'a migration from nothing',
    make: emptyDatabase,
    use: (connectionString: string) => migrate({ connectionString, log }),
  },
  {
    what: 'a migration with nothing to do',
    make: freshDatabase,
    use: (connectionString: string) => migrate({ connectionString, log }),
  },
  {
    what: 'a look at the installation',
    make: freshDatabase,
    use: (databaseUrl: string) =>
      checkInstallation(
        { databaseUrl, dataDir: tmpdir(), secretKeys: undefined, publicUrl: 'http://127.0.0.1:1' },
        log,
      ),
  },
])('a server that stops just after $what ends no process', async ({ make, use }) => {
  database = await make()
  const server = await startDatabaseProxy(database.connectionString)
  server.stopAtGoodbyes()
  await use(server.connectionString)
  await expect.poll(() => server.stopped).toBeGreaterThan(0)
  await wait(50)
  await server.close()
  expect(uncaught).toEqual([])
})

test('nor is it told as a connection that broke', async () => {
  database = await freshDatabase()
  const server = await startDatabaseProxy(database.connectionString)
  server.stopAtGoodbyes()
  const lines: string[] = []
  const heard = pino({ level: 'warn' }, { write: (line) => lines.push(line) })
  const opened = openDatabase({ connectionString: server.connectionString, poolSize: 1, log: heard })
  await opened.pool.query('SELECT')
  await opened.close()
  await expect.poll(() => server.stopped).toBeGreaterThan(0)
  await wait(50)
  await server.close()
  expect(lines).toEqual([])
})

test('a transaction that waits in vain for a connection failed for the database, and may be tried again', async () => {
  database = await freshDatabase()
  const { pool, prisma, close } = openDatabase({
    connectionString: database.connectionString,
    poolSize: 1,
    log,
  })
  const busy = await pool.connect()
  const failure = await prisma.$transaction((transaction) => transaction.site.count()).catch(databaseFailure)
  busy.release()
  await close()
  expect(failure).toBe('away')
})
