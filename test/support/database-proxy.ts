import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A stretch of network before a PostgreSQL, which can swallow all that passes and let the connections stand. */
export interface DatabaseProxy {
  /** For the same database, through here. */
  connectionString: string
  /** From now on connections are taken, and nothing comes out at either end. What is open now stays silent for good. */
  swallow(): void
  /** From now on every connection breaks, and none is accepted. */
  cut(): void
  /** The next connection that carries `statement` breaks in place of the answer that ends with `tag` (as in `COMMIT`). */
  lose(statement: string, tag: string): void
  /** How many answers were lost so. */
  readonly lost: number
  /** From now on each connection that says goodbye is told that the server is just stopping. */
  stopAtGoodbyes(): void
  /** How many were told so. */
  readonly stopped: number
  /** New connections pass again. */
  restore(): void
  close(): Promise<void>
}

export async function startDatabaseProxy(database: string): Promise<DatabaseProxy> {
  const target = new URL(database)
  const open = new Set<{ sockets: Socket[]; silent: boolean }>()
  let swallowing = false
  let away = false
  let losing: { statement: string; tag: string } | null = null
  let lost = 0
  let stopping = false
  let stopped = 0
  const server = createServer((near) => {
    if (away) {
      near.destroy()
      return
    }
    const far = connectTo(target)
    const pair = { sockets: [near, far], silent: swallowing }
    open.add(pair)
    let asked: typeof losing = null
    near.on('data', (bytes) => {
      if (losing && bytes.includes(losing.statement)) asked = losing
      if (!pair.silent) far.write(bytes)
      if (!stopping || !bytes.equals(GOODBYE)) return
      stopped += 1
      near.end(STOPPING)
    })
    far.on('data', (bytes) => {
      if (losing && asked === losing && bytes.includes(`${losing.tag}\0`)) {
        losing = null
        lost += 1
        near.destroy()
      } else if (!pair.silent) near.write(bytes)
    })
    // Either end may break, as it does in a network; the other hears of it.
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => {
        other.destroy()
        open.delete(pair)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(target)
  through.searchParams.delete('host')
  through.hostname = '127.0.0.1'
  through.port = String((server.address() as AddressInfo).port)
  return {
    connectionString: through.href,
    swallow() {
      swallowing = true
      for (const pair of open) pair.silent = true
    },
    cut() {
      away = true
      for (const { sockets } of open) for (const socket of sockets) socket.destroy()
    },
    lose(statement, tag) {
      losing = { statement, tag }
    },
    get lost() {
      return lost
    },
    stopAtGoodbyes() {
      stopping = true
    },
    get stopped() {
      return stopped
    },
    restore() {
      swallowing = false
      away = false
    },
    async close() {
      for (const { sockets } of open) for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** `Terminate` of PostgreSQL's protocol. */
const GOODBYE = Buffer.from([0x58, 0, 0, 0, 4])

/** Its `ErrorResponse` to those who are connected. */
const STOPPING = (() => {
  const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command', '']
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from('E'), length, body])
})()

/** The socket of PostgreSQL in the folder that `host` names, or its port. */
function connectTo({ hostname, port, searchParams }: URL): Socket {
  const folder = searchParams.get('host')
  return folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(Number(port), hostname)
}
