import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { type DocumentData, documentDataSchema } from '../contract/document.ts'
import { toIssues } from '../contract/issues.ts'
import { isWireObject } from '../contract/normalise/fields.ts'
import { findLimitViolation } from '../contract/payload.ts'
import { hasErrnoCode } from '../errors.ts'
import { CommandFailure, exitCodes } from './failure.ts'
import type { CliWorld } from './world.ts'

/**
 * What a file holds, or standard input for `-`.
 *
 * @throws CommandFailure where it cannot be read
 */
export async function readInput(world: CliWorld, file: string): Promise<string> {
  if (file === '-') return world.read()
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const [code, why] = hasErrnoCode(cause, 'ENOENT')
      ? [exitCodes.notFound, 'is not there']
      : [exitCodes.usage, `cannot be read: ${(cause as Error).message}`]
    throw new CommandFailure(code, 'file_unreadable', `The file ${file} ${why}.`, cause)
  }
}

/** A file as JSON. @throws CommandFailure */
export async function readJson(world: CliWorld, file: string): Promise<unknown> {
  const text = await readInput(world, file)
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    const name = file === '-' ? 'Standard input' : `The file ${file}`
    throw new CommandFailure(
      exitCodes.usage,
      'not_json',
      `${name} is not JSON: ${(cause as Error).message}`,
      cause,
    )
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

/**
 * A file with a webhook, or with its `data` alone.
 *
 * @throws CommandFailure where it is neither
 */
export async function readDocument(world: CliWorld, file: string): Promise<DocumentFile> {
  const json = await readJson(world, file)
  // Before anything goes through it, however deep it is.
  const excess = findLimitViolation(json)
  if (excess) throw new CommandFailure(exitCodes.usage, excess.code, excess.message, excess)
  if (!isWireObject(json)) throw noDocument(file, 'it is no JSON object')
  const { id, data, delivery } = isWireObject(json.data)
    ? json
    : { id: undefined, data: json, delivery: undefined }
  return {
    id: typeof id === 'string' ? id : undefined,
    data: data as Record<string, unknown>,
    delivery: isWireObject(delivery) ? delivery : undefined,
  }
}

/** The `data` of a document, read as a webhook's would be. @throws CommandFailure */
export function parseDocument(file: string, data: unknown): DocumentData {
  const read = z.object({ data: documentDataSchema }).safeParse({ data })
  if (read.success) return read.data.data
  const why = toIssues(read.error, { data }).map(({ path, message }) => `${path}: ${message}`)
  throw noDocument(file, why.join('; '))
}

const noDocument = (file: string, why: string) =>
  new CommandFailure(
    exitCodes.usage,
    'no_document',
    `${file === '-' ? 'Standard input' : `The file ${file}`} holds no document that Galley can read: ${why}. docs/documents.md describes one.`,
  )
