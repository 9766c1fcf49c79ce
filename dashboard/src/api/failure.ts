/** Galley refused a call, or failed at it, in its own words. */
export class ApiFailure extends Error {
  override name = 'ApiFailure'
  readonly status: number
  /** Stable; what the page decides by. */
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

/** Nobody answered: the network is away, or Galley is. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}

/** What was asked for is not there any more, or may not be seen: nor what was answered before. */
export const isGone = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.status === 403 || error.status === 404)

/** Nobody answers, or Galley cannot: what was answered before is true for all that one knows, and may be answered again. */
export const isAway = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof ApiFailure && error.status >= 500)

/** What a mistake in the request says of one member: `[{path, message}]` of its details. */
export interface Mistake {
  path: string
  message: string
}

/** The mistakes that Galley found in a request, by their paths; empty where it was something else. */
export function mistakesOf(error: unknown): Mistake[] {
  if (!(error instanceof ApiFailure) || !Array.isArray(error.details)) return []
  return error.details.filter(
    (entry): entry is Mistake => typeof entry?.path === 'string' && typeof entry?.message === 'string',
  )
}

/** What is said of one field, or of something in it: `body.keywords` of `body.keywords.3`. */
export const mistakeAt = (error: unknown, path: string | undefined): string | undefined =>
  mistakesOf(error).find(
    (one) => path !== undefined && (one.path === path || one.path.startsWith(`${path}.`)),
  )?.message
