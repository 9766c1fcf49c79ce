import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a burst of work came to. */
export interface Load {
  /** Finished within the time, a second. */
  perSecond: number
  /** Of each, in milliseconds. */
  latencies: number[]
}

/** Closed loop: each of `lanes` begins the next piece of work as soon as its last is done, for `seconds`. */
export async function fullLoad(lanes: readonly (() => Promise<void>)[], seconds: number): Promise<Load> {
  const latencies: number[] = []
  const began = performance.now()
  const end = began + seconds * 1_000
  await Promise.all(
    lanes.map(async (work) => {
      for (let from = performance.now(); from < end; ) {
        await work()
        const now = performance.now()
        latencies.push(now - from)
        from = now
      }
    }),
  )
  return { perSecond: (latencies.length * 1_000) / (performance.now() - began), latencies }
}

/**
 * Open loop: work begins at a fixed rate whether or not the last is done, as webhooks come. Latency counts from
 * the moment a piece was due, so that a stall is seen by all that came during it and not by one alone.
 */
export async function steadyLoad(
  lanes: readonly (() => Promise<void>)[],
  { rate, seconds }: { rate: number; seconds: number },
): Promise<Load> {
  const idle = [...lanes]
  const due: number[] = []
  const latencies: number[] = []
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []
  const began = performance.now()

  const start = () => {
    while (due.length > 0 && idle.length > 0) {
      const from = due.shift() as number
      // The one that has rested longest: a server ends connections that lie idle.
      const work = idle.shift() as () => Promise<void>
      const done = work()
        .then(() => latencies.push(performance.now() - from))
        .catch((error: unknown) => failures.push(error))
        .then(() => {
          underWay.delete(done)
          idle.push(work)
          start()
        })
      underWay.add(done)
    }
  }
  const total = Math.round(rate * seconds)
  for (let sent = 0; sent < total; ) {
    for (; sent < total && began + (sent * 1_000) / rate <= performance.now(); sent += 1)
      due.push(began + (sent * 1_000) / rate)
    start()
    await sleep(1)
  }
  while (underWay.size > 0 || due.length > 0) await Promise.race(underWay)
  if (failures.length > 0) throw failures[0]
  return { perSecond: (latencies.length * 1_000) / (performance.now() - began), latencies }
}

const ANSWER_WITHIN_MS = 60_000

/**
 * One HTTP/1.1 keep-alive connection that posts bodies to one address, one after the other. So little code
 * because the sender shares the machine with what it measures.
 */
export class Connection {
  readonly #socket: Socket
  readonly #head: string
  #received = ''
  #settle: { resolve: (status: number) => void; reject: (error: Error) => void } | undefined

  private constructor(socket: Socket, { host, pathname }: URL) {
    this.#socket = socket
    this.#head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: `
    socket.setNoDelay(true).setEncoding('latin1')
    socket.on('data', (text: string) => this.#read(text))
    socket.on('error', (error) => this.#settle?.reject(error))
    socket.on('close', () => this.#settle?.reject(new Error(`${host} closed the connection`)))
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy(new Error(`${host} did not answer in time`)))
  }

  static async open(url: URL): Promise<Connection> {
    const socket = connect(Number(url.port), url.hostname)
    await once(socket, 'connect')
    return new Connection(socket, url)
  }

  /** @returns the HTTP status, once the whole answer is here */
  async post(body: Buffer): Promise<number> {
    this.#received = ''
    if (this.#socket.destroyed) throw new Error('The connection was closed; it is for use at once')
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#socket.cork()
      this.#socket.write(`${this.#head}${body.length}\r\n\r\n`, 'latin1')
      this.#socket.write(body)
      this.#socket.uncork()
    })
  }

  close(): void {
    this.#settle = undefined
    this.#socket.destroy()
  }

  #read(text: string): void {
    this.#received += text
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#received)?.[1]
    if (length === undefined) this.#settle?.reject(new Error('An answer came without Content-Length'))
    // "HTTP/1.1 202 Accepted"
    else if (this.#received.length >= headEnd + 4 + Number(length))
      this.#settle?.resolve(Number(this.#received.slice(9, 12)))
  }
}

/** Where webhooks go, and how many keep-alive connections bring them. */
export interface Sending {
  webhook: URL
  connections: number
  /** The next body; each must be new to Galley. */
  next: () => Buffer
}

/**
 * Opens the connections, one a lane, and closes them after `load`: a server ends those that lie idle. A lane
 * rejects for any answer but 202.
 */
export async function withSenders(
  { webhook, connections, next }: Sending,
  load: (lanes: (() => Promise<void>)[]) => Promise<Load>,
): Promise<Load> {
  const opened = await Promise.all(Array.from({ length: connections }, () => Connection.open(webhook)))
  const lanes = opened.map((connection) => async () => {
    const status = await connection.post(next())
    if (status !== 202) throw new Error(`Galley answered ${status} to a new webhook instead of 202`)
  })
  try {
    return await load(lanes)
  } finally {
    for (const connection of opened) connection.close()
  }
}
