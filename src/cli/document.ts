import { z } from 'zod'
import { type DocumentData, documentDataSchema } from '../contract/document.ts'
import { findExcess } from '../contract/excess.ts'
import { issuesOf } from '../contract/issues.ts'
import { isWire } from '../contract/normalise/fields.ts'
import { exitCodes } from './exit-codes.ts'
import { CommandFailure } from './failure.ts'
import { readJson } from './input.ts'
import type { World } from './world.ts'

/** A document as a file holds it, with what its webhook says of the delivery. */
export interface DocumentFile {
  /** Of the document, where the file is a webhook. */
  id: string | undefined
  /** As it stands in the file: Galley reads it. */
  data: Record<string, unknown>
  delivery: Record<string, unknown> | undefined
}

/**
 * A file with a webhook, or with its `data` alone.
 *
 * @throws CommandFailure where it is neither
 */
export async function readDocument(world: World, file: string): Promise<DocumentFile> {
  const json = await readJson(world, file)
  // Before anything goes through it, however deep it is.
  const excess = findExcess(json)
  if (excess) throw new CommandFailure(exitCodes.usage, excess.code, excess.message, excess)
  if (!isWire(json)) throw noDocument(file, 'it is no JSON object')
  const { id, data, delivery } = isWire(json.data) ? json : { id: undefined, data: json, delivery: undefined }
  return {
    id: typeof id === 'string' ? id : undefined,
    data: data as Record<string, unknown>,
    delivery: isWire(delivery) ? delivery : undefined,
  }
}

/** The `data` of a document, read as a webhook's would be. @throws CommandFailure */
export function parseDocument(file: string, data: unknown): DocumentData {
  const read = z.object({ data: documentDataSchema }).safeParse({ data })
  if (read.success) return read.data.data
  const why = issuesOf(read.error, { data }).map(({ path, message }) => `${path}: ${message}`)
  throw noDocument(file, why.join('; '))
}

const noDocument = (file: string, why: string) =>
  new CommandFailure(
    exitCodes.usage,
    'no_document',
    `${file === '-' ? 'Standard input' : `The file ${file}`} holds no document that Galley can read: ${why}. docs/documents.md describes one.`,
  )
