import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { SessionTimeouts } from '../../database/client.ts'
import { type DatabaseLocation, withDatabaseServer } from '../../database/with-database.ts'
import { operatorError } from '../../errors.ts'
import { syncFolder, unlessMissing } from '../../lib/files.ts'
import { VERSION } from '../../lib/version.ts'
import type { Logger } from '../../log/log.ts'
import { keyFilePath } from '../../secrets/key-file.ts'
import { withInterruptionAdvice } from '../interrupted.ts'
import { type DumpSummary, dumpDatabase } from './dump.ts'
import { DATABASE_FILE, FILES_FOLDER, MANIFEST_FILE, type Manifest, SECRET_KEYS_FILE } from './manifest.ts'

interface BackupOptions extends DatabaseLocation {
  /** `GALLEY_SECRET_KEYS`; these are never in a backup. */
  secretKeys: string | undefined
  target: string
  withKeys: boolean
  log: Logger
  patience?: SessionTimeouts
  onProgress?: (what: 'rows' | 'files', done: number) => void
}

/** Backs up a snapshot of the database, files and secret keys, while Galley runs. @throws GalleyError `backup_exists` */
export function createBackup(options: BackupOptions) {
  const folder = resolve(options.target)
  const left = `What is in ${folder} is no whole backup, and no restore takes it: remove it, then run this again.`
  return withInterruptionAdvice(left, () => writeBackup(options, folder))
}

async function writeBackup(options: BackupOptions, folder: string) {
  await makeEmpty(folder)
  const contents: Manifest['contents'] = {}
  const { rows, migrations, keys, at } = await withDatabaseServer(options, options.log, (connectionString) =>
    writeDatabase(options, folder, connectionString, contents),
  )
  const hasKeys = await writeKeys(options, folder, contents)
  const files = await writeFiles(options, folder, contents)
  const manifest: Manifest = { format: 1, version: VERSION, at, migrations, rows, keys, contents }
  await writePart(folder, MANIFEST_FILE, [`${JSON.stringify(manifest, null, 2)}\n`])
  await syncFolder(folder)
  const bytes = Object.values(contents).reduce((sum, part) => sum + part.bytes, 0)
  return { folder, rows: Object.values(rows).reduce((sum, count) => sum + count, 0), files, bytes, hasKeys }
}

async function makeEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await readdir(folder)
  if (found.length === 0) return
  throw operatorError(
    'backup_exists',
    `The folder ${folder} is not empty, and a backup replaces nothing. Name another one.`,
  )
}

async function writeDatabase(
  { onProgress, patience }: BackupOptions,
  folder: string,
  connectionString: string,
  contents: Manifest['contents'],
): Promise<DumpSummary> {
  let dumped: DumpSummary | undefined
  async function* lines() {
    let rows = 0
    for await (const line of dumpDatabase(connectionString, patience, (summary) => (dumped = summary))) {
      rows += 1
      if (rows % 1000 === 0) onProgress?.('rows', rows)
      yield `${line}\n`
    }
  }
  contents[DATABASE_FILE] = await writePart(folder, DATABASE_FILE, lines(), createGzip({ level: 6 }))
  if (dumped === undefined) throw new Error('the dump has no end')
  return dumped
}

/** @returns whether it holds the keys to all that is encrypted in it */
async function writeKeys(
  { secretKeys, databaseUrl, dataDir, withKeys }: BackupOptions,
  folder: string,
  contents: Manifest['contents'],
): Promise<boolean> {
  if (!withKeys || secretKeys !== undefined || databaseUrl !== undefined) return false
  const keys = await readFile(keyFilePath(dataDir)).catch(unlessMissing)
  if (keys === undefined) return false
  contents[SECRET_KEYS_FILE] = await writePart(folder, SECRET_KEYS_FILE, [keys])
  return true
}

/** A file that expires meanwhile is not missed: its row goes too. */
async function writeFiles(
  { dataDir, onProgress }: BackupOptions,
  folder: string,
  contents: Manifest['contents'],
): Promise<number> {
  const root = join(dataDir, FILES_FOLDER)
  const found = (await readdir(root, { recursive: true, withFileTypes: true }).catch(unlessMissing)) ?? []
  let files = 0
  for (const entry of found) {
    const path = join(entry.parentPath, entry.name).slice(dataDir.length + 1)
    if (!entry.isFile() || path.startsWith(join(FILES_FOLDER, 'unfinished'))) continue
    const part = await writePart(folder, path, createReadStream(join(dataDir, path))).catch(unlessMissing)
    if (part === undefined) continue
    contents[path] = part
    files += 1
    onProgress?.('files', files)
  }
  return files
}

/** Writes one file, readable by its owner alone, and syncs it. @returns its entry in the manifest */
async function writePart(
  folder: string,
  path: string,
  content: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  ...transforms: Transform[]
): Promise<Manifest['contents'][string]> {
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const hash = createHash('sha256')
  let bytes = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  await pipeline([
    Readable.from(content),
    ...transforms,
    counted,
    createWriteStream(target, { mode: 0o600, flags: 'wx', flush: true }),
  ])
  return { bytes, sha256: hash.digest('hex') }
}
