import { operations } from '../../../src/client/generated/api.ts'

/** Milliseconds before a broken stream is opened again, and at most. */
const [RECONNECT_MS, MAX_RECONNECT_MS] = [1_000, 15_000]

/** Milliseconds without data after which a connection is dead. Galley sends a comment every 15 seconds. */
const IDLE_TIMEOUT_MS = 45_000

interface StreamOptions {
  /** A stream that is open already, or about to be. */
  early?: EarlyStream | undefined
  onOpen(open: boolean): void
  onEvent(name: string): void
  /** The stream is not opened again: the session has ended, or has no right to it. */
  onRefused(): void
  signal: AbortSignal
}

/**
 * Reads server-sent events until the signal, and reconnects when the stream breaks. `EventSource` would reconnect too, but does not tell
 * a lost network from an ended session.
 */
export async function followStream(options: StreamOptions): Promise<void> {
  const { early, onOpen, onEvent, onRefused, signal } = options
  if (early !== undefined) signal.addEventListener('abort', early.stop)
  let response = await early?.response
  for (let pause = RECONNECT_MS; !signal.aborted; pause = Math.min(pause * 2, MAX_RECONNECT_MS)) {
    response ??= await openStream(signal).catch(() => undefined)
    if (response?.status === 401 || response?.status === 403 || response?.status === 404) return onRefused()
    if (response?.ok && response.body !== null) {
      pause = RECONNECT_MS
      onOpen(true)
      await readEvents(response.body, onEvent).catch(() => undefined)
      onOpen(false)
    }
    response = undefined
    if (!signal.aborted) await delay(pause, signal)
  }
}

const openStream = (signal: AbortSignal) =>
  fetch(operations.openStream.path, { headers: { Accept: 'text/event-stream' }, signal })

/** Waits, but not longer than until the network is back. */
const delay = (ms: number, signal: AbortSignal): Promise<void> =>
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

/** Reports the name of each event; `message` when it has none. */
async function readEvents(body: ReadableStream<Uint8Array>, onEvent: (name: string) => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await readChunk(reader)
    if (done) return
    const events = (rest + value).split(/\r?\n\r?\n/)
    rest = events.pop() ?? ''
    for (const event of events) {
      const lines = event.split(/\r?\n/)
      // A block without data is not an event: a comment keeps the connection open, and `retry` is for EventSource.
      if (!lines.some((line) => line.startsWith('data:'))) continue
      onEvent(/^event: ?(.*)$/m.exec(event)?.[1] ?? 'message')
    }
  }
}

/** The next chunk, or the end when none comes for too long. Browsers do not report a lost network on an open connection. */
async function readChunk(
  reader: ReadableStreamDefaultReader<string>,
): Promise<ReadableStreamReadResult<string>> {
  const dead = () => void reader.cancel().catch(() => undefined)
  const silent = setTimeout(dead, IDLE_TIMEOUT_MS)
  addEventListener('offline', dead)
  try {
    return await reader.read()
  } finally {
    clearTimeout(silent)
    removeEventListener('offline', dead)
  }
}

/** A stream that is opened before the app is loaded. */
interface EarlyStream {
  response: Promise<Response | undefined>
  /** Whether it is open: data that is asked for from now on is not older than its events. */
  isOpen(): boolean
  stop(): void
}

let early: EarlyStream | undefined

/** Opens the stream while the app loads, so that nothing has to be asked twice when it begins. */
export function openEarlyStream(): void {
  const stop = new AbortController()
  let open = false
  const response = openStream(stop.signal).then(
    (answer) => {
      open = answer.ok
      // After signing in, the answer would be another.
      return answer.status === 401 ? undefined : answer
    },
    () => undefined,
  )
  early = { response, isOpen: () => open, stop: () => stop.abort() }
}

/** Whether a stream is open that nobody has taken yet. */
export const isEarlyStreamOpen = (): boolean => early?.isOpen() ?? false

/** Hands the stream over, once. */
export function takeEarlyStream(): EarlyStream | undefined {
  const taken = early
  early = undefined
  return taken
}
