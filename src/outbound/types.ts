import type { LookupFunction } from 'node:net'
import type { ByteBudget } from '../bytes/budget.ts'

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
  /** Milliseconds from asking for a connection to the last byte, but for the wait for the byte budget. Default 30,000. */
  timeoutMs?: number
  /** Bytes of decoded body; a longer one is `answer_too_big`. Default 1 MiB, but 64 KiB of an answer that is not a 2xx. */
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
  /** Why nothing would ever be sent to a valid address that is used later, as part of a sentence; null where it may be. */
  refusalOf(address: string): string | null
  /** A client that may also reach the operator's `targets`, in the form of `allowPrivate`; it shares the budget alone. */
  also(targets: string[]): Outbound
  /** Closes every connection; pending requests fail. */
  close(): Promise<void>
}
