import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Duplex, finished } from 'node:stream'
import type { Address } from '../config/settings.ts'
import { type GalleyError, operatorError } from '../errors.ts'
import { webhookPath } from '../sources/sender.ts'

/** How long a client may take, in milliseconds. */
const defaultTimeouts = {
  headersMs: 10_000,
  /** For the whole request with its body, also where it is answered before; not for the answer. */
  requestMs: 30_000,
  /** How often the two are looked at. */
  checkEveryMs: 2_000,
  /** For taking an answer, once it is whole. */
  takeMs: 60_000,
}

export type ServerTimeouts = typeof defaultTimeouts

/** Longer than nginx and load balancers keep a connection (60 s): whoever closes first may lose a request. */
const IDLE_MS = 75_000

/** Milliseconds in which a client may read why its request could not be parsed, before the connection is cut. */
const LINGER_MS = 2_000

/** Bytes of all headers of a request together. */
const MAX_HEADER_BYTES = 16 * 1024

/** A server that slow or many clients cannot occupy. It has no routes, and does not listen yet. */
export function createHttpServer(
  { maxConnections }: { maxConnections: number },
  { headersMs, requestMs, checkEveryMs, takeMs }: ServerTimeouts = defaultTimeouts,
): Server {
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: checkEveryMs,
    maxHeaderSize: MAX_HEADER_BYTES,
  })
  server.maxConnections = maxConnections
  // `Expect: 100-continue`: the client is told to go on when a handler begins to read the body. After a refusal no body
  // comes, so the connection ends with the answer.
  server.on('checkContinue', (request, response) => {
    response.setHeader('Connection', 'close')
    request.once('resume', () => {
      if (response.headersSent) return void response.end()
      response.removeHeader('Connection')
      response.writeContinue()
    })
    server.emit('request', request, response)
  })
  server.on('checkExpectation', refuseExpectHeader)
  answerParserErrors(server)
  // An answer that is not read stays in memory, and a client may never read it.
  server.prependListener('request', (_request, response) => {
    response.once('prefinish', () => {
      if (response.writableFinished || response.closed) return
      const cutOff = setTimeout(() => response.destroy(), takeMs)
      response.once('close', () => clearTimeout(cutOff))
    })
  })
  return server
}

/** By the code of Node's error: the answer to a request that cannot be parsed, which reaches no handler. */
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
    // Every later chunk of a connection that was refused fails in the same way.
    if (socket.writableEnded) return
    const response = answering.get(socket)
    // An answer to this request is there, whole or in part: a second one would be taken for that to the next request.
    if (!socket.writable || (response?.headersSent && !(response.writableFinished && response.req.complete)))
      return void socket.destroy()
    const { status, code, message } = PARSER_ERRORS[error.code ?? ''] ?? MALFORMED
    const body = rawErrorResponse(code, message)
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    }
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', body].join('\r\n'))
    const cutOff = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(cutOff))
  })
}

const rawErrorResponse = (code: string, message: string): string =>
  JSON.stringify({ success: false, error: { code, message } })

function refuseExpectHeader(request: IncomingMessage, response: ServerResponse): void {
  const message = 'Galley supports no expectation but 100-continue. Leave the header Expect out.'
  response.statusCode = 417
  endAfterBody(request, response, rawErrorResponse('EXPECTATION_FAILED', message))
}

/**
 * Answers with JSON at once, and ends when the rest of the request's body was read and thrown away: a connection that is closed
 * on unread bytes is reset, which costs the answer, or somebody else's request that a proxy has put on it.
 */
export function endAfterBody(request: IncomingMessage, response: ServerResponse, body: string): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', Buffer.byteLength(body))
  response.write(body)
  finished(request.resume(), () => response.end())
}

/** @param settings that name the address @returns its URL @throws GalleyError `cannot_listen` */
export function listen(server: Server, { host, port }: Address, settings = 'PORT or HOST'): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(cannotListen(`${host}:${port}`, settings, cause)))
    server.listen(port, host, () => resolve(addressOf(server)))
  })
}

const cannotListen = (where: string, settings: string, cause: Error): GalleyError =>
  operatorError(
    'cannot_listen',
    `Galley cannot listen on ${where}: ${cause.message}. Set ${settings} to another one, or stop what uses this one.`,
    cause,
  )

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Takes no new connection and ends idle ones; a busy one ends with its next answer. @param deadline ends the wait */
export const close = (server: Server, deadline: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'))
    server.close(() => resolve())
    server.closeIdleConnections()
    const cut = () => server.closeAllConnections()
    if (deadline.aborted) cut()
    deadline.addEventListener('abort', cut)
  })

export type WebhookListener = (request: IncomingMessage, response: ServerResponse, token: string) => void

const WEBHOOK_PREFIX = webhookPath.replace('{token}', '')

/** Webhooks have an entrance of their own, where their address is plain: one with a query or an escape goes to the other. */
export const withWebhookEntrance =
  (webhook: WebhookListener, other: RequestListener): RequestListener =>
  (request, response) => {
    const { method, url = '' } = request
    const token = method === 'POST' && url.startsWith(WEBHOOK_PREFIX) ? url.slice(WEBHOOK_PREFIX.length) : ''
    return /^[\w-]+$/.test(token) ? webhook(request, response, token) : other(request, response)
  }
