import type { z } from 'zod'
// Every schema's mistakes in words.
import '../contract/wording.ts'
import { fewest, pathOf } from '../contract/issues.ts'
import { GalleyError } from '../errors.ts'
import { excerpt } from '../text.ts'

/** One mistake in a request: where it is (`body.url`), and what is wanted there. */
export interface Mistake {
  path: string
  message: string
}

interface Parts {
  params: unknown
  query: unknown
  headers: unknown
  body: unknown
}

type Schemas = { [Part in keyof Parts]: z.ZodType }

/**
 * Reads path, query, headers and body by their schemas, and names every mistake at once.
 *
 * @throws GalleyError `NOT_FOUND` where the path cannot name anything, `INVALID_REQUEST` for the rest.
 */
export function readParts(schemas: Schemas, parts: Parts): Parts {
  const params = schemas.params.safeParse(parts.params)
  if (!params.success) throw notFound()
  const query = schemas.query.safeParse(parts.query)
  const headers = schemas.headers.safeParse(parts.headers)
  const body = schemas.body.safeParse(parts.body)
  if (query.success && headers.success && body.success)
    return { params: params.data, query: query.data, headers: headers.data, body: body.data }
  throw invalidRequest([
    ...mistakesOf(query.error, 'query'),
    ...mistakesOf(headers.error, 'headers'),
    ...mistakesOf(body.error, 'body'),
  ])
}

/** Where in the request the mistakes of a failed reading lie. */
function mistakesOf(error: z.ZodError | undefined, part: string): Mistake[] {
  return fewest(error?.issues ?? []).map(({ path, message }) => ({
    path: pathOf([part, ...path]),
    message: excerpt(message, 1_000),
  }))
}

/** A request that is refused, with every mistake named. */
export function invalidRequest(details: Mistake[]): GalleyError {
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
