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

export interface ErrorDetails {
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
