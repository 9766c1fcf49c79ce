import { z } from 'zod'

/** Whose failure it is: it decides what is paused, what is retried and who is told. */
export type AtFault = 'site' | 'delivery' | 'owner' | 'galley'

/**
 * What to do about a failure.
 * - `retry`: nothing was changed on the other side; the same request may be made again later.
 * - `ambiguous`: it may have been carried out; look the marker up before anything else.
 * - `permanent`: the same request will fail again; give up, or go round it.
 * - `owner`: waits for a person (credentials, rights, a trashed post).
 */
export type Action = 'retry' | 'ambiguous' | 'permanent' | 'owner'

interface ErrorDetails {
  /** Stable; never changes once published. Answers of the API spell it as `apiCode` does. */
  code: string
  /** A sentence for the person who must act: what happened, where, what to do next. */
  message: string
  action?: Action
  fault?: AtFault
  /** HTTP status of our own answer, where the error reaches a caller of our API. */
  httpStatus?: number
  /** Structured facts: field paths, ray ids, what WordPress said. Never a secret. */
  details?: unknown
  /** Milliseconds to wait, where the other side said so (`Retry-After`). */
  retryAfterMs?: number | undefined
  cause?: unknown
}

/** The one error class: a stable `code`, whose failure it is, what to do about it, and a readable sentence. */
export class GalleyError extends Error {
  readonly code: string
  readonly action: Action
  readonly fault: AtFault
  readonly httpStatus: number
  readonly details: unknown
  readonly retryAfterMs: number | undefined

  constructor({ code, message, action, fault, httpStatus, details, retryAfterMs, cause }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'GalleyError'
    this.code = code
    this.action = action ?? 'permanent'
    this.fault = fault ?? 'galley'
    this.httpStatus = httpStatus ?? 500
    this.details = details
    this.retryAfterMs = retryAfterMs
  }
}

/** A request that its caller, or the owner of the account, must change. */
export const refusal = (code: string, message: string, httpStatus = 422, details?: unknown): GalleyError =>
  new GalleyError({ code, message, httpStatus, fault: 'owner', action: 'owner', details })

/** A request that does not go with what there is: 409. */
export const conflict = (code: string, message: string, details?: unknown): GalleyError =>
  refusal(code, message, 409, details)

/** An id that the account of the request does not have. @param what as its list is called: `site` of `/v1/sites` */
export const unknownId = (what: string, id: string): GalleyError =>
  refusal(
    'NOT_FOUND',
    `This account has no ${what} ${id}. GET /v1/${what.replace(' ', '-')}s lists those it has.`,
    404,
  )

/** A request that may be made again as it is. @param more the status where it is not 503, and when to come again */
export const tryLater = (
  code: string,
  message: string,
  more: Pick<ErrorDetails, 'httpStatus' | 'retryAfterMs' | 'cause'> = {},
): GalleyError => new GalleyError({ code, message, httpStatus: 503, action: 'retry', ...more })

/** What only the operator of this Galley can put right. */
export const operatorError = (code: string, message: string, cause?: unknown): GalleyError =>
  new GalleyError({ code, message, action: 'owner', cause })

/** For `.catch`: resolves with a failure; what is none, as a mistake of the program, is thrown on. */
export function asFailure(error: unknown): GalleyError {
  if (error instanceof GalleyError) return error
  throw error
}

/** Whether Galley itself could not go on: it stops, or has no memory. Nobody knows how the request would have ended. */
export const isInterrupted = (error: unknown): error is GalleyError =>
  error instanceof GalleyError && (error.code === 'memory_busy' || error.code === 'request_aborted')

/** For `.catch`: resolves with a value in the place of these failures; whatever else is thrown on. */
export const recoverWith =
  <Value>(value: Value, applies: (failure: GalleyError) => boolean = () => true) =>
  (error: unknown): Value => {
    const failure = asFailure(error)
    if (applies(failure)) return value
    throw failure
  }

export type { Warning } from './warnings.ts'

/** How answers of the API spell every code; what is stored and shown as a fact keeps its code in lower case. */
export const apiCode = (code: string): string => code.toUpperCase()

/** The code of a failure as the API answers it. */
export const apiCodeSchema = z.string().regex(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/)

/** Whether `error` is one of the system's, with one of these codes (`ENOENT`, …). */
export function hasErrnoCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** The longest pause: one request an hour harms nobody, and plugins name days for what a person repairs in minutes. */
const LONGEST_MS = 60 * 60 * 1000
const SHORTEST_MS = 1_000

/** `Retry-After` (RFC 9110, 10.2.3) in milliseconds, between one second and one hour; undefined where it cannot be read. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value.trim() === '') return undefined
  const seconds = Number(value)
  const ms = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS)
}
