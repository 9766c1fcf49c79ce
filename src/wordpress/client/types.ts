import type { GalleyError } from '../../errors.ts'
import type { Outbound } from '../../outbound/index.ts'
import type { RawAnswer, RequestSubject } from '../failures/index.ts'
import type { SiteConnection } from '../types.ts'
import type { JsonResult } from './json.ts'
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
  subject: RequestSubject
  /** Milliseconds for the whole exchange; by kind of request unless given. */
  timeoutMs?: number
  /** Bytes of the largest answer; by its subject unless given. */
  maxBytes?: number
  /** Sent twice it changes nothing the second time, so it may be sent again after a failure. Every read is such a one. */
  repeatable?: boolean
}

/** A 2xx answer of the REST API. */
export interface Answer {
  status: number
  /** Lower-case names. */
  headers: Record<string, string>
  /** Parsed JSON, not yet checked; each room reads it with its own schema. */
  data: unknown
}

/** An answer of which nobody has said yet what it means. */
export interface UnclassifiedAnswer extends RawAnswer {
  json: JsonResult
}

/** A request as it goes out. */
export interface PreparedRequest {
  /** Where it goes, and as whom. */
  site: SiteConnection
  request: WordPressRequest
  /** Asked at the last moment before it leaves; what it throws is thrown instead of sending it. */
  beforeSend: () => void
  /** See `ClientOptions`. */
  holds?: (() => boolean) | undefined
  /** One exchange with the site, over its connection and with its credentials: this request, or one in its place. */
  exchange: (request: WordPressRequest, beforeSend: () => void) => Promise<Answer>
  /** The same, whatever is answered; only what brings no answer at all is thrown. */
  unjudged: (request: WordPressRequest, beforeSend: () => void) => Promise<UnclassifiedAnswer>
  /** What an answer to this request means; what is no success is thrown as its failure. */
  judge: (answered: UnclassifiedAnswer, request: WordPressRequest) => Answer
}

/**
 * How the requests of one site go out: when, with which others, and how often before a failure is believed. Also what this
 * process knows of the site for a while.
 */
export interface Traffic {
  send(outgoing: PreparedRequest): Promise<Answer>
  /**
   * Asks for one item together with all that are asked for under the same name in the same moment.
   *
   * @param many answers each item, in their order
   */
  gather<Item, Found>(
    name: string,
    item: Item,
    many: (items: readonly Item[]) => Promise<readonly Found[]>,
  ): Promise<Found>
  /** What `learn` found under this key a while ago, or finds now; whoever asks meanwhile waits for the same. */
  remember<Value>(key: string, learn: () => Promise<Value>): Promise<Value>
  /** Forgets what is remembered under keys that begin so. */
  forget(prefix: string): void
  /**
   * Of a request that must not simply be sent again, since it may have made something: whether to look for what it left
   * and try again now, after a short wait. False where the failure is to be believed.
   *
   * @param tries how often it has failed, from 1
   */
  again(error: unknown, tries: number): Promise<boolean>
  /** Whether a failure is of the request alone: one that failed in a batch may have suffered for another. */
  isOfOne(error: unknown): boolean
  /** Whether failures of the site persist, so that it is to be left alone. False after a hiccup. */
  persists(): boolean
  /**
   * For whose delivery is claimed now: asked before a request leaves, it tells the failure of a moment ago that persists, or
   * null. A claim that begins before the site's pause is stored does not see that, and is not to be one request more. One
   * that begins after it knows what is stored: it is the probe, or the site was connected again.
   */
  watch(): () => GalleyError | null
  /** The site's pause because of what failed is stored. */
  paused(): void
}

/** Speaks to one site as one user. Every failure is a `GalleyError` of the failures' catalogue. */
export interface WordPressClient {
  readonly site: SiteConnection
  /** The guard it speaks through, for what is not a route of the REST API. */
  readonly outbound: Outbound
  /** How its requests go out, and what is known of the site in this process. */
  readonly traffic: Traffic
  request(request: WordPressRequest): Promise<Answer>
  /** The same client, whose requests go another way. */
  with(options: ClientOptions): WordPressClient
}

export interface ClientOptions {
  /** Milliseconds for a whole exchange, by kind. Defaults: 30,000, 60,000 and 180,000. */
  timeoutsMs?: { read?: number; write?: number; upload?: number }
  /** Default: every request at once and by itself. */
  traffic?: Traffic
  /** Asked at the last moment before each request leaves; what it throws is thrown instead of sending it. */
  beforeSend?: () => void
  /**
   * Whether what its requests are decided by may still be taken to stand. Where it may not, none is sent (`isOutdated`), nor
   * made again after a failure. They go before those that wait, since nothing else is late by waiting.
   */
  holds?: (() => boolean) | undefined
}
