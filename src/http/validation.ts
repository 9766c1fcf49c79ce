// Every schema's mistakes in words.
import '../contract/issues.ts'
import { z } from 'zod'
import { capIssues, formatPath } from '../contract/issues.ts'
import { uuid } from '../contract/scalars.ts'
import { apiCodeSchema, GalleyError } from '../errors.ts'
import { excerpt } from '../lib/text.ts'

/** One mistake in a request: where it is (`body.url`), and what is wanted there. */
interface ValidationIssue {
  path: string
  message: string
}

interface RequestParts {
  params: unknown
  query: unknown
  headers: unknown
  body: unknown
}

type Schemas = { [Part in keyof RequestParts]: z.ZodType }

/**
 * Reads path, query, headers and body by their schemas, and names every mistake at once.
 *
 * @throws GalleyError `NOT_FOUND` where the path cannot name anything, `INVALID_REQUEST` for the rest.
 */
export function parseParts(schemas: Schemas, parts: RequestParts): RequestParts {
  const params = schemas.params.safeParse(parts.params)
  if (!params.success) throw notFound()
  const query = schemas.query.safeParse(parts.query)
  const headers = schemas.headers.safeParse(parts.headers)
  const body = schemas.body.safeParse(parts.body)
  if (query.success && headers.success && body.success)
    return { params: params.data, query: query.data, headers: headers.data, body: body.data }
  throw invalidRequest([
    ...issuesOf(query.error, 'query'),
    ...issuesOf(headers.error, 'headers'),
    ...issuesOf(body.error, 'body'),
  ])
}

/** Where in the request the mistakes of a failed reading lie. */
function issuesOf(error: z.ZodError | undefined, part: string): ValidationIssue[] {
  return capIssues(error?.issues ?? []).map(({ path, message }) => ({
    path: formatPath([part, ...path]),
    message: excerpt(message, 1_000),
  }))
}

/** A request that is refused, with every mistake named. */
export function invalidRequest(details: ValidationIssue[]): GalleyError {
  const list = details.map(({ path, message }) => `${path}: ${message}`).join('; ')
  return new GalleyError({
    code: 'INVALID_REQUEST',
    httpStatus: 422,
    message: `The request cannot be carried out as it is; nothing was changed. ${list}.`,
    details,
  })
}

const notFound = () =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: 'There is nothing at this address: its last part is not an id that Galley issues.',
  })

export const uuidInPath = z.object({ uuid })

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

export const dataResponse = <Data extends z.ZodType>(data: Data) =>
  z.object({ success: z.literal(true), data })

/** A creation answers the id beside the data, where every creation has it. */
export const createdResponse = <Data extends z.ZodType>(data: Data) =>
  z.object({ success: z.literal(true), id: uuid, data })

export const listResponse = <Item extends z.ZodType>(item: Item) =>
  z.object({
    success: z.literal(true),
    data: z.array(item),
    next_cursor: z.string().nullable().describe('Give it as `cursor` for the next page; null on the last.'),
  })

/** What a removal answers. */
export const removedResponse = z.object({ success: z.literal(true), id: uuid })

/** `?name=true` */
export const booleanFlag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')

/** The header by which a request is known when it is sent again. */
export const idempotencyHeader = (whatFollows: string) =>
  z.object({ 'idempotency-key': z.string().min(1).max(255).optional().describe(whatFollows) })
