import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import { z } from 'zod'
import { hasErrnoCode } from '../errors.ts'
import { type CsvColumns, csvLine, UTF8_BOM } from '../lib/csv.ts'
import type { Page, PageRequest } from '../lib/paging.ts'
import { onResponseClosed } from './request-telemetry.ts'

/** An answer that goes on: server-sent events. */
export interface EventStream {
  status: 200
  /** Says what is to be said first. @returns what ends it, called once when nobody takes it any more */
  open(client: EventStreamClient): Promise<() => void>
}

export interface EventStreamClient {
  /** Sends an event; who takes too little is cut off. @param id by which it is gone on from, where the client knows all before it */
  send(event: string, data: object, id?: string): void
  end(): void
}

/** Milliseconds between two lines that say nothing: a proxy, and a client, know by them that it is still there. */
const HEARTBEAT_MS = 15_000

/** Bytes that wait to be taken, of one client. */
const MAX_BUFFERED_BYTES = 256 * 1024

/** Milliseconds after which a client is to open it again, where it broke. */
const RECONNECT_MS = 2_000

const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Neither compressed nor gathered on the way, by whoever is between.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}

/** Sends events until one side ends it. What waits to be taken is limited in size and time; then the connection is cut. */
export async function sendEventStream(response: Response, live: EventStream): Promise<void> {
  const begin = () => {
    if (response.headersSent || response.closed) return
    // It lasts as long as somebody looks, which is no time that an answer took.
    response.locals.lasting = true
    response.status(live.status).set(EVENT_STREAM_HEADERS)
    response.flushHeaders()
    response.write(`retry: ${RECONNECT_MS}\n\n`)
  }
  const write = (text: string) => {
    if (response.closed || response.writableEnded) return
    begin()
    if (response.writableLength + text.length > MAX_BUFFERED_BYTES) response.destroy()
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
  onResponseClosed(response, over)
}

export const exportFormat = z
  .enum(['ndjson', 'csv'])
  .default('ndjson')
  .describe(
    'ndjson: a JSON object a line, as the list has it. csv: for a spreadsheet; the first line names its columns.',
  )

type ExportFormat = z.output<typeof exportFormat>

const EXPORT_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const

export const exportAnswer = {
  responses: {
    200: { description: 'All that match.', schema: z.string(), types: Object.values(EXPORT_TYPES) },
  },
  reply: (exported: Export) => exported,
}

/** A whole list, sent as it is read. */
export interface Export {
  status: 200
  /** A part of the file at a time; the next is read once the last was taken. */
  texts: AsyncGenerator<string>
  format: ExportFormat
  /** Of the file, without what its format adds. */
  name: string
}

/** Items that are read at once: as many as a page of a list has at most, which fits into memory. */
const EXPORT_PAGE_SIZE = 100

/** Milliseconds in which whoever takes something long must have taken some of it. */
const STALL_MS = 60_000

/** Sends what is long as fast as it is taken. */
export async function sendStream(response: Response, content: Readable, stallMs = STALL_MS): Promise<void> {
  response.setTimeout(stallMs, () => response.destroy())
  await pipeline(content, response).catch((error) => {
    // Whoever asked went away, which is their right.
    if (!hasErrnoCode(error, 'ERR_STREAM_PREMATURE_CLOSE')) throw error
  })
}

/** Every item of a list, page by page: nothing in the database stays open while somebody takes his time. */
export function exportList<Item extends object>(
  { name, format, columns }: { name: string; format: ExportFormat; columns: CsvColumns<Item> },
  list: (request: PageRequest) => Promise<Page<Item>>,
): Export {
  async function* texts() {
    let head = format === 'csv' ? UTF8_BOM + csvLine(Object.keys(columns)) : ''
    const serialize = (item: Item) =>
      format === 'csv'
        ? csvLine(Object.values(columns).map((cell) => cell(item)))
        : `${JSON.stringify(item)}\n`
    let cursor: string | undefined
    do {
      const { items, nextCursor } = await list({ limit: EXPORT_PAGE_SIZE, cursor })
      const text = head + items.map(serialize).join('')
      if (text !== '') yield text
      head = ''
      cursor = nextCursor ?? undefined
    } while (cursor !== undefined)
  }
  return { status: 200, texts: texts(), format, name: `galley-${name}` }
}

/** Sends an export. What fails before its first part is answered as any failure; later, the answer breaks off. */
export async function sendExport(response: Response, exported: Export): Promise<void> {
  const { status, texts, format, name } = exported
  const first = await texts.next()
  response.status(status).set({
    'Content-Type': `${EXPORT_TYPES[format]}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${name}.${format}"`,
  })
  const all = async function* () {
    if (!first.done) yield first.value
    yield* texts
  }
  await sendStream(response, Readable.from(all()))
}
