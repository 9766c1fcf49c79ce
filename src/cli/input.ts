import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import pTimeout from 'p-timeout'
import { z } from 'zod'
import { isWireObject } from '../blocks/wire.ts'
import type { ContentFormat } from '../contract/delivery.ts'
import { toIssues } from '../contract/issues.ts'
import type { LimitError } from '../contract/limits.ts'
import { countTextUnits } from '../contract/payload.ts'
import { type DocumentData, documentDataSchema } from '../contract/webhook.ts'
import { hasErrnoCode } from '../errors.ts'
import { docxToHtml } from '../formats/docx.ts'
import { CommandFailure, exitCodes, usageError } from './failure.ts'
import type { CliWorld } from './world.ts'

const inputName = (file: string): string => (file === '-' ? 'Standard input' : `The file ${file}`)

/** The text in a file, or on standard input for `-`. @throws CommandFailure where it cannot be read, or is not UTF-8 */
export async function readInput(world: CliWorld, file: string): Promise<string> {
  const bytes = await readBytes(world, file)
  if (isUtf8(bytes)) return bytes.toString()
  throw usageError('not_utf8', `${inputName(file)} is not UTF-8 text. Save it as UTF-8.`)
}

async function readBytes(world: CliWorld, file: string): Promise<Buffer> {
  if (file === '-')
    return pTimeout(world.read(), { milliseconds: Number.POSITIVE_INFINITY, signal: world.stop })
  try {
    return await readFile(file)
  } catch (cause) {
    const [code, why] = hasErrnoCode(cause, 'ENOENT')
      ? [exitCodes.notFound, 'is not there']
      : [exitCodes.usage, `cannot be read: ${(cause as Error).message}`]
    throw new CommandFailure(code, 'file_unreadable', `The file ${file} ${why}.`, cause)
  }
}

/** A request, which a file holds as JSON. @throws CommandFailure where it is no object */
export async function readRequest(world: CliWorld, file: string): Promise<Record<string, unknown>> {
  const json = await readJson(world, file)
  if (isWireObject(json)) return json
  throw usageError('not_an_object', `${inputName(file)} holds no JSON object, such as {"name": "value"}.`)
}

/** A file as JSON. @throws CommandFailure */
async function readJson(world: CliWorld, file: string): Promise<unknown> {
  const text = await readInput(world, file)
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw usageError('not_json', `${inputName(file)} is not JSON: ${(cause as Error).message}`, cause)
  }
}

/** A document as a file holds it, with what its webhook says of the delivery. */
export interface DocumentFile {
  /** Of the document, where the file is a webhook. */
  id: string | undefined
  /** As it stands in the file: Galley reads it. */
  data: Record<string, unknown>
  delivery: Record<string, unknown> | undefined
}

/** How a text is written, by the end of its file's name. */
const textFormats: Readonly<Record<string, ContentFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.txt': 'markdown',
  '.html': 'html',
  '.htm': 'html',
}

/** A webhook or its `data`, a text in Markdown or HTML, or a Word document. @throws CommandFailure where it is none of them */
export async function readDocument(world: CliWorld, file: string): Promise<DocumentFile> {
  const extension = extname(file).toLowerCase()
  if (extension === '.docx')
    return { id: undefined, data: await readDocx(world, file), delivery: { content_format: 'html' } }
  const format = textFormats[extension]
  if (format !== undefined)
    return {
      id: undefined,
      data: { content: await readInput(world, file), file_name: basename(file) },
      delivery: { content_format: format },
    }
  const json = await readJson(world, file)
  // Before anything goes through it, however deep it is.
  try {
    countTextUnits(json)
  } catch (excess) {
    const { code, message } = excess as LimitError
    throw usageError(code, message, excess)
  }
  if (!isWireObject(json)) throw noDocument(file, 'it is no JSON object')
  const { id, data, delivery } = isWireObject(json.data)
    ? json
    : { id: undefined, data: json, delivery: undefined }
  return {
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : undefined,
    data: data as Record<string, unknown>,
    delivery: isWireObject(delivery) ? delivery : undefined,
  }
}

/** A Word document, with what is lost of it. @throws CommandFailure */
async function readDocx(world: CliWorld, file: string): Promise<Record<string, unknown>> {
  const bytes = await readBytes(world, file)
  try {
    const { html, warnings } = await docxToHtml(bytes)
    for (const { message } of warnings) world.note(`Warning: ${message}`)
    return { content: html, file_name: basename(file), warnings }
  } catch (cause) {
    throw noDocument(file, `it is no Word document: ${(cause as Error).message}`)
  }
}

/** The `data` of a document, read as a webhook's would be. @throws CommandFailure */
export function parseDocument(file: string, data: unknown): DocumentData {
  const read = z.object({ data: documentDataSchema }).safeParse({ data })
  if (read.success) return read.data.data
  const why = toIssues(read.error, { data }).map(({ path, message }) => `${path}: ${message}`)
  throw noDocument(file, why.join('; '))
}

export const noDocument = (file: string, why: string) =>
  usageError(
    'no_document',
    `${inputName(file)} holds no document that Galley can read: ${why}. docs/documents.md describes one.`,
  )
