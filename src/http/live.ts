import type { Response } from 'express'
import { whenOver } from './over.ts'

/** An answer that goes on: server-sent events. */
export interface Live {
  status: 200
  /**
   * Begins it, and says what is to be said first.
   *
   * @returns what ends it, called once when nobody takes it any more
   */
  open(client: LiveClient): Promise<() => void>
}

/** Whoever takes it. */
export interface LiveClient {
  /** Sends an event; who takes too little is cut off. @param id by which it is gone on from, where the client knows all before it */
  send(event: string, data: object, id?: string): void
  end(): void
}

/** Milliseconds between two lines that say nothing: a proxy, and a client, know by them that it is still there. */
const HEARTBEAT_MS = 15_000

/** Bytes that wait to be taken, of one client. */
const MOST_WAITING = 256 * 1024

/** Milliseconds after which a client is to open it again, where it broke. */
const AGAIN_MS = 2_000

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Neither compressed nor gathered on the way, by whoever is between.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}

/**
 * Sends events until one of the two sides ends it. What waits to be taken has a limit, and so has the time for which nothing of
 * it is taken: then the connection is cut, and the client goes on from the last event that it had.
 */
export async function sendLive(response: Response, live: Live): Promise<void> {
  const begin = () => {
    if (response.headersSent || response.closed) return
    // It lasts as long as somebody looks, which is no time that an answer took.
    response.locals.lasting = true
    response.status(live.status).set(HEADERS)
    response.flushHeaders()
    response.write(`retry: ${AGAIN_MS}\n\n`)
  }
  const write = (text: string) => {
    if (response.closed || response.writableEnded) return
    begin()
    if (response.writableLength + text.length > MOST_WAITING) response.destroy()
    else response.write(text)
  }
  const end = await live.open({
    send: (event, data, id) => {
      const named = id === undefined ? '' : `id: ${id}\n`
      write(`event: ${event}\n${named}data: ${JSON.stringify(data)}\n\n`)
    },
    end: () => response.end(),
  })
  let waited = 0
  const heartbeat = setInterval(() => {
    // Of what was there at the last one, nothing was taken.
    const isStuck = waited > 0 && response.writableLength >= waited
    waited = response.writableLength
    if (isStuck) response.destroy()
    else write(':\n\n')
  }, HEARTBEAT_MS)
  const over = () => {
    clearInterval(heartbeat)
    end()
  }
  whenOver(response, over)
}
