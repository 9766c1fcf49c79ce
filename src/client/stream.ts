import { setTimeout as wait } from 'node:timers/promises'
import { withoutSlash } from '../text.ts'
import { ApiFailure, Unreachable } from './failure.ts'

/** What a stream tells. */
export type StreamEvent =
  /** What is shown has to be read: it is the first time, or too much was missed. */
  | { event: 'read' }
  /** These were made, changed or removed. */
  | { event: 'changes'; changes: { kind: 'delivery' | 'site' | 'event' | 'job' | 'bulk_job'; id: string }[] }

export interface StreamOptions {
  /** Of a Galley, such as `https://galley.example.net`. */
  url: string
  key: string
  signal: AbortSignal
}

/** Milliseconds without a sign of life after which another connection is made; there is one every 15 seconds. */
const SILENT_MS = 45_000

/** Milliseconds before it is opened again; twice as many after each failure. */
const AGAIN_MS = { first: 1_000, most: 30_000 }

/** Failures that are over in a while. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504])

/**
 * Hears what changes in an account until `signal` ends it. A connection that breaks is made again, and goes on where it was.
 *
 * @throws ApiFailure where the key opens no stream, or no more
 */
export async function* openStream({ url, key, signal }: StreamOptions): AsyncGenerator<StreamEvent> {
  let lastId: string | undefined
  let failures = 0
  while (!signal.aborted) {
    try {
      for await (const { event, data, id } of eventsOf(url, key, lastId, signal)) {
        failures = 0
        // Before it is handed on: what breaks meanwhile goes on behind it.
        lastId = id ?? lastId
        if (event === 'changes') yield { event, ...(JSON.parse(data) as { changes: [] }) }
        else if (event === 'reset' || (event === 'ready' && !JSON.parse(data).resumed))
          yield { event: 'read' }
      }
    } catch (error) {
      if (error instanceof ApiFailure && !PASSING.has(error.status)) throw error
    }
    failures += 1
    const pause = Math.min(AGAIN_MS.first * 2 ** (failures - 1), AGAIN_MS.most)
    await wait(pause, undefined, { signal }).catch(() => undefined)
  }
}

interface ServerSentEvent {
  event: string
  data: string
  id: string | undefined
}

/** The events of one connection. */
async function* eventsOf(
  url: string,
  key: string,
  lastId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<ServerSentEvent> {
  const silence = new AbortController()
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENT_MS)
  }
  let timer: NodeJS.Timeout | undefined
  heard()
  try {
    const response = await fetch(`${withoutSlash(url)}/v1/stream`, {
      headers: {
        accept: 'text/event-stream, application/json;q=0.5',
        authorization: `Bearer ${key}`,
        ...(lastId !== undefined && { 'last-event-id': lastId }),
      },
      // What leads elsewhere would take the key along.
      redirect: 'error',
      signal: AbortSignal.any([signal, silence.signal]),
    })
    if (!response.ok || response.body === null) throw await failureOf(response)
    let text = ''
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      heard()
      const blocks = (text + part).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = readEvent(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    clearTimeout(timer)
  }
}

/** One event; undefined for what is none, such as a line that only says that somebody is there. */
function readEvent(block: string): ServerSentEvent | undefined {
  const fields = new Map(
    block.split('\n').flatMap((line) => {
      const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, value ?? ''] as const]
    }),
  )
  const [event, data] = [fields.get('event'), fields.get('data')]
  return event === undefined || data === undefined ? undefined : { event, data, id: fields.get('id') }
}

async function failureOf(response: Response): Promise<Error> {
  const body = (await response.json().catch(() => undefined)) as
    | { error?: { code: string; message: string; details?: unknown } }
    | undefined
  return body?.error === undefined
    ? new Unreachable(`What answers there is not a Galley: it answered ${response.status}.`)
    : new ApiFailure(response.status, body.error)
}
