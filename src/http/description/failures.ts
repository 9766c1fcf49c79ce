import { type Right, rights } from '../../accounts/rights.ts'
import type { Endpoint } from '../endpoint.ts'
import { codesOf } from './codes.ts'
import { failing, OF_THE_SITE } from './parts.ts'

interface Failure {
  why: string
  codes: readonly string[]
}

/** What every call with a key may answer, whatever it does. */
const always: Record<number, Failure> = {
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

const withParams: Record<number, Failure> = {
  404: { why: 'There is nothing under this id in this account.', codes: ['NOT_FOUND'] },
}

/** Of a call that changes something. */
const withAction: Record<number, Failure> = {
  503: {
    why: 'Not just now. Try again in a moment; where the change could not be entered in the audit log, look first.',
    codes: ['AUDIT_UNWRITTEN'],
  },
}

const withBody: Record<number, Failure> = {
  400: { why: 'The body cannot be read.', codes: ['MALFORMED_JSON', 'BODY_INCOMPLETE', 'BODY_UNDECODABLE'] },
  413: { why: 'The body is larger than this call accepts.', codes: ['BODY_TOO_LARGE'] },
  415: { why: 'The body is of another kind.', codes: ['UNSUPPORTED_MEDIA_TYPE'] },
}

/** Of a call that takes an `Idempotency-Key`. */
const withKey: Record<number, Failure> = {
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
export function failuresOf({ operationId, action, params, body, idempotent, failures = {} }: Endpoint) {
  const named = codesOf[operationId] ?? {}
  const found = new Map<string, Failure>()
  const add = (status: string, { why, codes }: Failure) => {
    const known = found.get(status)
    found.set(status, { why, codes: [...new Set([...(known?.codes ?? []), ...codes])] })
  }
  const general = [
    always,
    Object.keys(params.shape).length > 0 && withParams,
    body !== undefined && withBody,
    action !== undefined && withAction,
    idempotent && withKey,
  ]
  for (const table of general)
    for (const [status, failure] of Object.entries(table || {})) add(status, failure)
  for (const [status, why] of Object.entries(failures)) {
    // What is said in its own words and named nowhere may be anything.
    const codes = named[Number(status)] ?? codesIn(why) ?? [OF_THE_SITE]
    add(status, { why, codes })
  }
  for (const [status, codes] of Object.entries(named))
    if (!(status in failures))
      add(status, { why: found.get(status)?.why ?? 'It cannot be done in its current state.', codes })
  return Object.fromEntries(
    [...found].sort().map(([status, { why, codes }]) => [status, failing(why, codes)]),
  )
}

/** Codes that its sentence names itself. */
function codesIn(why: string): string[] | undefined {
  return why.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? undefined
}

/** Who may make a call, for its description. */
export const mayCall = (right: Right): string =>
  `Right \`${right}\`: for keys of the role ${rights[right].join(', ')}.`
