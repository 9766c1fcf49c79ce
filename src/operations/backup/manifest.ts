import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { hasCode } from '../../errno.ts'
import { GalleyError } from '../../errors.ts'

export const DATABASE = 'database.ndjson.gz'
export const SECRET_KEYS = 'secret-keys'
export const FILES = 'files'
/** Written last: a backup without it was cut off. */
export const MANIFEST = 'manifest.json'

/** Whether a backup has this: nothing else is put into a data folder, least of all settings of its server. */
function isOfBackup(path: string): boolean {
  const [place, ...rest] = path.split(/[\\/]/)
  if (path === DATABASE || path === SECRET_KEYS) return true
  return place === FILES && rest.length > 0 && !rest.includes('..')
}

const manifestSchema = z.object({
  /** Of the layout of a backup. */
  format: z.literal(1),
  /** Of the Galley that made it. */
  version: z.string(),
  at: z.iso.datetime(),
  migrations: z.array(z.string().regex(/^\w+$/)),
  rows: z.record(z.string(), z.number()),
  /** Ids of the secret keys that something in it was encrypted with. */
  keys: z.array(z.string()),
  /** What it consists of, by path from its folder. */
  contents: z.record(z.string().refine(isOfBackup), z.object({ bytes: z.number(), sha256: z.string() })),
})

/** What stands in a backup about itself. */
export type Manifest = z.output<typeof manifestSchema>

/**
 * Reads what a backup says of itself, and checks everything in it.
 *
 * @throws GalleyError `backup_missing`, `backup_unusable`
 */
export async function readBackup(folder: string): Promise<Manifest> {
  await stat(folder).catch((cause) => {
    throw hasCode(cause, 'ENOENT') ? missing(folder, cause) : cause
  })
  const manifest = await readManifest(folder)
  for (const [path, { sha256 }] of Object.entries(manifest.contents))
    if ((await digestOf(join(folder, path))) !== sha256)
      throw unusable(folder, `${path} in it is missing, or is not what was written`)
  return manifest
}

async function readManifest(folder: string): Promise<Manifest> {
  try {
    return manifestSchema.parse(JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')))
  } catch (cause) {
    if (hasCode(cause, 'ENOENT'))
      throw unusable(folder, `it has no ${MANIFEST}: it is not a backup, or was cut off`, cause)
    throw unusable(folder, `its ${MANIFEST} cannot be read`, cause)
  }
}

async function digestOf(file: string): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(file), hash)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
  return hash.digest('hex')
}

const missing = (folder: string, cause: unknown): GalleyError =>
  new GalleyError({
    code: 'backup_missing',
    action: 'owner',
    message: `There is no folder ${folder}, so nothing was restored. Name one that galley backup has made.`,
    cause,
  })

/** A backup that nothing can be restored from. */
export const unusable = (folder: string, why: string, cause?: unknown): GalleyError =>
  new GalleyError({
    code: 'backup_unusable',
    action: 'owner',
    message: `The backup ${folder} cannot be restored: ${why}. Nothing was changed. Take another backup.`,
    cause,
  })
