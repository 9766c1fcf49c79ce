import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createGzip } from 'node:zlib'
import { type DatabasePlace, withServer } from '../../database/index.ts'
import { hasCode } from '../../errno.ts'
import { GalleyError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { keyFile } from '../../secrets/key-file.ts'
import { VERSION } from '../../version.ts'
import { sayingWhatIsLeft } from '../interrupted.ts'
import { keyIdsInUse } from '../secrets/columns.ts'
import { type Dumped, dump } from './dump.ts'
import { DATABASE, FILES, MANIFEST, type Manifest, SECRET_KEYS } from './manifest.ts'
import { openSession, type Patience } from './session.ts'
import { syncFolder, writePart } from './write.ts'

export interface BackupOptions extends DatabasePlace {
  /** `GALLEY_SECRET_KEYS`; these are never in a backup. */
  secretKeys: string | undefined
  /** The folder to be made. */
  target: string
  /** Whether the secret keys of the data folder go with it. */
  withKeys: boolean
  log: Logger
  patience?: Patience
  /** Rows, and then files, so far. */
  onProgress?: (what: 'rows' | 'files', done: number) => void
}

/** What was backed up. */
export interface Backup {
  folder: string
  rows: number
  files: number
  bytes: number
  /** Whether it holds the keys to all that is encrypted in it. */
  hasKeys: boolean
}

/**
 * Backs up the database as it is at one moment, the files that Galley keeps in its data folder, and the secret keys,
 * while Galley works on.
 *
 * @throws GalleyError `backup_exists`, and as withServer and sayingWhatIsLeft do
 */
export function backup(options: BackupOptions): Promise<Backup> {
  const folder = resolve(options.target)
  const left = `What is in ${folder} is no whole backup, and no restore takes it: remove it, then run this again.`
  return sayingWhatIsLeft(left, () => write(options, folder))
}

async function write(options: BackupOptions, folder: string): Promise<Backup> {
  await makeEmpty(folder)
  const contents: Manifest['contents'] = {}
  const { dumped, keys } = await withServer(options, options.log, async (connectionString) => ({
    keys: await keysNeeded(connectionString, options.patience),
    dumped: await writeDatabase(options, folder, connectionString, contents),
  }))
  const hasKeys = await writeKeys(options, folder, contents)
  const files = await writeFiles(options, folder, contents)
  const { rows, migrations, at } = dumped
  const manifest: Manifest = { format: 1, version: VERSION, at, migrations, rows, keys, contents }
  await writePart(folder, MANIFEST, once(`${JSON.stringify(manifest, null, 2)}\n`))
  await syncFolder(folder)
  const bytes = Object.values(contents).reduce((sum, part) => sum + part.bytes, 0)
  return { folder, rows: Object.values(rows).reduce((sum, count) => sum + count, 0), files, bytes, hasKeys }
}

async function makeEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await readdir(folder)
  if (found.length === 0) return
  throw new GalleyError({
    code: 'backup_exists',
    action: 'owner',
    message: `The folder ${folder} is not empty, and a backup replaces nothing. Name another one.`,
  })
}

async function writeDatabase(
  { onProgress, patience }: BackupOptions,
  folder: string,
  connectionString: string,
  contents: Manifest['contents'],
): Promise<Dumped> {
  let dumped: Dumped | undefined
  async function* lines() {
    const source = dump(connectionString, patience)
    let rows = 0
    for (;;) {
      const { value, done } = await source.next()
      if (done) {
        dumped = value
        return
      }
      rows += 1
      if (rows % 1000 === 0) onProgress?.('rows', rows)
      yield `${value}\n`
    }
  }
  contents[DATABASE] = await writePart(folder, DATABASE, lines(), createGzip({ level: 6 }))
  if (dumped === undefined) throw new Error('the dump has no end')
  return dumped
}

async function keysNeeded(connectionString: string, patience?: Patience): Promise<string[]> {
  const client = await openSession(connectionString, 'galley, backup', patience)
  return keyIdsInUse(client).finally(() => client.end())
}

async function writeKeys(
  { secretKeys, databaseUrl, dataDir, withKeys }: BackupOptions,
  folder: string,
  contents: Manifest['contents'],
): Promise<boolean> {
  if (!withKeys || secretKeys !== undefined || databaseUrl !== undefined) return false
  const keys = await readFile(keyFile(dataDir)).catch(unlessMissing)
  if (keys === undefined) return false
  contents[SECRET_KEYS] = await writePart(folder, SECRET_KEYS, once(keys))
  return true
}

/** Files whose time ends meanwhile are not missed: the row goes as well. */
async function writeFiles(
  { dataDir, onProgress }: BackupOptions,
  folder: string,
  contents: Manifest['contents'],
): Promise<number> {
  const root = join(dataDir, FILES)
  const found = (await readdir(root, { recursive: true, withFileTypes: true }).catch(unlessMissing)) ?? []
  let files = 0
  for (const entry of found) {
    const path = join(entry.parentPath, entry.name).slice(dataDir.length + 1)
    if (!entry.isFile() || path.startsWith(join(FILES, 'unfinished'))) continue
    const part = await writePart(folder, path, createReadStream(join(dataDir, path))).catch(unlessMissing)
    if (part === undefined) continue
    contents[path] = part
    files += 1
    onProgress?.('files', files)
  }
  return files
}

function unlessMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error
}

async function* once<Content>(content: Content): AsyncGenerator<Content> {
  yield content
}
