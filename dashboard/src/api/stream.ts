import type { EarlyStream } from './early-stream.ts'

/** Milliseconds before a stream that broke off is opened again, and at most. */
const [AGAIN_MS, AGAIN_AT_MOST_MS] = [1_000, 15_000]

/** Milliseconds without a word, after which a connection is dead: a line that says nothing comes every 15 seconds. */
const SILENT_MS = 45_000

interface Following {
  /** One that is open already, or about to be. */
  early?: EarlyStream | undefined
  onOpen(open: boolean): void
  onEvent(name: string): void
  /** It is not opened again: the session has ended, or may not. */
  onRefused(): void
  signal: AbortSignal
}

/**
 * Reads server-sent events until the signal, and opens the stream again where it breaks off. `EventSource` would do that
 * too, and would not say whether nobody answers or the session has ended.
 */
export async function follow(path: string, following: Following): Promise<void> {
  const { early, onOpen, onEvent, onRefused, signal } = following
  if (early !== undefined) signal.addEventListener('abort', early.stop)
  let response = await early?.response
  for (let pause = AGAIN_MS; !signal.aborted; pause = Math.min(pause * 2, AGAIN_AT_MOST_MS)) {
    response ??= await fetch(path, { headers: { Accept: 'text/event-stream' }, signal }).catch(
      () => undefined,
    )
    if (response?.status === 401 || response?.status === 403 || response?.status === 404) return onRefused()
    if (response?.ok && response.body !== null) {
      pause = AGAIN_MS
      onOpen(true)
      await readEvents(response.body, onEvent).catch(() => undefined)
      onOpen(false)
    }
    response = undefined
    if (!signal.aborted) await passed(pause, signal)
  }
}

/** Waits so long, and no longer than until the network is back. */
const passed = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = new AbortController()
    const end = () => {
      done.abort()
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end, { signal: done.signal })
    signal.addEventListener('abort', end, { signal: done.signal })
  })

/** Names the events as they come; one that has no name is a `message`. */
async function readEvents(body: ReadableStream<Uint8Array>, onEvent: (name: string) => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await heard(reader)
    if (done) return
    const events = (rest + value).split(/\r?\n\r?\n/)
    rest = events.pop() ?? ''
    for (const event of events) {
      const lines = event.split(/\r?\n/)
      // What has no data is no event: a line with a colon keeps the connection open, and `retry` is for an EventSource.
      if (!lines.some((line) => line.startsWith('data:'))) continue
      onEvent(/^event: ?(.*)$/m.exec(event)?.[1] ?? 'message')
    }
  }
}

/** The next part, or the end where none comes any more. A browser that has lost its network does not say so of what is open. */
async function heard(reader: ReadableStreamDefaultReader<string>): Promise<ReadableStreamReadResult<string>> {
  const dead = () => void reader.cancel().catch(() => undefined)
  const silent = setTimeout(dead, SILENT_MS)
  addEventListener('offline', dead)
  try {
    return await reader.read()
  } finally {
    clearTimeout(silent)
    removeEventListener('offline', dead)
  }
}
