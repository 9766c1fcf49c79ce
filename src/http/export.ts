import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import { z } from 'zod'
import { hasCode } from '../errno.ts'
import type { Page, PageRequest } from '../paging.ts'

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
const AT_ONCE = 100

/** Milliseconds in which whoever takes an export must have taken some of it. */
const STALLED_MS = 60_000

/** Every item of a list, page by page: nothing in the database stays open while somebody takes his time. */
export async function* everyPage<Item extends object>(
  list: (request: PageRequest) => Promise<Page<Item>>,
): AsyncGenerator<Item[]> {
  let cursor: string | undefined
  do {
    const { items, nextCursor } = await list({ limit: AT_ONCE, cursor })
    yield items
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined)
}

/** Sends an export. What fails before its first part is answered as any failure; later, the answer breaks off. */
export async function sendExport(response: Response, exported: Export): Promise<void> {
  const { status, parts, format, columns, name } = exported
  const texts = textsOf(parts, format, columns)
  const first = await texts.next()
  // The names of a CSV file are there whatever comes: what follows is asked for as well.
  const second = await texts.next()
  response.status(status).set({
    'Content-Type': `${EXPORT_TYPES[format]}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${name}.${format}"`,
  })
  response.setTimeout(STALLED_MS, () => response.destroy())
  const all = async function* () {
    if (!first.done) yield first.value
    if (!second.done) yield second.value
    yield* texts
  }
  await pipeline(Readable.from(all()), response).catch((error) => {
    // Whoever asked went away, which is their right.
    if (!hasCode(error, 'ERR_STREAM_PREMATURE_CLOSE')) throw error
  })
}

async function* textsOf(
  parts: AsyncIterable<object[]>,
  format: ExportFormat,
  columns: readonly string[],
): AsyncGenerator<string> {
  if (format === 'csv') yield UTF_8 + csvLine(columns)
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
const UTF_8 = '\uFEFF'

/** A line as RFC 4180 has it. */
const csvLine = (values: readonly unknown[]): string => `${values.map(csvValue).join(',')}\r\n`

/** A spreadsheet takes a text for a formula that begins so; with an apostrophe before it, it is a text. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/** Where it divides cells by semicolons or tabs, as in many countries, a text begins behind each, and in each line. */
const FORMULA_WITHIN = /([;\t\r\n]"*)(?=[=+\-@＝＋－＠])/g

function csvValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const begun = FORMULA.test(text) ? `'${text}` : text
  const safe = begun.replace(FORMULA_WITHIN, "$1'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
