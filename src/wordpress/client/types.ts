import type { Outbound } from '../../outbound/index.ts'
import type { Subject } from '../failures/index.ts'
import type { SiteConnection } from '../types.ts'
import type { Multipart } from './multipart.ts'

export type Query = Record<string, string | number | boolean | undefined>

export interface WordPressRequest {
  method?: 'GET' | 'POST' | 'DELETE' | 'OPTIONS'
  /** Below the REST root, beginning with `/`: `/wp/v2/posts`. */
  path: string
  query?: Query
  /** Sent as JSON. */
  data?: unknown
  /** Sent as multipart; instead of `data`. */
  form?: Multipart
  /** For the sentence of a failure, as in “while …”: `creating the post`. */
  doing: string
  /** What it is about; decides what an ambiguous WordPress code means. */
  subject: Subject
  /** Milliseconds for the whole exchange; by kind of request unless given. */
  timeoutMs?: number
}

/** A 2xx answer of the REST API. */
export interface Answer {
  status: number
  /** Lower-case names. */
  headers: Record<string, string>
  /** Parsed JSON, not yet checked; each room reads it with its own schema. */
  data: unknown
}

/** Speaks to one site as one user. Every failure is a `GalleyError` of the failures' catalogue. */
export interface WordPressClient {
  readonly site: SiteConnection
  /** The guard it speaks through, for what is not a route of the REST API. */
  readonly outbound: Outbound
  request(request: WordPressRequest): Promise<Answer>
}

export interface ClientOptions {
  /** Milliseconds for a whole exchange, by kind. Defaults: 30,000, 60,000 and 180,000. */
  timeoutsMs?: { read?: number; write?: number; upload?: number }
}
