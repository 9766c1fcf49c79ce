import { ApiError, UnreachableError } from '../../../src/client/calls.ts'

/** The object is gone or may not be seen, so earlier data must not be shown either. */
export const isGone = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 403 || error.status === 404)

/** Nobody answers, or Galley fails: earlier data may still be right, and a retry may work. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof UnreachableError || (error instanceof ApiError && error.status >= 500)

/** One entry of a validation error's details. */
interface FieldError {
  path: string
  message: string
}

/** The validation errors of a response, by path; empty for other errors. */
export function fieldErrors(error: unknown): FieldError[] {
  if (!(error instanceof ApiError) || !Array.isArray(error.details)) return []
  return error.details.filter(
    (entry): entry is FieldError => typeof entry?.path === 'string' && typeof entry?.message === 'string',
  )
}

/** The error of one field, or of something within it: `body.keywords.3` for `body.keywords`. */
export const fieldError = (error: unknown, path: string | undefined): string | undefined =>
  fieldErrors(error).find(
    (one) => path !== undefined && (one.path === path || one.path.startsWith(`${path}.`)),
  )?.message
