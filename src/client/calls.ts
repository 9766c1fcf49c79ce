import type { OperationId, Operations } from './generated/api.ts'

export type CallParts<Id extends OperationId> = Partial<
  Pick<Operations[Id], 'path' | 'query' | 'headers' | 'body'>
>

export function isFailure(body: unknown): body is { error: FailureFacts } {
  const error = (body as { error?: Partial<FailureFacts> | null } | null | undefined)?.error
  return typeof error?.code === 'string' && typeof error.message === 'string'
}

interface FailureFacts {
  code: string
  message: string
  details?: unknown
}

export const fillPath = (path: string, values: object = {}): string =>
  path.replace(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(String((values as Record<string, unknown>)[name])),
  )

/** Headers without those that have no value. */
export const definedHeaders = (values: object = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )

/** A query; a list is the same name several times. */
export function queryOf(query: object = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one))
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  /** Stable; what a program decides by. */
  readonly code: string
  readonly details: unknown

  constructor(status: number, { code, message, details }: FailureFacts) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

/** Nobody answered at the address, or nothing of Galley's. */
export class UnreachableError extends Error {
  override name = 'UnreachableError'
}
