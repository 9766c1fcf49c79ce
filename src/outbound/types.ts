import type { LookupFunction } from 'node:net'

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
}

export interface OutboundRequest {
  /** Default `GET`. */
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer | null
  /** Milliseconds from asking for a connection to the last byte of the answer. Default 30,000. */
  timeoutMs?: number
  /** Bytes of decoded body, beyond which the answer is given up. Default 10 MiB. */
  maxBytes?: number
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
}

/** The one way out to an address that came from outside. Errors are `GalleyError`s of `catalogue.ts`. */
export interface Outbound {
  request(url: string | URL, request?: OutboundRequest): Promise<OutboundResponse>
  /** Ends every connection; requests under way fail. */
  close(): Promise<void>
}
