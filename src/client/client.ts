import { withoutSlash } from '../text.ts'
import { type OperationId, type Operations, operations } from './api.ts'
import { ApiFailure, Unreachable } from './failure.ts'

export interface ClientOptions {
  /** Of a Galley, such as `https://galley.example.net`. */
  url: string
  key: string | undefined
  /** Milliseconds for an answer; a check of a site, or a preview, takes its time. */
  timeoutMs?: number
}

type Parts<Id extends OperationId> = Partial<Pick<Operations[Id], 'path' | 'query' | 'headers' | 'body'>>

/** Calls Galley's API by the names of its operations, with the types of its own description. */
export interface Client {
  /**
   * @throws ApiFailure where Galley answers a failure
   * @throws Unreachable where nobody answers, or nothing of Galley's
   */
  call<Id extends OperationId>(
    id: Id,
    parts?: Parts<Id>,
    signal?: AbortSignal,
  ): Promise<Operations[Id]['answer']>
}

const TIMEOUT_MS = 120_000

export function createClient({ url, key, timeoutMs = TIMEOUT_MS }: ClientOptions): Client {
  const base = withoutSlash(url)
  return {
    async call(id, parts = {}, signal) {
      const { method, path, type } = operations[id]
      const timeout = AbortSignal.timeout(timeoutMs)
      const request: RequestInit = {
        method,
        headers: {
          accept: 'application/json, */*;q=0.5',
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(parts.body !== undefined && type !== null && { 'content-type': type }),
          ...defined(parts.headers),
        },
        // What leads elsewhere would take the key along.
        redirect: 'error',
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
        ...(parts.body !== undefined && {
          body: type === 'application/json' ? JSON.stringify(parts.body) : String(parts.body),
        }),
      }
      const response = await fetch(
        `${base}${filled(path, parts.path)}${queryOf(parts.query)}`,
        request,
      ).catch((cause: Error) => {
        if (signal?.aborted) throw cause
        throw new Unreachable(`Nobody answers at ${base}: ${reasonOf(cause)}.`, { cause })
      })
      return (await read(response, base)) as never
    },
  }
}

/** The answer; JSON where it is. */
async function read(response: Response, base: string): Promise<unknown> {
  const text = await response.text().catch((cause: Error) => {
    throw new Unreachable(`The answer of ${base} broke off: ${reasonOf(cause)}.`, { cause })
  })
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  const body = isJson ? parsed(text) : text
  if (response.ok && (isJson ? isAnswer(body) : response.headers.has('x-request-id'))) return body
  if (isFailure(body)) throw new ApiFailure(response.status, body.error)
  throw new Unreachable(`What answers at ${base} is no Galley: it answered ${response.status}.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isAnswer = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'success' in body && body.success === true

const isFailure = (body: unknown): body is { error: { code: string; message: string; details?: unknown } } =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'object' &&
  body.error !== null &&
  'code' in body.error &&
  'message' in body.error &&
  typeof body.error.message === 'string'

const filled = (path: string, values: object = {}): string =>
  path.replace(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(String((values as Record<string, unknown>)[name])),
  )

const defined = (values: object = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )

function queryOf(query: object | undefined): string {
  const text = new URLSearchParams(defined(query)).toString()
  return text === '' ? '' : `?${text}`
}

/** `fetch` says only that it failed; why lies below. */
const reasonOf = (error: Error): string =>
  error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message
