import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

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
