import { v7 as uuid } from 'uuid'
import { z } from 'zod'
import type { Action } from '../accounts/audit/enter.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { Right } from '../accounts/rights.ts'
import type { Share } from '../bytes/index.ts'
import type { Making } from '../idempotency/once.ts'
import type { Export } from './export.ts'
import type { Live } from './live.ts'
import { idempotencyHeader } from './schemas.ts'
import { readParts } from './validation.ts'

type Method = 'get' | 'post' | 'patch' | 'delete'

/** An answer on its way out; `body` is sent as JSON. */
export interface Reply {
  status: number
  body: { success: boolean }
  /** False where nothing was changed for once (a dry run), so that the audit log has nothing to tell. */
  changed?: boolean
  /** What the cookie of a session is to say from now on; null where it has ended. */
  session?: string | null
  /** What it holds of the budget of bytes, to be given back when it is out, or nobody waits for it any more. */
  share?: Share
}

/** A documented answer: what it means, and the shape of its body. */
interface Answer {
  description: string
  schema: z.ZodType
  /** What it may be sent as; JSON where left out. */
  types?: readonly string[]
}

/** What an endpoint gets: its parts already read by the schemas it declared. */
interface Request<Params, Query, Headers, Body> {
  caller: Caller
  params: Params
  query: Query
  headers: Headers
  body: Body
  /** Aborted when the client has gone before its answer was whole: nobody waits for what is not begun yet. */
  gone: AbortSignal
  /** What it makes, if it makes something. */
  making: Making
}

interface Common {
  method: Method
  /** In OpenAPI's spelling: `/v1/sites/{uuid}`. */
  path: `/v1/${string}`
  /** Names the call for the clients that are generated from the description. */
  operationId: string
  /** What a key must be allowed to do, or it hears 403. */
  right: Right
  /**
   * What it does, as the audit log names it: `site.connect`, of `site`. Everything but a GET has one (a test looks); of
   * what changes nothing, such as a preview, it is `none`. The entry is about what the path names, or else what was made.
   */
  action?: Action | 'none'
  summary: string
  description?: string
  tag: string
  answers: Record<number, Answer>
  /** The failures that are particular to it, by HTTP status. */
  failures?: Record<number, string>
  /** What the body is sent as; JSON where left out. */
  bodyType?: 'application/json' | 'text/csv'
  /** Largest body, in bytes; 1 MiB where left out. */
  bodyLimit?: number
  /**
   * It takes an `Idempotency-Key`: what it makes goes by the id of {@link Request.making}, and it finds what an earlier
   * attempt has made.
   */
  idempotent?: true
}

export interface EndpointOptions<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  H extends z.ZodObject,
  B extends z.ZodType,
> extends Common {
  params?: P
  query?: Q
  /** Those that it looks at, in lower case; there may be others. */
  headers?: H
  body?: B
  handle(request: Request<z.output<P>, z.output<Q>, z.output<H>, z.output<B>>): Promise<Reply | Export | Live>
}

/** A request before any schema has looked at it. */
export interface RawRequest {
  caller: Caller
  params: unknown
  query: unknown
  headers: unknown
  body: unknown
  gone: AbortSignal
  making?: Making
}

/** One call of the API, described once: Express routes it and OpenAPI documents it from the same value. */
export interface Endpoint extends Common {
  params: z.ZodObject
  query: z.ZodObject
  headers: z.ZodObject
  body: z.ZodType | undefined
  /** @throws GalleyError `NOT_FOUND` (404) or `INVALID_REQUEST` (422) where the request does not fit. */
  run(request: RawRequest): Promise<Reply | Export | Live>
}

const nothing = z.strictObject({})
const anything = z.object({})

const idempotencyHeaders = idempotencyHeader(
  'Your own name for this request. Sent again within 24 hours, it creates nothing and repeats the first answer.',
)

export function endpoint<
  P extends z.ZodObject = typeof nothing,
  Q extends z.ZodObject = typeof nothing,
  H extends z.ZodObject = typeof anything,
  B extends z.ZodType = z.ZodUndefined,
>(options: EndpointOptions<P, Q, H, B>): Endpoint {
  const { handle, ...common } = options
  const params: z.ZodObject = options.params ?? nothing
  const query: z.ZodObject = options.query ?? nothing
  const headers: z.ZodObject = options.headers ?? (options.idempotent ? idempotencyHeaders : anything)
  const body: z.ZodType | undefined = options.body
  return {
    ...common,
    params,
    query,
    headers,
    body,
    async run({ making = { id: uuid(), againSince: undefined }, ...request }) {
      const parts = readParts({ params, query, headers, body: body ?? z.unknown() }, request)
      const { caller, gone } = request
      return handle({ caller, gone, making, ...parts } as Parameters<typeof handle>[0])
    },
  }
}
