import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import { z } from 'zod'
import { hasErrnoCode } from '../errors.ts'
import type { Page, PageRequest } from '../lib/paging.ts'

/** What is still to be done when a connection closes. */
const closeHandlers = new WeakMap<Socket, Set<() => void>>()

/**
 * Does something once an answer is over: taken, or never to be. At once where it is over by now, of which no event tells
 * any more. Node does not tell an answer that waits behind another of its connection either that this has closed.
 */
export function onResponseClosed(response: ServerResponse, work: () => void): void {
  const { socket } = response.req
  if (isResponseClosed(response)) return void work()
  const ofThis = closeHandlers.get(socket) ?? watchSocket(socket)
  const over = () => {
    response.removeListener('close', over)
    if (ofThis.delete(over)) work()
  }
  ofThis.add(over)
  response.once('close', over)
}

/** Whether nobody can take anything of an answer any more. */
export const isResponseClosed = ({ closed, req: { socket } }: ServerResponse): boolean =>
  closed || socket.destroyed

function watchSocket(socket: Socket): Set<() => void> {
  const ofThis = new Set<() => void>()
  closeHandlers.set(socket, ofThis)
  socket.once('close', () => {
    for (const over of ofThis) over()
  })
  return ofThis
}

/** An answer that goes on: server-sent events. */
export interface EventStream {
  status: 200
  /**
   * Begins it, and says what is to be said first.
   *
   * @returns what ends it, called once when nobody takes it any more
   */
  open(client: EventStreamClient): Promise<() => void>
}

/** Whoever takes it. */
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

/**
 * Sends events until one of the two sides ends it. What waits to be taken has a limit, and so has the time for which nothing of
 * it is taken: then the connection is cut, and the client goes on from the last event that it had.
 */
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

/** How a list is exported; the member of a query. */
export const exportFormat = z
  .enum(['ndjson', 'csv'])
  .default('ndjson')
  .describe(
    'ndjson: a JSON object a line. csv: a byte order mark and a line of names first; what is neither text nor a number is JSON.',
  )

type ExportFormat = z.output<typeof exportFormat>

/** What an export is sent as. */
export const EXPORT_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const

/** A whole list, sent as it is read. */
export interface Export {
  status: 200
  /** A part of it at a time; the next is read once the last was taken. */
  parts: AsyncIterable<object[]>
  format: ExportFormat
  /** Of a CSV file, in their order. */
  columns: readonly string[]
  /** Of the file, without what its format adds. */
  name: string
}

/** Items that are read at once: as many as a page of a list has at most, which fits into memory. */
const EXPORT_PAGE_SIZE = 100

/** Milliseconds in which whoever takes an export must have taken some of it. */
const EXPORT_STALL_MS = 60_000

/** Every item of a list, page by page: nothing in the database stays open while somebody takes his time. */
export async function* everyPage<Item extends object>(
  list: (request: PageRequest) => Promise<Page<Item>>,
): AsyncGenerator<Item[]> {
  let cursor: string | undefined
  do {
    const { items, nextCursor } = await list({ limit: EXPORT_PAGE_SIZE, cursor })
    yield items
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined)
}

/** Sends an export. What fails before its first part is answered as any failure; later, the answer breaks off. */
export async function sendExport(response: Response, exported: Export): Promise<void> {
  const { status, parts, format, columns, name } = exported
  const texts = serializedItems(parts, format, columns)
  const first = await texts.next()
  // The names of a CSV file are there whatever comes: what follows is asked for as well.
  const second = await texts.next()
  response.status(status).set({
    'Content-Type': `${EXPORT_TYPES[format]}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${name}.${format}"`,
  })
  response.setTimeout(EXPORT_STALL_MS, () => response.destroy())
  const all = async function* () {
    if (!first.done) yield first.value
    if (!second.done) yield second.value
    yield* texts
  }
  await pipeline(Readable.from(all()), response).catch((error) => {
    // Whoever asked went away, which is their right.
    if (!hasErrnoCode(error, 'ERR_STREAM_PREMATURE_CLOSE')) throw error
  })
}

async function* serializedItems(
  parts: AsyncIterable<object[]>,
  format: ExportFormat,
  columns: readonly string[],
): AsyncGenerator<string> {
  if (format === 'csv') yield UTF8_BOM + csvLine(columns)
  for await (const items of parts) {
    const text = items.map((item) =>
      format === 'csv'
        ? csvLine(columns.map((column) => (item as Record<string, unknown>)[column]))
        : `${JSON.stringify(item)}\n`,
    )
    if (text.length > 0) yield text.join('')
  }
}

/** Without this mark Excel reads a CSV file in the character set of its machine: `Zürich` becomes `ZÃ¼rich`. */
const UTF8_BOM = '\uFEFF'

/** A line as RFC 4180 has it. */
const csvLine = (values: readonly unknown[]): string => `${values.map(csvValue).join(',')}\r\n`

/** A spreadsheet takes a text for a formula that begins so; with an apostrophe before it, it is a text. */
const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠]/

/** Where it divides cells by semicolons or tabs, as in many countries, a text begins behind each, and in each line. */
const FORMULA_IN_CELL = /([;\t\r\n]"*)(?=[=+\-@＝＋－＠])/g

function csvValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const begun = FORMULA_START.test(text) ? `'${text}` : text
  const safe = begun.replace(FORMULA_IN_CELL, "$1'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
