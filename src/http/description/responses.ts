import { z } from 'zod'
import { type Right, rights } from '../../accounts/authenticate.ts'
import { type Endpoint, failureSchema } from '../endpoint.ts'

export const jsonContent = <Schema extends z.ZodType>(schema: Schema) => ({ 'application/json': { schema } })

/** Among the codes of a failure: those of what a site answered, which no list can name. */
const SITE_CODE = '…'

/** A failure as every route answers it. @param codes all that it has; left out where they are not known */
export function failureResponse(description: string, codes: readonly string[] = [SITE_CODE]) {
  const named = codes.filter((code) => code !== SITE_CODE)
  const unnamed = named.filter((code) => !description.includes(code)).join(', ')
  return {
    description: unnamed === '' ? description : `${description} Codes: ${unnamed}.`,
    content: jsonContent(named.length < codes.length ? failureSchema : failureSchemaFor(named)),
  }
}

const { error: failureError } = failureSchema.shape

const failureSchemas = new Map<string, z.ZodType>()

/** One schema for the same codes; those that several calls share have a name. */
function failureSchemaFor(codes: readonly string[]): z.ZodType {
  const key = codes.join()
  const schema =
    failureSchemas.get(key) ??
    z
      .object({
        success: failureSchema.shape.success,
        error: failureError.extend({ code: z.enum(codes).describe('Stable; what a program decides by.') }),
      })
      .meta({ id: failureName(codes) })
  failureSchemas.set(key, schema)
  return schema
}

/** The name of a schema: that of its only code, or of what its codes have in common. */
function failureName(codes: readonly string[]): string | undefined {
  if (codes.length === 1) return `${camelCase(codes[0] as string)}Failure`
  return Object.entries(sharedFailures()).find(([, of]) => of.join() === codes.join())?.[0]
}

/** `NOT_FOUND` → `NotFound` */
const camelCase = (code: string): string =>
  code.toLowerCase().replace(/(?:^|_)(.)/g, (_match, letter: string) => letter.toUpperCase())

interface DescribedFailure {
  why: string
  codes: readonly string[]
}

export const ALWAYS = {
  400: { why: 'The request cannot be read.', codes: ['MALFORMED_URL', 'MALFORMED_REQUEST'] },
  401: {
    why: 'No key, or one that is not valid.',
    codes: ['UNAUTHENTICATED', 'INVALID_API_KEY', 'SESSION_ENDED'],
  },
  403: {
    why: 'The key does not have the right, or its account is disabled.',
    codes: ['FORBIDDEN', 'ACCOUNT_DISABLED', 'OTHER_ORIGIN'],
  },
  422: { why: 'A mistake in the request; `details` names each.', codes: ['INVALID_REQUEST'] },
  429: { why: 'Too many requests. `Retry-After` says when to come again.', codes: ['TOO_MANY_REQUESTS'] },
  500: { why: 'Galley failed. Its log has the reason.', codes: ['INTERNAL'] },
  503: {
    why: 'Not just now: try again in a moment. Where the code speaks of secrets, whoever runs this Galley must put their key back.',
    codes: [
      'DATABASE_UNAVAILABLE',
      'MEMORY_BUSY',
      'SECRET_KEYS_UNFIT',
      'SECRET_KEY_MISSING',
      'SECRET_UNREADABLE',
    ],
  },
} satisfies Record<number, DescribedFailure>

const WITH_PARAMS = {
  404: { why: 'There is nothing under this id that this key sees.', codes: ['NOT_FOUND'] },
} satisfies Record<number, DescribedFailure>

const WITH_ACTION = {
  503: {
    why: 'Not just now. Try again in a moment; where the change could not be entered in the audit log, look first.',
    codes: ['AUDIT_UNWRITTEN'],
  },
} satisfies Record<number, DescribedFailure>

const WITH_BODY = {
  400: { why: 'The body cannot be read.', codes: ['MALFORMED_JSON', 'BODY_INCOMPLETE', 'BODY_UNDECODABLE'] },
  413: { why: 'The body is larger than this call accepts.', codes: ['BODY_TOO_LARGE'] },
  415: { why: 'The body is of another kind.', codes: ['UNSUPPORTED_MEDIA_TYPE'] },
} satisfies Record<number, DescribedFailure>

const WITH_IDEMPOTENCY_KEY = {
  409: {
    why: 'The Idempotency-Key was sent before, with another request, or a request with it is under way.',
    codes: ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_IN_USE'],
  },
  503: { ...WITH_ACTION[503], codes: ['SECRET_KEY_MISSING', 'SECRET_UNREADABLE'] },
} satisfies Record<number, DescribedFailure>

/** The codes that many calls have for a status, by what they mean. */
const sharedFailures = (): Record<string, readonly string[]> => ({
  UnreadableRequestFailure: ALWAYS[400].codes,
  UnreadableBodyFailure: [...ALWAYS[400].codes, ...WITH_BODY[400].codes],
  UnauthenticatedFailure: ALWAYS[401].codes,
  ForbiddenFailure: ALWAYS[403].codes,
  UnavailableFailure: ALWAYS[503].codes,
  ChangeUnavailableFailure: [...ALWAYS[503].codes, ...WITH_ACTION[503].codes],
  IdempotencyFailure: WITH_IDEMPOTENCY_KEY[409].codes,
})

/** Every failure of a call, by status: those of all calls, and its own. */
export function failureResponses({ action, params, body, idempotent, failures = {} }: Endpoint) {
  const found = new Map<string, DescribedFailure>()
  const add = (status: string, { why, codes }: DescribedFailure) => {
    const known = found.get(status)
    found.set(status, { why, codes: [...new Set([...(known?.codes ?? []), ...codes])] })
  }
  const general = [
    ALWAYS,
    Object.keys(params.shape).length > 0 && WITH_PARAMS,
    body !== undefined && WITH_BODY,
    action !== undefined && WITH_ACTION,
    idempotent && WITH_IDEMPOTENCY_KEY,
  ]
  for (const table of general)
    for (const [status, failure] of Object.entries(table || {})) add(status, failure)
  for (const [status, why] of Object.entries(failures)) add(status, { why, codes: codesIn(why) })
  return Object.fromEntries(
    [...found].sort().map(([status, { why, codes }]) => [status, failureResponse(why, codes)]),
  )
}

/** The codes that a sentence names are all; one that names none, or `error.code`, may have any. */
function codesIn(why: string): string[] {
  const named = why.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []
  return named.length === 0 || why.includes('error.code') ? [...named, SITE_CODE] : named
}

export const rightDescription = (right: Right): string =>
  `Right \`${right}\`: for keys of the role ${rights[right].join(', ')}.`
