import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Address } from '../config/settings.ts'
import { GalleyError } from '../errors.ts'

/** How long a client may take, in milliseconds. */
export interface ServerTimeouts {
  /** For the head of a request. */
  headersMs: number
  /** For the whole request, its body included. What the request then takes to answer does not count. */
  requestMs: number
  /** How often the two are looked at. */
  checkEveryMs: number
  /** For what is left of a body that nobody reads, once its request is answered. */
  unreadMs: number
  /** For taking an answer, once it is whole. */
  takeMs: number
}

const defaultTimeouts: ServerTimeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkEveryMs: 2_000,
  unreadMs: 2_000,
  takeMs: 60_000,
}

/**
 * Milliseconds that an idle connection stays open: longer than clients and proxies usually pause between two requests,
 * since one that is closed in the moment of the next costs that request.
 */
const IDLE_MS = 30_000

/** Bytes of all headers of a request together. */
const MAX_HEADER_BYTES = 16 * 1024

/** A server that nobody can occupy by being slow or many. It listens to nothing yet and has no routes. */
export function createHttpServer(
  { maxConnections }: { maxConnections: number },
  { headersMs, requestMs, checkEveryMs, unreadMs, takeMs }: ServerTimeouts = defaultTimeouts,
): Server {
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: checkEveryMs,
    maxHeaderSize: MAX_HEADER_BYTES,
  })
  server.maxConnections = maxConnections
  // Who asks before sending a body is told to go on when somebody begins to read it, and not where it is refused.
  server.on('checkContinue', (request, response) => {
    request.once('resume', () => response.headersSent || response.writeContinue())
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (_request, response) => refuseExpectHeader(response))
  answerParserErrors(server)
  // A request that is answered before its body was read, or all of it: Node throws the rest away as it comes, which
  // keeps the answer from being lost to a reset, and this is how long it may come.
  server.prependListener('request', (request, response) => {
    response.once('finish', () => {
      if (request.complete) return
      const cutOff = setTimeout(() => request.destroy(), unreadMs)
      request.once('close', () => clearTimeout(cutOff))
    })
  })
  // An answer that waits to be taken is held in memory, and whoever asked need not take it.
  server.prependListener('request', (_request, response) => {
    response.once('prefinish', () => {
      if (response.writableFinished || response.closed) return
      const cutOff = setTimeout(() => response.destroy(), takeMs)
      response.once('close', () => clearTimeout(cutOff))
    })
  })
  return server
}

/** By the code of Node's error: what is said to a request that is never handed on, since it cannot be read to its end. */
const PARSER_ERRORS: Record<string, { status: number; code: string; message: string }> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'REQUEST_TIMEOUT',
    message: 'The request did not arrive completely in time. Send it again, without pauses.',
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'HEADERS_TOO_LARGE',
    message: `The headers of the request are too large: Galley takes ${MAX_HEADER_BYTES} bytes of them in all. Send fewer or shorter headers.`,
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'CHUNK_EXTENSIONS_TOO_LARGE',
    message: 'The chunk extensions of the body are too long. Send the body without chunk extensions.',
  },
}

const MALFORMED = {
  status: 400,
  code: 'MALFORMED_REQUEST',
  message:
    'Galley could not read this as an HTTP request. Send HTTP/1.1; for https, use the address of the proxy in front of Galley.',
}

/** Says why, where Node by itself would send a status and nothing else; not into the middle of an answer. */
function answerParserErrors(server: Server): void {
  const answering = new WeakMap<Duplex, ServerResponse>()
  server.prependListener('request', ({ socket }, response) => answering.set(socket, response))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = answering.get(socket)
    if (!socket.writable || (response?.headersSent && !response.writableFinished))
      return void socket.destroy()
    const { status, code, message } = PARSER_ERRORS[error.code ?? ''] ?? MALFORMED
    const body = rawErrorResponse(code, message)
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    }
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', body].join('\r\n'), () =>
      socket.destroy(),
    )
  })
}

/** The body of a failure, in the form of the API's. */
const rawErrorResponse = (code: string, message: string): string =>
  JSON.stringify({ success: false, error: { code, message } })

function refuseExpectHeader(response: ServerResponse): void {
  const message = 'Galley supports no expectation but 100-continue. Leave the header Expect out.'
  response
    .writeHead(417, { 'Content-Type': 'application/json; charset=utf-8' })
    .end(rawErrorResponse('EXPECTATION_FAILED', message))
}

/**
 * @param settings what names the address, for the message
 * @returns the address to reach it at
 * @throws GalleyError `cannot_listen`
 */
export function listen(server: Server, { host, port }: Address, settings = 'PORT or HOST'): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(cannotListen(`${host}:${port}`, settings, cause)))
    server.listen(port, host, () => resolve(addressOf(server)))
  })
}

const cannotListen = (where: string, settings: string, cause: Error): GalleyError =>
  new GalleyError({
    code: 'cannot_listen',
    message: `Galley cannot listen on ${where}: ${cause.message}. Stop what uses it, or set ${settings}.`,
    action: 'owner',
    cause,
  })

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/**
 * Takes no new connection, and ends the idle ones; resolves when the last answer is out. A connection that is kept busy
 * ends with the next answer: its sender would otherwise keep this process up for as long as it has something to send.
 *
 * @param deadline after which nobody is waited for
 */
export const close = (server: Server, deadline: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'))
    server.close(() => resolve())
    server.closeIdleConnections()
    const cut = () => server.closeAllConnections()
    if (deadline.aborted) cut()
    deadline.addEventListener('abort', cut)
  })
