// Every schema's mistakes in words.
import '../contract/issues.ts'
import { v7 as createId } from 'uuid'
import { z } from 'zod'
import type { AuditAction } from '../accounts/audit.ts'
import type { Caller, Right } from '../accounts/authenticate.ts'
import type { ByteLease } from '../bytes/budget.ts'
import { capIssues, formatPath, type Issue } from '../contract/issues.ts'
import { uuid } from '../contract/scalars.ts'
import { apiCodeSchema, type GalleyError, refusal } from '../errors.ts'
import type { IdempotentExecution } from '../idempotency/idempotency.ts'
import type { Page } from '../lib/paging.ts'
import { excerpt } from '../lib/text.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { EventStream, Export } from './streaming.ts'

interface RequestParts {
  params: unknown
  query: unknown
  headers: unknown
  body: unknown
}

/** Names every mistake at once. @throws GalleyError `NOT_FOUND` for the path, `INVALID_REQUEST` else */
function parseParts(params: z.ZodType, others: z.ZodObject, parts: RequestParts) {
  const path = params.safeParse(parts.params)
  if (!path.success)
    throw refusal(
      'NOT_FOUND',
      'There is nothing at this address: its last part is not an id that Galley issues.',
      404,
    )
  const { query, headers, body } = parts
  const read = others.safeParse({ query, headers, body })
  if (read.success) return { params: path.data, ...read.data }
  throw invalidRequest(
    capIssues(read.error.issues).map(({ path, message }) => ({
      path: formatPath(path),
      message: excerpt(message, 1_000),
    })),
  )
}

export function invalidRequest(details: Issue[]): GalleyError {
  const said = details.map(({ path, message }) => `${path}: ${message}`).join('; ')
  const list = said.endsWith('?') ? said : `${said}.`
  const message = `The request cannot be carried out as it is; nothing was changed. ${list}`
  return refusal('INVALID_REQUEST', message, 422, details)
}

/** Refuses an address that would never be reached later, while somebody waits. @param path of the member, `body.url` */
export function requireReachable(outbound: Outbound, path: string, address: string | null | undefined): void {
  const refusal = typeof address === 'string' ? outbound.refusalOf(address) : null
  if (refusal === null) return
  const message = `leads nowhere that Galley sends to: ${refusal}. Give an address of the public web, or have whoever runs this Galley name it in GALLEY_ALLOW_PRIVATE`
  throw invalidRequest([{ path, message }])
}

/** Where a page of a list begins and how long it is. */
export const pageQuery = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(20)
    .describe('Maximum items in the answer, 1 to 100.'),
  cursor: uuid.optional().describe('`next_cursor` of the page before.'),
})

export const failureSchema = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: apiCodeSchema.describe('Stable; what a program decides by.'),
      message: z.string().describe('A sentence for the person who must act.'),
      details: z.unknown().optional().describe('Facts; for a mistake in the request `[{path, message}]`.'),
    }),
  })
  .meta({ id: 'Failure' })

export const booleanFlag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')

/** The header by which a request is known when it is sent again. */
export const idempotencyHeader = (whatFollows: string) =>
  z.object({ 'idempotency-key': z.string().min(1).max(255).optional().describe(whatFollows) })

const methods = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const

/** A method and a path in OpenAPI's spelling: `GET /v1/sites/{uuid}`. */
type Route = `${keyof typeof methods} /v1/${string}`

/** The only parameter that a path has. */
type ParamsOf<Path> = Path extends `${string}{uuid}${string}` ? { uuid: string } : Record<string, never>

/** The 429 of a call that starts a job, in its description. */
export const JOB_LIMIT_DESCRIPTION =
  'Too many requests, or TOO_MANY_JOBS of this account under way. `Retry-After` says when to come again.'

/** What an endpoint gets: its parts already read by the schemas it declared. */
interface Request<Params, Query, Headers, Body> {
  caller: Caller
  params: Params
  query: Query
  headers: Headers
  body: Body
  /** Aborted when the client has gone before its answer was whole: nobody waits for what is not begun yet. */
  gone: AbortSignal
  /** Keeps a part of the budget of bytes until the answer is out, or is made and nobody waits for it any more. */
  hold(lease: ByteLease): void
  making: IdempotentExecution
}

interface EndpointDefinition {
  /** Names the call for the clients that are generated from the description. */
  operationId: string
  right: Right
  /** What the audit log calls it, such as `site.connect`; `none` where it changes nothing. Only a GET has none. */
  action?: AuditAction | 'none'
  summary: string
  description?: string
  /** The failures that are particular to it, by HTTP status: a sentence for each that names its codes. */
  failures?: Record<number, string>
  /** What the body is sent as; JSON where left out. */
  bodyType?: 'application/json' | 'text/csv'
  /** Largest body, in bytes; 1 MiB where left out. */
  bodyLimit?: number
  /** Takes an `Idempotency-Key`: makes things by the id of {@link Request.making}, or finds them. */
  idempotent?: true
}

interface EndpointOptions<
  Path extends Route,
  Q extends z.ZodObject,
  H extends z.ZodObject,
  B extends z.ZodType,
  Result,
> extends EndpointDefinition {
  query?: Q
  /** Those that it looks at, in lower case; there may be others. */
  headers?: H
  body?: B
  answer: Answer<Result>
  handle(
    request: Request<ParamsOf<Path>, z.output<Q>, z.output<H>, z.output<B>>,
  ): NoInfer<Result> | Promise<NoInfer<Result>>
}

/** A request before any schema has looked at it. */
export interface RawRequest extends RequestParts {
  caller: Caller
  gone: AbortSignal
  hold(lease: ByteLease): void
  making?: IdempotentExecution
}

/** One call of the API, described once: Express routes it and OpenAPI documents it from the same value. */
export interface Endpoint extends EndpointDefinition {
  method: (typeof methods)[keyof typeof methods]
  path: string
  params: z.ZodObject
  query: z.ZodObject
  headers: z.ZodObject
  body: z.ZodType | undefined
  answers: Answer<unknown>['responses']
  /** @throws GalleyError `NOT_FOUND` (404) or `INVALID_REQUEST` (422) where the request does not fit. */
  run(request: RawRequest): Promise<EndpointResult>
}

const noInput = z.strictObject({})
const anyHeaders = z.object({})

const idempotencyHeaders = idempotencyHeader(
  'Your own name for this request. Sent again within 24 hours, it creates nothing and repeats the first answer.',
)

export function endpoint<
  const Path extends Route,
  Result,
  Q extends z.ZodObject = typeof noInput,
  H extends z.ZodObject = typeof anyHeaders,
  B extends z.ZodType = z.ZodUndefined,
>(route: Path, options: EndpointOptions<Path, Q, H, B, Result>): Endpoint {
  const { handle, answer, ...common } = options
  const [method, path] = route.split(' ') as [keyof typeof methods, string]
  const params: z.ZodObject = path.includes('{uuid}') ? z.object({ uuid }) : noInput
  const query: z.ZodObject = options.query ?? noInput
  const headers: z.ZodObject = options.headers ?? (options.idempotent ? idempotencyHeaders : anyHeaders)
  const body: z.ZodType | undefined = options.body
  const others = z.object({ query, headers, body: body ?? z.unknown() })
  return {
    ...common,
    method: methods[method],
    path,
    params,
    query,
    headers,
    body,
    answers: answer.responses,
    async run({ making = { id: createId(), againSince: undefined }, ...request }) {
      const parts = { ...request, making, ...parseParts(params, others, request) }
      return answer.reply(await handle(parts as Parameters<typeof handle>[0]))
    },
  }
}

interface EndpointReply {
  status: number
  body: { success: boolean }
  /** False where nothing was changed for once (a dry run), so that the audit log has nothing to tell. */
  changed?: boolean
  /** The object that the audit log names, where that is neither in the path nor the `id` of the body. */
  subject?: string
  /** What the cookie of a session is to say from now on; null where it has ended. */
  session?: string | null
}

interface ResponseDescription {
  description: string
  schema: z.ZodType
  /** What it may be sent as; JSON where left out. */
  types?: readonly string[]
}

interface Answer<Result> {
  responses: Record<number, ResponseDescription>
  reply(result: Result): EndpointResult
}

export type EndpointResult = EndpointReply | Export | EventStream

export const nextCursorSchema = z
  .string()
  .nullable()
  .describe('Give it as `cursor` for the next page; null on the last.')

/** What a creation answers: the id beside the data, where every creation has it. */
export const createdResponse = <Data extends z.ZodType>(data: Data) =>
  z.object({ success: z.literal(true), id: uuid, data })

export const answers = {
  data: <Data extends z.ZodType>(description: string, data: Data, status = 200): Answer<z.output<Data>> => ({
    responses: { [status]: { description, schema: z.object({ success: z.literal(true), data }) } },
    reply: (found) => ({ status, body: { success: true, data: found } }),
  }),

  created: <Data extends z.ZodType<{ id: string }>>(
    description: string,
    data: Data,
    status = 201,
  ): Answer<z.output<Data>> => ({
    responses: { [status]: { description, schema: createdResponse(data) } },
    reply: (made) => ({ status, body: { success: true, id: made.id, data: made } }),
  }),

  /** A page of a list; `more` is what stands beside its items. */
  page: <Item extends z.ZodType>(
    description: string,
    item: Item,
    more: z.ZodRawShape = {},
  ): Answer<Page<z.output<Item>>> => {
    const list = { success: z.literal(true), data: z.array(item), next_cursor: nextCursorSchema }
    return {
      responses: { 200: { description, schema: z.object({ ...list, ...more }) } },
      reply: ({ items, nextCursor, ...beside }) => ({
        status: 200,
        body: { success: true, data: items, next_cursor: nextCursor, ...beside },
      }),
    }
  },

  removed: {
    responses: { 200: { description: 'Removed.', schema: z.object({ success: z.literal(true), id: uuid }) } },
    reply: (id) => ({ status: 200, body: { success: true, id } }),
  } as Answer<string>,

  /** Members of its own beside `success`. */
  members: <Shape extends z.ZodRawShape>(
    description: string,
    shape: Shape,
    status = 200,
  ): Answer<z.output<z.ZodObject<Shape>>> => ({
    responses: { [status]: { description, schema: z.object({ success: z.literal(true), ...shape }) } },
    reply: (members) => ({ status, body: { success: true, ...members } }),
  }),

  /** For what is like no other: the endpoint makes the reply itself. */
  own: (
    description: string,
    schema: z.ZodType,
    { status = 200, types }: { status?: number; types?: readonly string[] } = {},
  ): Answer<EndpointResult> => ({
    responses: { [status]: { description, schema, ...(types && { types }) } },
    reply: (result) => result,
  }),
}
