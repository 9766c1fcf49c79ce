import type { Dispatcher } from 'undici'
import { decodeBody } from './decode.ts'
import { diagnose } from './diagnose.ts'
import { transportFailure } from './failure.ts'
import type { OutboundRequest, OutboundResponse } from './types.ts'

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_MAX_BYTES = 10 * 1024 * 1024

/**
 * One request and its whole answer, no redirects. undici's `dispatch` is used rather than `request`, because
 * only the handler learns when the request begins to leave: that is what makes a failed write `ambiguous`.
 */
export function exchange(
  dispatcher: Dispatcher,
  url: URL,
  request: OutboundRequest,
): Promise<OutboundResponse> {
  const { method = 'GET', body = null, timeoutMs = DEFAULT_TIMEOUT_MS, signal } = request
  const maxBytes = request.maxBytes ?? DEFAULT_MAX_BYTES
  const attempt = { url, method, sent: false }

  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let over = false
    let status = 0
    let headers: Record<string, string> = {}
    let received = 0
    const chunks: Buffer[] = []

    const end = (act: () => void) => {
      if (over) return
      over = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      act()
    }
    const fail = (error: Error) =>
      end(() => {
        reject(error)
        controller?.abort(error)
      })
    const timer = setTimeout(
      () => fail(transportFailure('site_timeout', `${timeoutMs / 1000} s`, attempt)),
      timeoutMs,
    )
    const onAbort = () => fail(transportFailure('request_aborted', 'aborted', attempt, signal?.reason))
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted) return onAbort()

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        // The caller has been told that nothing was sent; keep it true.
        if (over) return started.abort(new Error('given up before it was sent'))
        try {
          request.beforeSend?.()
        } catch (error) {
          return fail(error as Error)
        }
        attempt.sent = true
      },
      onResponseStart(_, statusCode, answered) {
        status = statusCode
        headers = flatten(answered)
      },
      onResponseData(_, chunk) {
        received += chunk.length
        if (received > maxBytes) return fail(transportFailure('answer_too_big', bytes(maxBytes), attempt))
        chunks.push(chunk)
      },
      onResponseEnd() {
        end(() => {
          try {
            const decoded = decodeBody(Buffer.concat(chunks), headers['content-encoding'], maxBytes)
            resolve({ status, headers, body: decoded, url: url.href })
          } catch (error) {
            const tooBig = error instanceof RangeError
            const code = tooBig ? 'answer_too_big' : 'answer_undecodable'
            reject(transportFailure(code, tooBig ? bytes(maxBytes) : String(error), attempt, error))
          }
        })
      },
      onResponseError(_, error) {
        end(() => reject(diagnose(error, attempt)))
      },
    }

    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: request.headers ?? {},
        body,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      },
      handler,
    )
  })
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}

const bytes = (count: number): string => `${count.toLocaleString('en')} bytes`
