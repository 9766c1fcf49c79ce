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
  retryAfterMs?: number
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

/** Something a person should know that did not stop the work; shown on the delivery. */
export interface Warning {
  code: string
  message: string
}

/**
 * How answers of the API spell a code, so that every failure is spelled alike. What is stored and shown as a fact (a
 * delivery's error, a report's finding, a warning) keeps its code in lower case.
 */
export const apiCode = (code: string): string => code.toUpperCase()

/** The code of a failure as the API answers it. */
export const apiCodeSchema = z.string().regex(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/)

/** Whether `error` is one of the system's, with one of these codes (`ENOENT`, …). */
export function hasErrnoCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/**
 * Who asks for a longer pause than this is tried once in this time all the same. One small request an hour harms
 * nobody, and firewalls and plugins name days and years for what a person repairs in minutes.
 */
const LONGEST_MS = 60 * 60 * 1000
const SHORTEST_MS = 1_000

/**
 * `Retry-After` (RFC 9110, 10.2.3: seconds or a date) in milliseconds, between one second and one hour.
 * What cannot be read is `undefined`: the caller's own backoff applies.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value.trim() === '') return undefined
  const seconds = Number(value)
  const ms = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS)
}
