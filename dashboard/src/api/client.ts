import apiFetch, { type APIFetchOptions } from '@wordpress/api-fetch'
import {
  ApiError,
  type CallParts,
  definedHeaders,
  fillPath,
  isFailure,
  queryOf,
  UnreachableError,
} from '../../../src/client/calls.ts'
import { type OperationId, type Operations, operations } from '../../../src/client/generated/api.ts'

import { uuid } from '../app/uuid.ts'
import { inCurrentLanguage } from '../i18n.ts'

export type * from '../../../src/client/generated/api.ts'

/** The answer of a call, by its name in the API's description. */
export type Answer<Id extends OperationId> = Operations[Id]['answer']

export type Parts<Id extends OperationId> = CallParts<Id>

/** Is told that the session has ended or is no longer valid, with Galley's message. */
type Listener = (said?: string) => void
const listeners = new Set<Listener>()

/** @returns a function that removes the listener */
export function onSignedOut(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Calls the API by the name of an operation. The session's cookie is sent along.
 *
 * @param signal of a query; a change has none
 * @throws ApiError when Galley answers with an error
 * @throws UnreachableError when nobody answers, or something else than Galley
 */
export async function call<Id extends OperationId>(
  id: Id,
  { path: values, query, headers, body }: Parts<Id> = {},
  signal?: AbortSignal,
): Promise<Answer<Id>> {
  const { method, path, type } = operations[id]
  const options: APIFetchOptions<true> = {
    path: `${fillPath(path, values)}${queryOf({ ...filledIn(query), _locale: 'user' })}`,
    method,
    headers: { Accept: 'application/json, */*;q=0.5', ...definedHeaders(headers) },
    ...(signal && { signal }),
  }
  if (body !== undefined && type !== null) {
    options.headers = { ...options.headers, 'Content-Type': type }
    options.body = type === 'application/json' ? JSON.stringify(body) : String(body)
  }
  if (method !== 'POST' || signal) return apiFetch<Answer<Id>>(options)
  return withKey(JSON.stringify([id, values, query, body]), (key) =>
    apiFetch<Answer<Id>>({ ...options, headers: { 'idempotency-key': key, ...options.headers } }),
  )
}

/** Of requests whose answer is awaited or was lost, the `Idempotency-Key`. */
const keysOfUnanswered = new Map<string, string>()

/** Forgets what was sent, with the passwords in it. */
export const forgetUnanswered = (): void => keysOfUnanswered.clear()

/** Sends a change with a key: one that is sent again after a lost answer has the same key, and creates nothing more. */
async function withKey<Result>(request: string, send: (key: string) => Promise<Result>): Promise<Result> {
  const key = keysOfUnanswered.get(request) ?? uuid()
  keysOfUnanswered.set(request, key)
  try {
    const answer = await send(key)
    keysOfUnanswered.delete(request)
    return answer
  } catch (error) {
    const isRefused =
      error instanceof ApiError && error.status < 500 && error.code !== 'IDEMPOTENCY_KEY_IN_USE'
    if (isRefused) keysOfUnanswered.delete(request)
    throw error
  }
}

/** Where a call goes by itself: for a link that downloads. */
export const addressOf = <Id extends OperationId>(id: Id, { path: values, query }: Parts<Id> = {}): string =>
  `${fillPath(operations[id].path, values)}${queryOf(filledIn(query))}`

/** Requests are numbered in the order of sending. `done` is the number of the last successful one: its session was valid. */
let [sent, done] = [0, 0]

/**
 * Sends a request of `api-fetch`, without two habits that are for WordPress: POST instead of PATCH and DELETE, and `_locale` in the
 * address. `_locale` is in the address from the start: when api-fetch adds it, it rebuilds the query, and of a name that occurs several
 * times only the last value stays.
 */
apiFetch.setFetchHandler((options) => send(options))

async function send(options: APIFetchOptions, isRepeated = false): Promise<unknown> {
  const { path, url = path ?? '', headers = {}, body, signal } = options
  const { 'X-HTTP-Method-Override': method = options.method ?? 'GET', ...others } = headers as Record<
    string,
    string
  >
  sent += 1
  const number = sent
  const response = await fetch(withoutLocale(url), {
    method,
    headers: others,
    body: (body as BodyInit | undefined) ?? null,
    signal: signal ?? null,
    credentials: 'same-origin',
    // A redirect does not come from Galley.
    redirect: 'error',
  }).catch((cause: Error) => {
    if (signal?.aborted) throw cause
    throw new UnreachableError('Galley does not answer.', { cause })
  })
  const answered = await inCurrentLanguage(await bodyOf(response))
  if (response.ok) {
    done = Math.max(done, number)
    return answered
  }
  if (!isFailure(answered))
    throw new UnreachableError(`The answer (${response.status}) did not come from Galley.`)
  const { code, message } = answered.error
  if (endings.has(code)) {
    // A request with a number up to `done` was sent with an earlier session: the person has signed in since.
    if (number > done) for (const listener of listeners) listener(endings.get(code)?.(message))
    else if (method === 'GET' && !isRepeated) return send(options, true)
  }
  throw new ApiError(response.status, answered.error)
}

/** Error codes that end the session, with the text to show. */
const endings = new Map<string, (message: string) => string | undefined>([
  ['SESSION_ENDED', () => undefined],
  ['UNAUTHENTICATED', () => undefined],
  ['ACCOUNT_DISABLED', (message) => message],
])

function bodyOf(response: Response): Promise<unknown> {
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  return (isJson ? response.json() : response.text()).catch((cause: Error) => {
    throw new UnreachableError('The answer broke off.', { cause })
  })
}

const withoutLocale = (url: string): string =>
  url.replace(/([?&])_locale=user(&|$)/, (_all, before, after) => (after === '&' ? before : ''))

/** A field of a filter that is left empty asks for nothing. */
const filledIn = (query: object = {}): object =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
