import type { LookupFunction } from 'node:net'
import type { ByteBudget } from '../bytes/index.ts'

export interface OutboundOptions {
  /**
   * Destinations allowed besides the public internet: CIDRs (`10.0.0.0/8`), addresses (`127.0.0.1`), hosts
   * (`wordpress.internal`) or host:port (`127.0.0.1:8080`). An entry without a port opens every port.
   * `all` switches the guard off, for development.
   */
  allowPrivate: string[] | 'all'
  /** Sent with every request: `Galley/1.2.3 (+https://…)`. */
  userAgent: string
  /** Milliseconds until the socket is connected, TLS included. Default 10,000. */
  connectTimeoutMs?: number
  /** Name resolution, whose answers are checked. Default `dns.lookup`. */
  lookup?: LookupFunction
  /** The process's byte budget. Default: a new one. */
  budget?: ByteBudget
}

export interface OutboundRequest {
  /** Default `GET`. */
  method?: string
  headers?: Record<string, string>
  /** An iterable is streamed; `headers` must have its `Content-Length`. */
  body?: string | Buffer | Iterable<Buffer> | null
  /**
   * Milliseconds from the request for a connection to the last byte of the answer, without the wait for the byte
   * budget. Default 30,000.
   */
  timeoutMs?: number
  /**
   * Bytes of decoded body; a longer one is `answer_too_big`. Default 1 MiB. Of an answer that is not a 2xx at most the
   * first 64 KiB are kept.
   */
  maxBytes?: number
  /** `cut` keeps the first `maxBytes` of a longer body instead of failing. */
  overflow?: 'fail' | 'cut'
  /** The body is a file: it counts against the budget until `release` is called. Only that of a 200 is kept. */
  hold?: boolean
  /** Receives the body of a 200 as it arrives; `body` is then empty. */
  onBody?: (chunk: Buffer) => void
  /** Ignores the body: `body` is empty, and an incomplete, undecodable or slow body is no error. */
  headOnly?: boolean
  /** `follow` applies to GET and HEAD only; a write goes only to the address it names. */
  redirects?: 'none' | 'follow'
  signal?: AbortSignal
  /** Called when the connection is open and nothing has been sent; an exception ends the request. */
  beforeSend?: () => void
}

export interface OutboundResponse {
  status: number
  /** Lower-case names; a header sent several times is joined with `, `. */
  headers: Record<string, string>
  /** Decoded. */
  body: Buffer
  /** The address that answered, after redirects. */
  url: string
  /** Releases the lease of an answer with `hold`. Further calls do nothing. */
  release?: () => void
}

/** The only client for addresses that come from outside. Errors are `GalleyError`s of `outbound/failures.ts`. */
export interface Outbound {
  /** Bytes of the largest file that fits in the budget. */
  readonly largestFile: number
  request(url: string | URL, request?: OutboundRequest): Promise<OutboundResponse>
  /**
   * Creates a client that may also reach `targets`, for addresses from the operator's settings only. It shares the
   * budget but no connections, and closes with this one.
   *
   * @param targets in the form of `allowPrivate`
   */
  also(targets: string[]): Outbound
  /** Closes every connection; pending requests fail. */
  close(): Promise<void>
}
