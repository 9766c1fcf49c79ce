import { parseJson, reasonOf, withoutTrailingSlash } from '../lib/text.ts'
import {
  ApiError,
  type CallParts,
  definedHeaders,
  fillPath,
  isFailure,
  queryOf,
  UnreachableError,
} from './calls.ts'
import { type OperationId, type Operations, operations } from './generated/api.ts'

/** Calls Galley's API by the names of its operations, with the types of its own description. */
export interface Client {
  /** @throws ApiError where Galley answers a failure; UnreachableError where nobody answers, or nothing of Galley's */
  call<Id extends OperationId>(
    id: Id,
    parts?: CallParts<Id>,
    signal?: AbortSignal,
  ): Promise<Operations[Id]['answer']>
  /** The text of a long answer as it comes, until nothing comes for a while. @throws as `call` does */
  take<Id extends OperationId>(id: Id, parts?: CallParts<Id>, signal?: AbortSignal): AsyncGenerator<string>
}

/** Milliseconds for an answer; a check of a site, or a preview, takes its time. */
const TIMEOUT_MS = 120_000

/** @param url of a Galley, such as `https://galley.example.net` */
export function createClient(url: string, key: string): Client {
  const base = withoutTrailingSlash(url)
  async function send<Id extends OperationId>(
    id: Id,
    parts: CallParts<Id>,
    { timeout, stop }: { timeout: AbortSignal; stop: AbortSignal | undefined },
  ): Promise<Response> {
    const { method, path, type } = operations[id]
    const request: RequestInit = {
      method,
      headers: {
        accept: 'application/json, */*;q=0.5',
        authorization: `Bearer ${key}`,
        ...(parts.body !== undefined && type !== null && { 'content-type': type }),
        ...definedHeaders(parts.headers),
      },
      // What leads elsewhere would take the key along.
      redirect: 'error',
      signal: stop === undefined ? timeout : AbortSignal.any([timeout, stop]),
      ...(parts.body !== undefined && {
        body: type === 'application/json' ? JSON.stringify(parts.body) : String(parts.body),
      }),
    }
    return fetch(`${base}${fillPath(path, parts.path)}${queryOf(parts.query)}`, request).catch(
      (cause: Error) => {
        if (stop?.aborted) throw cause
        throw new UnreachableError(`There is no answer from ${base}: ${reasonOf(cause)}.`, { cause })
      },
    )
  }
  return {
    async call(id, parts = {}, stop) {
      const response = await send(id, parts, { timeout: AbortSignal.timeout(TIMEOUT_MS), stop })
      return (await readResponse(response, base)) as never
    },
    async *take(id, parts = {}, stop) {
      const silence = new AbortController()
      const timer = setTimeout(() => silence.abort(new Error('nothing came for too long')), TIMEOUT_MS)
      try {
        const response = await send(id, parts, { timeout: silence.signal, stop })
        // A failure is short, and says what is wrong.
        if (!response.ok || response.body === null) return void (await readResponse(response, base))
        for await (const text of response.body.pipeThrough(
          new TextDecoderStream('utf-8', { ignoreBOM: true }),
        )) {
          timer.refresh()
          yield text
        }
      } catch (cause) {
        if (stop?.aborted || cause instanceof ApiError || cause instanceof UnreachableError) throw cause
        throw responseCutOff(base, cause as Error)
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

const responseCutOff = (base: string, cause: Error) =>
  new UnreachableError(`The answer of ${base} broke off: ${reasonOf(cause)}.`, { cause })

async function readResponse(response: Response, base: string): Promise<unknown> {
  const text = await response.text().catch((cause: Error) => {
    throw responseCutOff(base, cause)
  })
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  const body = isJson ? parseJson(text) : text
  if (response.ok && (isJson ? isAnswer(body) : response.headers.has('x-request-id'))) return body
  if (isFailure(body)) throw new ApiError(response.status, body.error)
  throw new UnreachableError(`What answers at ${base} is not a Galley: it answered ${response.status}.`)
}

const isAnswer = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'success' in body && body.success === true
