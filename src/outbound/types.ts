import type { LookupFunction } from 'node:net'
import type { ByteBudget } from '../bytes/index.ts'

export interface OutboundOptions {
  /**
   * Who may be reached besides the public internet: CIDRs (`10.0.0.0/8`), addresses (`127.0.0.1`), hosts
   * (`wordpress.internal`) or host:port (`127.0.0.1:8080`). An entry without a port opens every port.
   * `all` switches the guard off, for development.
   */
  allowPrivate: string[] | 'all'
  /** Sent with every request: `Galley/1.2.3 (+https://…)`. */
  userAgent: string
  /** Milliseconds to a connected, and where asked encrypted, socket. Default 10,000. */
  connectTimeoutMs?: number
  /** Name resolution; `dns.lookup` unless given. Its answers are checked, whoever gives them. */
  lookup?: LookupFunction
  /** The bytes that this process may have in flight; one of its own unless given. */
  budget?: ByteBudget
}

export interface OutboundRequest {
  /** Default `GET`. */
  method?: string
  headers?: Record<string, string>
  /** Several pieces are sent as they are asked for; `headers` then says their `Content-Length`. */
  body?: string | Buffer | Iterable<Buffer> | null
  /**
   * Milliseconds from asking for a connection to the last byte of the answer, without what is spent waiting for room
   * in the budget. Default 30,000.
   */
  timeoutMs?: number
  /**
   * Bytes of decoded body, beyond which the answer is given up. Default 1 MiB. Of an answer that is not a 2xx at most
   * the first 64 KiB are kept, which say what it is.
   */
  maxBytes?: number
  /** `cut` keeps the first `maxBytes` of a longer body instead of giving the answer up. */
  overflow?: 'fail' | 'cut'
  /** The body is a file that will be held for a while: it counts until `release` is called. Only that of a 200 is kept. */
  hold?: boolean
  /** Gets the body of a 200 as it comes, instead of its being kept: the answer's own is then empty. */
  onBody?: (chunk: Buffer) => void
  /**
   * The head says all: the answer's own body is then empty. Whether the body comes whole, can be decoded or is slow changes
   * nothing.
   */
  headOnly?: boolean
  /** `follow` is honoured for GET and HEAD alone; a write is never sent anywhere but where it was addressed. */
  redirects?: 'none' | 'follow'
  signal?: AbortSignal
  /** Asked at the last moment, when a connection stands and nothing has left yet; what it throws ends the request. */
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
  /** Of an answer asked for with `hold`: gives back what it holds of the budget. Further calls do nothing. */
  release?: () => void
}

/** The one way out to an address that came from outside. Errors are `GalleyError`s of `outbound/failures.ts`. */
export interface Outbound {
  /** Bytes of the largest file that can be held. */
  readonly largestFile: number
  request(url: string | URL, request?: OutboundRequest): Promise<OutboundResponse>
  /**
   * One that may also reach these, for what the operator named in the settings: addresses from anywhere else must not go
   * through it. It has the same budget, shares no connection, and ends when this one does.
   *
   * @param targets as `allowPrivate` has them
   */
  also(targets: string[]): Outbound
  /** Ends every connection; requests under way fail. */
  close(): Promise<void>
}
