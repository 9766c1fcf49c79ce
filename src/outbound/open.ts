import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { diagnose } from './diagnose.ts'
import type { Attempt } from './failure.ts'
import type { OutboundRequest } from './types.ts'

/** An answer whose body is still to come, as fast as it is read. Whoever opened it reads it to its end, or destroys it. */
export interface OpenAnswer {
  status: number
  headers: Record<string, string>
  stream: Readable
}

interface Opening {
  request: OutboundRequest
  attempt: Attempt
  timeoutMs: number
  /** Aborted with the error that ends the exchange. */
  over: AbortSignal
}

/** Read ahead before the other side is made to wait. */
const READ_AHEAD = 64 * 1024

/**
 * Sends a request and resolves with the head of its answer. undici's `dispatch` is used rather than `request`, because
 * only the handler learns when the request begins to leave: that is what makes a failed write `ambiguous`.
 */
export function open(
  dispatcher: Dispatcher,
  { request, attempt, timeoutMs, over }: Opening,
): Promise<OpenAnswer> {
  const { url, method } = attempt
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let stream: Readable | undefined
    let complete = false
    const fail = (error: Error) => {
      over.removeEventListener('abort', onOver)
      reject(error)
      stream?.destroy(error)
      if (!complete) controller?.abort(error)
    }
    const onOver = () => fail(over.reason)
    if (over.aborted) return onOver()
    over.addEventListener('abort', onOver, { once: true })

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        // The caller has been told that nothing was sent; keep it true.
        if (over.aborted) return started.abort(over.reason)
        try {
          request.beforeSend?.()
        } catch (error) {
          return fail(error as Error)
        }
        attempt.sent = true
      },
      onResponseStart(_, status, headers) {
        // 103 Early Hints and its like: the answer is still to come.
        if (status < 200) return
        stream = new Readable({
          highWaterMark: READ_AHEAD,
          read: () => controller?.resume(),
          destroy(error, done) {
            over.removeEventListener('abort', onOver)
            if (!complete) controller?.abort(error ?? new Error('not read to its end'))
            done(error)
          },
        })
        // It may break off before anybody reads it; whoever does is told then.
        stream.on('error', () => undefined)
        resolve({ status, headers: flatten(headers), stream })
      },
      onResponseData(started, chunk) {
        if (stream?.push(chunk) === false) started.pause()
      },
      onResponseEnd() {
        complete = true
        stream?.push(null)
      },
      onResponseError(_, error) {
        complete = true
        fail(diagnose(error, attempt))
      },
    }
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: request.headers ?? {},
        // undici takes any iterable of bytes; its types name strings, buffers and streams.
        body: (request.body ?? null) as Buffer | null,
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
