import { z } from 'zod'
import { type Right, rights } from '../../accounts/rights.ts'
import type { Endpoint } from '../endpoint.ts'
import { failureSchema } from '../validation.ts'

export const jsonContent = <Schema extends z.ZodType>(schema: Schema) => ({ 'application/json': { schema } })

/** Among the codes of a failure: those of what a site answered, which no list can name. */
const SITE_CODE = '…'

/**
 * A failure as every route answers it.
 *
 * @param codes all that it has, unless `OF_THE_SITE` is one of them; left out where they are not known
 */
export function failureResponse(description: string, codes: readonly string[] = [SITE_CODE]) {
  const named = codes.filter((code) => code !== SITE_CODE)
  const said = named.filter((code) => !description.includes(code)).join(', ')
  return {
    description: said === '' ? description : `${description} Codes: ${said}.`,
    content: jsonContent(named.length < codes.length ? failureSchema : failureSchemaFor(named)),
  }
}

const { error: failureError } = failureSchema.shape

const failureSchemas = new Map<string, z.ZodType>()

/** One schema for the same codes, by a name of theirs: `FailureNotFound`. */
function failureSchemaFor(codes: readonly string[]): z.ZodType {
  const id = `Failure${codes.map(camelCase).join('Or')}`
  const schema =
    failureSchemas.get(id) ??
    z
      .object({
        success: failureSchema.shape.success,
        error: failureError.extend({ code: z.enum(codes).describe('Stable; what a program decides by.') }),
      })
      .meta({ id })
  failureSchemas.set(id, schema)
  return schema
}

/** `NOT_FOUND` → `NotFound` */
const camelCase = (code: string): string =>
  code.toLowerCase().replace(/(?:^|_)(.)/g, (_match, letter: string) => letter.toUpperCase())

/** What a site answers, or what stands at its address, has a code and a sentence of its own. */
const SITE_CODES = [SITE_CODE]

/**
 * The codes of the failures that are particular to a call, by status, beside those of every call. What is listed is all
 * there is: the tests hold every answer that they see against it.
 */
const codesByOperation: Readonly<Record<string, Readonly<Record<number, readonly string[]>>>> = {
  connectSite: { 409: ['SITE_ID_TAKEN', 'SITE_CONNECTED_ALREADY', 'SITE_CHANGED'], 422: SITE_CODES },
  updateSite: { 409: ['SITE_CONNECTED_ALREADY', 'SITE_CHANGED'], 422: SITE_CODES },
  removeSite: { 409: ['PASSWORD_UNKNOWN', 'SITE_CHANGED'], 422: SITE_CODES },
  checkSite: { 409: ['SITE_CHANGED'] },
  checkSites: { 422: ['LABEL_UNKNOWN'], 429: ['TOO_MANY_JOBS'] },
  createBulk: { 429: ['TOO_MANY_JOBS'] },
  createImport: { 422: ['CSV_UNREADABLE'], 429: ['TOO_MANY_JOBS'] },
  listSites: { 422: ['CURSOR_UNFIT'] },
  importSites: { 422: ['CSV_UNREADABLE'] },
  previewDocument: { 422: SITE_CODES, 503: ['MEMORY_BUSY'] },
  getSiteStyles: { 422: SITE_CODES, 503: ['MEMORY_BUSY'] },
  createConnectLink: { 409: ['SITE_ID_TAKEN'], 422: SITE_CODES },
  createSource: { 422: ['UPSTREAM_ADDRESS_NEEDED', 'UPSTREAM_NEEDED'] },
  backfillSource: { 422: ['UPSTREAM_NEEDED'] },
  removeSource: { 409: ['SOURCE_BUILT_IN', 'SOURCE_IN_USE'] },
  updateSource: {
    409: ['SOURCE_BUILT_IN'],
    422: ['UPSTREAM_KEY_NEEDED', 'UPSTREAM_ADDRESS_NEEDED', 'UPSTREAM_NEEDED'],
  },
  rotateSource: { 409: ['SOURCE_BUILT_IN'] },
  getEvent: { 503: ['MEMORY_BUSY'] },
  listDeliveries: { 422: ['CURSOR_UNFIT'] },
  getDelivery: { 404: ['DELIVERY_NOT_FOUND'] },
  cancelDelivery: { 404: ['DELIVERY_NOT_FOUND'], 409: ['DELIVERY_UNDER_WAY', 'DELIVERY_DONE'] },
  retryDelivery: {
    404: ['DELIVERY_NOT_FOUND'],
    409: ['DELIVERY_UNDER_WAY', 'DELIVERY_HAS_POST', 'DELIVERY_EXISTS', 'DOCUMENT_THINNED'],
    422: ['SITE_UNKNOWN'],
  },
  beginSession: { 409: ['SIGNED_IN_ALREADY'] },
  createKey: { 422: ['KEY_LIMITED_OWNER', 'KEY_EXPIRED_ALREADY', 'SITE_UNKNOWN'] },
  updateKey: { 409: ['LAST_KEY'], 422: ['KEY_EXPIRED_ALREADY'] },
  rotateKey: { 409: ['KEY_ENDED'], 422: ['KEY_EXPIRED_ALREADY'] },
  revokeKey: { 409: ['LAST_KEY'] },
  changeAccount: { 409: ['OWN_ACCOUNT'] },
  grantCredits: { 422: ['TOO_MANY_CREDITS'] },
  repeatNotification: { 409: ['NOTIFICATION_THINNED', 'RECEIVER_REMOVED'] },
  createReceiver: { 403: ['RECEIVER_TOO_WIDE'], 409: ['TOO_MANY_RECEIVERS'] },
  updateReceiver: { 403: ['RECEIVER_TOO_WIDE'] },
}

interface DescribedFailure {
  why: string
  codes: readonly string[]
}

/** What every call with a key may answer, whatever it does. */
const ALWAYS: Record<number, DescribedFailure> = {
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
}

const WITH_PARAMS: Record<number, DescribedFailure> = {
  404: { why: 'There is nothing under this id in this account.', codes: ['NOT_FOUND'] },
}

/** Of a call that changes something. */
const WITH_ACTION: Record<number, DescribedFailure> = {
  503: {
    why: 'Not just now. Try again in a moment; where the change could not be entered in the audit log, look first.',
    codes: ['AUDIT_UNWRITTEN'],
  },
}

const WITH_BODY: Record<number, DescribedFailure> = {
  400: { why: 'The body cannot be read.', codes: ['MALFORMED_JSON', 'BODY_INCOMPLETE', 'BODY_UNDECODABLE'] },
  413: { why: 'The body is larger than this call accepts.', codes: ['BODY_TOO_LARGE'] },
  415: { why: 'The body is of another kind.', codes: ['UNSUPPORTED_MEDIA_TYPE'] },
}

/** Of a call that takes an `Idempotency-Key`. */
const WITH_IDEMPOTENCY_KEY: Record<number, DescribedFailure> = {
  409: {
    why: 'The Idempotency-Key was sent before, with another request, or a request with it is under way.',
    codes: ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_IN_USE'],
  },
  503: {
    why: 'Not just now. Try again in a moment; where the change could not be entered in the audit log, look first.',
    codes: ['SECRET_KEY_MISSING', 'SECRET_UNREADABLE'],
  },
}

/** Every failure of a call, by status: those of all calls, and its own. */
export function failureResponses({ operationId, action, params, body, idempotent, failures = {} }: Endpoint) {
  const named = codesByOperation[operationId] ?? {}
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
  for (const [status, why] of Object.entries(failures)) {
    // What is said in its own words and named nowhere may be anything.
    const codes = named[Number(status)] ?? codesIn(why) ?? [SITE_CODE]
    add(status, { why, codes })
  }
  for (const [status, codes] of Object.entries(named))
    if (!(status in failures))
      add(status, { why: found.get(status)?.why ?? 'It cannot be done in its current state.', codes })
  return Object.fromEntries(
    [...found].sort().map(([status, { why, codes }]) => [status, failureResponse(why, codes)]),
  )
}

/** Codes that its sentence names itself. */
function codesIn(why: string): string[] | undefined {
  return why.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? undefined
}

/** Who may make a call, for its description. */
export const rightDescription = (right: Right): string =>
  `Right \`${right}\`: for keys of the role ${rights[right].join(', ')}.`
