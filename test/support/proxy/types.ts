import type { IncomingHttpHeaders } from 'node:http'

/** A request as the proxy got it. */
export interface ProxiedRequest {
  /** What WordPress will take it for: `_method` in its query counts. */
  method: string
  /** The REST route, whichever kind of permalink carried it (`/wp/v2/posts`), or else the path. */
  path: string
  /** As on the request line. */
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface Reply {
  status: number
  headers: Record<string, string | string[]>
  body: Buffer
}

/** One request on its way, in the hands of a fault. */
export interface Exchange {
  request: ProxiedRequest
  /** Lets WordPress carry the request out, and answers what it said. */
  forward(changes?: { headers?: IncomingHttpHeaders; url?: string; body?: Buffer }): Promise<Reply>
  /** Sends an answer. */
  reply(reply: Reply): void
  /** Sends the head of an answer and the first bytes of its body, then cuts the connection. */
  cut(reply: Reply, bytes: number): void
  /** Resets the connection without an answer. */
  reset(): void
}

/** What happens to a request instead of, or around, passing it on. Named, so that a log can tell. */
export interface Fault {
  name: string
  apply(exchange: Exchange): void | Promise<void>
}

export interface Match {
  method?: string
  /** A whole path, or a pattern in it. */
  path?: string | RegExp
  /** Whatever else makes it the one. */
  where?: (request: ProxiedRequest) => boolean
  /** Only the nth request that fits, counted from 1 since the rule was made; every one unless given. */
  nth?: number
}

/** What passed through, in the order it came. */
export interface LoggedRequest {
  method: string
  path: string
  /** How many requests it carried; `null` for one that is no batch. */
  members: number | null
  /** The fault that was applied, if any. */
  fault: string | null
  /** What the client was answered; `null` where it was not, or not yet. */
  status: number | null
}

export interface FaultProxy {
  /** Where to speak to WordPress through the proxy, without a slash at the end. */
  url: string
  /** The first rule that fits a request is applied to it; without one it passes untouched. */
  rule(match: Match, fault: Fault): void
  /** Forgets the rules; the requests stay. */
  clear(): void
  /** From now on addresses pass as they are. */
  keepUrls(): void
  requests: LoggedRequest[]
  /** Takes no connections, as a server that is down, until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
  close(): Promise<void>
}

export interface FaultProxyOptions {
  /** Puts the proxy's address for the target's into headers and text, so that a site can be discovered through it. */
  rewriteUrls?: boolean
}
