import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrate } from '../../src/database/index.ts'
import { checkInstallation } from '../../src/operations/doctor/doctor.ts'
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

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

/** A PostgreSQL that, as each connection says goodbye, is just stopping. */
async function startStopping(target: URL) {
  const { hostname, port, searchParams } = target
  let stopped = 0
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const folder = searchParams.get('host')
    const far = folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    far.on('data', (bytes: Buffer) => near.write(bytes))
    near.on('data', (bytes: Buffer) => {
      far.write(bytes)
      if (!bytes.equals(GOODBYE)) return
      stopped += 1
      near.end(STOPPING)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(target)
  through.searchParams.delete('host')
  through.hostname = '127.0.0.1'
  through.port = String((server.address() as AddressInfo).port)
  return {
    connectionString: through.href,
    stopped: () => stopped,
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** `Terminate` of PostgreSQL's protocol. */
const GOODBYE = Buffer.from([0x58, 0, 0, 0, 4])

/** Its `ErrorResponse`, as it ends those who are connected. */
const STOPPING = (() => {
  const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command', '']
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from('E'), length, body])
})()

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
  const server = await startStopping(new URL(database.connectionString))
  await use(server.connectionString)
  await expect.poll(server.stopped).toBeGreaterThan(0)
  await wait(50)
  await server.close()
  expect(uncaught).toEqual([])
})
