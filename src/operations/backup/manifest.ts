import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { type GalleyError, hasErrnoCode, operatorError } from '../../errors.ts'
import { unlessMissing } from '../../lib/files.ts'

export const DATABASE_FILE = 'database.ndjson.gz'
export const SECRET_KEYS_FILE = 'secret-keys'
export const FILES_FOLDER = 'files'
/** Written last: a backup without it is incomplete. */
export const MANIFEST_FILE = 'manifest.json'

/** Whether a backup may have this path: nothing else enters a data folder, least of all server settings. */
function isOfBackup(path: string): boolean {
  const [place, ...rest] = path.split(/[\\/]/)
  if (path === DATABASE_FILE || path === SECRET_KEYS_FILE) return true
  return place === FILES_FOLDER && rest.length > 0 && !rest.includes('..')
}

const manifestSchema = z.object({
  format: z.literal(1),
  version: z.string(),
  at: z.iso.datetime(),
  migrations: z.array(z.string().regex(/^\w+$/)),
  rows: z.record(z.string(), z.number()),
  /** Ids of the secret keys used in it. */
  keys: z.array(z.string()),
  contents: z.record(z.string().refine(isOfBackup), z.object({ bytes: z.number(), sha256: z.string() })),
})

export type Manifest = z.output<typeof manifestSchema>

/** Reads the manifest and checks every file. @throws GalleyError `backup_missing`, `backup_unusable` */
export async function readBackup(folder: string): Promise<Manifest> {
  await stat(folder).catch((cause) => {
    throw hasErrnoCode(cause, 'ENOENT') ? missing(folder, cause) : cause
  })
  const manifest = await readManifest(folder)
  for (const [path, { sha256 }] of Object.entries(manifest.contents))
    if ((await digestOf(join(folder, path))) !== sha256)
      throw backupUnusable(folder, `${path} in it is missing, or is not what was written`)
  return manifest
}

async function readManifest(folder: string): Promise<Manifest> {
  try {
    return manifestSchema.parse(JSON.parse(await readFile(join(folder, MANIFEST_FILE), 'utf8')))
  } catch (cause) {
    if (hasErrnoCode(cause, 'ENOENT'))
      throw backupUnusable(folder, `it has no ${MANIFEST_FILE}: it is not a backup, or was cut off`, cause)
    throw backupUnusable(folder, `its ${MANIFEST_FILE} cannot be read`, cause)
  }
}

/** Null of a file that is not there. */
async function digestOf(file: string): Promise<string | null> {
  const hash = createHash('sha256')
  const done = await pipeline(createReadStream(file), hash).then(() => true, unlessMissing)
  return done ? hash.digest('hex') : null
}

const missing = (folder: string, cause: unknown): GalleyError =>
  operatorError(
    'backup_missing',
    `There is no folder ${folder}, so nothing was restored. Name one that galley backup has made.`,
    cause,
  )

export const backupUnusable = (folder: string, why: string, cause?: unknown): GalleyError =>
  operatorError(
    'backup_unusable',
    `The backup ${folder} cannot be restored: ${why}. Nothing was changed. Take another backup.`,
    cause,
  )
