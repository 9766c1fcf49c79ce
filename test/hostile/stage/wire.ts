import { connect, type Socket } from 'node:net'

/** What goes over the wire, byte by byte: no library stands between a test and what it wants to send. */
export interface WireRequest {
  method: string
  target: string
  headers: [name: string, value: string][]
  body: Buffer | null
  /** Instead of `Content-Length`; what neither is said of has no body. */
  framing?: 'length' | 'chunked' | 'none'
  /** The body comes in two parts, with so many milliseconds between them. */
  pauseMs?: number
  /** The connection ends after so many bytes of the body. */
  abortAt?: number
  /** The connection stays so many milliseconds, though more of the body was announced, and then ends. */
  stayMs?: number
  /** Sent instead of all of the above. */
  raw?: Buffer
}

export interface WireAnswer {
  /** Null where the connection ended without an answer. */
  status: number | null
  head: string
  body: string
}

/** Milliseconds after which nobody believes in an answer any more; far beyond what a busy machine needs. */
const PATIENCE_MS = 60_000

/** One request on a connection of its own. @throws where no answer comes and the connection stays */
export function exchange(port: number, request: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    const late = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no answer within ${PATIENCE_MS} ms`))
    }, PATIENCE_MS)
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      // A stream of events has no end: that it began is the answer.
      if (chunks.length === 1 && /^content-type: text\/event-stream/im.test(headOf(chunk))) socket.destroy()
    })
    // The server may refuse a body before it was sent whole: what it said still counts.
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      clearTimeout(late)
      resolve(read(Buffer.concat(chunks).toString('utf8')))
    })
    socket.once('connect', () => {
      write(socket, request)
      if (request.stayMs !== undefined) setTimeout(() => socket.destroy(), request.stayMs)
    })
  })
}

function write(socket: Socket, request: WireRequest): void {
  const { raw, body, pauseMs = 0, abortAt } = request
  if (raw !== undefined) {
    socket.end(raw)
    return
  }
  socket.write(head(request))
  const bytes = body === null ? Buffer.alloc(0) : framed(body, request.framing)
  if (abortAt !== undefined) {
    socket.write(bytes.subarray(0, abortAt), () => socket.destroy())
    return
  }
  if (pauseMs === 0 || bytes.length < 2) {
    if (bytes.length > 0) socket.write(bytes)
    return
  }
  const half = Math.ceil(bytes.length / 2)
  socket.write(bytes.subarray(0, half))
  setTimeout(() => {
    if (socket.writable) socket.write(bytes.subarray(half))
  }, pauseMs)
}

function head({ method, target, headers, body, framing = 'length' }: WireRequest): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`]
  const all: [string, string][] = [...headers]
  if (!headers.some(([name]) => name.toLowerCase() === 'host')) all.unshift(['Host', 'galley.test'])
  all.push(['Connection', 'close'])
  if (body !== null && framing === 'length') all.push(['Content-Length', String(body.length)])
  if (body !== null && framing === 'chunked') all.push(['Transfer-Encoding', 'chunked'])
  for (const [name, value] of all) lines.push(`${name}: ${value}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

const framed = (body: Buffer, framing: WireRequest['framing']): Buffer =>
  framing === 'chunked'
    ? Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
    : body

const headOf = (first: Buffer): string => first.toString('latin1').split('\r\n\r\n', 1)[0] as string

function read(text: string): WireAnswer {
  const final = text.replace(/^(?:HTTP\/1\.1 100 Continue\r\n\r\n)+/, '')
  const end = final.indexOf('\r\n\r\n')
  const status = /^HTTP\/1\.1 (\d{3})/.exec(final)?.[1]
  if (status === undefined || end === -1) return { status: null, head: '', body: final }
  return { status: Number(status), head: final.slice(0, end), body: final.slice(end + 4) }
}
