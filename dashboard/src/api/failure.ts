/** Galley refused or failed a call. The message is Galley's. */
export class ApiFailure extends Error {
  override name = 'ApiFailure'
  readonly status: number
  /** Stable; the page decides by it. */
  readonly code: string
  readonly details: unknown

  constructor(
    status: number,
    { code, message, details }: { code: string; message: string; details?: unknown },
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

/** Nobody answered: the network or Galley is down. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}

/** The object is gone or may not be seen, so earlier data must not be shown either. */
export const isGone = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.status === 403 || error.status === 404)

/** Nobody answers, or Galley fails: earlier data may still be right, and a retry may work. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof ApiFailure && error.status >= 500)

/** One entry of a validation error's details. */
interface FieldError {
  path: string
  message: string
}

/** The validation errors of a response, by path; empty for other errors. */
export function fieldErrors(error: unknown): FieldError[] {
  if (!(error instanceof ApiFailure) || !Array.isArray(error.details)) return []
  return error.details.filter(
    (entry): entry is FieldError => typeof entry?.path === 'string' && typeof entry?.message === 'string',
  )
}

/** The error of one field, or of something within it: `body.keywords.3` for `body.keywords`. */
export const fieldError = (error: unknown, path: string | undefined): string | undefined =>
  fieldErrors(error).find(
    (one) => path !== undefined && (one.path === path || one.path.startsWith(`${path}.`)),
  )?.message
