import { v7 as uuid } from 'uuid'
import { z } from 'zod'
import type { AuditAction } from '../accounts/audit/record.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { Right } from '../accounts/rights.ts'
import type { ByteLease } from '../bytes/index.ts'
import type { IdempotentExecution } from '../idempotency/idempotency.ts'
import type { EventStream, Export } from './streaming.ts'
import { idempotencyHeader, parseParts } from './validation.ts'

type Method = 'get' | 'post' | 'patch' | 'delete'

/** An answer on its way out; `body` is sent as JSON. */
export interface EndpointReply {
  status: number
  body: { success: boolean }
  /** False where nothing was changed for once (a dry run), so that the audit log has nothing to tell. */
  changed?: boolean
  /** What the cookie of a session is to say from now on; null where it has ended. */
  session?: string | null
  /** What it holds of the budget of bytes, to be given back when it is out, or nobody waits for it any more. */
  share?: ByteLease
}

/** A documented answer: what it means, and the shape of its body. */
interface ResponseDescription {
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
  making: IdempotentExecution
}

interface EndpointDefinition {
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
  action?: AuditAction | 'none'
  summary: string
  description?: string
  tag: string
  answers: Record<number, ResponseDescription>
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

interface EndpointOptions<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  H extends z.ZodObject,
  B extends z.ZodType,
> extends EndpointDefinition {
  params?: P
  query?: Q
  /** Those that it looks at, in lower case; there may be others. */
  headers?: H
  body?: B
  handle(
    request: Request<z.output<P>, z.output<Q>, z.output<H>, z.output<B>>,
  ): Promise<EndpointReply | Export | EventStream>
}

/** A request before any schema has looked at it. */
export interface RawRequest {
  caller: Caller
  params: unknown
  query: unknown
  headers: unknown
  body: unknown
  gone: AbortSignal
  making?: IdempotentExecution
}

/** One call of the API, described once: Express routes it and OpenAPI documents it from the same value. */
export interface Endpoint extends EndpointDefinition {
  params: z.ZodObject
  query: z.ZodObject
  headers: z.ZodObject
  body: z.ZodType | undefined
  /** @throws GalleyError `NOT_FOUND` (404) or `INVALID_REQUEST` (422) where the request does not fit. */
  run(request: RawRequest): Promise<EndpointReply | Export | EventStream>
}

const noInput = z.strictObject({})
const anyHeaders = z.object({})

const idempotencyHeaders = idempotencyHeader(
  'Your own name for this request. Sent again within 24 hours, it creates nothing and repeats the first answer.',
)

export function endpoint<
  P extends z.ZodObject = typeof noInput,
  Q extends z.ZodObject = typeof noInput,
  H extends z.ZodObject = typeof anyHeaders,
  B extends z.ZodType = z.ZodUndefined,
>(options: EndpointOptions<P, Q, H, B>): Endpoint {
  const { handle, ...common } = options
  const params: z.ZodObject = options.params ?? noInput
  const query: z.ZodObject = options.query ?? noInput
  const headers: z.ZodObject = options.headers ?? (options.idempotent ? idempotencyHeaders : anyHeaders)
  const body: z.ZodType | undefined = options.body
  return {
    ...common,
    params,
    query,
    headers,
    body,
    async run({ making = { id: uuid(), againSince: undefined }, ...request }) {
      const parts = parseParts({ params, query, headers, body: body ?? z.unknown() }, request)
      const { caller, gone } = request
      return handle({ caller, gone, making, ...parts } as Parameters<typeof handle>[0])
    },
  }
}
