import { createReadStream } from 'node:fs'
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { SessionTimeouts } from '../../database/client.ts'
import { startEmbedded } from '../../database/embedded/start.ts'
import { databaseFailure, isDataError } from '../../database/errors.ts'
import { appliedMigrations, migrate, migrationNames, migrationsFolder } from '../../database/migrations.ts'
import type { DatabaseLocation } from '../../database/with-database.ts'
import { GalleyError, operatorError } from '../../errors.ts'
import { unlessMissing } from '../../lib/files.ts'
import { VERSION } from '../../lib/version.ts'
import type { Logger } from '../../log/log.ts'
import { keyFilePath } from '../../secrets/key-file.ts'
import { withInterruptionAdvice } from '../interrupted.ts'
import { listTables, loadDump, openBackupSession } from './dump.ts'
import { backupUnusable, DATABASE_FILE, type Manifest, readBackup, SECRET_KEYS_FILE } from './manifest.ts'

interface RestoreOptions extends DatabaseLocation {
  secretKeys: string | undefined
  source: string
  log: Logger
  patience?: SessionTimeouts
  /** A folder of Prisma migrations; Galley's own unless given. */
  migrations?: string
}

/** Checks a backup, migrates it, and restores all of it or nothing into an empty data folder or database. */
export const restore = (options: RestoreOptions) =>
  withInterruptionAdvice(RESTORE_ADVICE, () => restoreBackup(options))

const RESTORE_ADVICE =
  'The backup is as it was. Run this again, before Galley is started; where that says that the database has rows, all of it has been restored.'

async function restoreBackup(options: RestoreOptions) {
  const source = resolve(options.source)
  const manifest = await readBackup(source)
  const known = await migrationNames(options.migrations ?? migrationsFolder)
  const unknown = manifest.migrations.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw operatorError(
      'backup_newer',
      `The backup ${source} was made by Galley ${manifest.version}, and this one, ${VERSION}, does not know its ${unknown.length === 1 ? 'migration' : 'migrations'} ${unknown.join(', ')}. Nothing was changed. Restore it with that version or a newer one.`,
    )
  if (options.databaseUrl === undefined) await requireEmptyFolder(options.dataDir, source, manifest)
  const restoreInto = async (connectionString: string) => {
    await requireEmptyDatabase(connectionString, manifest, options.patience)
    const files = await restoreFiles(options, source, manifest)
    return { files, rows: await restoreDatabase(connectionString, source, manifest, options) }
  }
  const { databaseUrl, dataDir, log } = options
  const server = databaseUrl === undefined ? await startEmbedded({ dataDir, log }) : undefined
  const restored = await restoreInto(server?.connectionString ?? (databaseUrl as string)).finally(() =>
    server?.stop(),
  )
  return { manifest, ...restored, missingKeys: await missingKeys(options, manifest) }
}

/** Empty but for what an interrupted restore of this backup left. */
async function requireEmptyFolder(dataDir: string, source: string, { contents }: Manifest): Promise<void> {
  const keys = await readFile(keyFilePath(dataDir), 'utf8').catch(unlessMissing)
  if (keys !== undefined && contents[SECRET_KEYS_FILE] !== undefined)
    if (!(await readFile(join(source, SECRET_KEYS_FILE), 'utf8')).startsWith(keys))
      // A killed restore may have left some of them.
      throw notEmpty(`the data folder ${dataDir} has secret keys of its own`)
  const found =
    (await readdir(join(dataDir, 'files'), { recursive: true, withFileTypes: true }).catch(unlessMissing)) ??
    []
  const stranger = found.find(
    (entry) =>
      entry.isFile() && contents[join(entry.parentPath, entry.name).slice(dataDir.length + 1)] === undefined,
  )
  if (stranger !== undefined) throw notEmpty(`the data folder ${dataDir} has files of its own`)
}

async function restoreFiles(
  { dataDir, databaseUrl }: RestoreOptions,
  source: string,
  { contents }: Manifest,
): Promise<number> {
  let files = 0
  for (const path of Object.keys(contents)) {
    if (path === DATABASE_FILE || (path === SECRET_KEYS_FILE && databaseUrl !== undefined)) continue
    await mkdir(dirname(join(dataDir, path)), { recursive: true, mode: 0o700 })
    await copyFile(join(source, path), join(dataDir, path))
    if (path !== SECRET_KEYS_FILE) files += 1
  }
  return files
}

async function restoreDatabase(
  connectionString: string,
  source: string,
  manifest: Manifest,
  { log, patience, migrations: folder = migrationsFolder }: RestoreOptions,
): Promise<number> {
  await migrate({ connectionString, log, folder, only: new Set(manifest.migrations) })
  const rows = await loadDump(connectionString, linesOf(join(source, DATABASE_FILE)), patience).catch(
    (cause: Error) => {
      if (cause instanceof GalleyError) throw cause
      const failure = databaseFailure(cause)
      const isDumps = failure === undefined || isDataError(cause)
      throw isDumps ? backupUnusable(source, cause.message, cause) : cause
    },
  )
  await migrate({ connectionString, log, folder })
  return rows
}

const linesOf = (file: string): AsyncGenerator<string> =>
  splitLines(pipeline(createReadStream(file), createGunzip().setEncoding('utf8'), () => undefined))

/** Tables without rows at most, and a schema that is not newer than the one of the backup. */
async function requireEmptyDatabase(
  connectionString: string,
  { migrations }: Manifest,
  patience?: SessionTimeouts,
): Promise<void> {
  const client = await openBackupSession(connectionString, 'galley, restore', patience)
  try {
    const tables = await listTables(client)
    for (const { name } of tables) {
      const { rowCount } = await client.query(`SELECT FROM "${name}" LIMIT 1`)
      if ((rowCount ?? 0) > 0) throw notEmpty(`the table ${name} of the database has rows`)
    }
    if ((await appliedMigrations(client)).some((name) => !migrations.includes(name)))
      throw notEmpty('the database has a newer schema already')
  } finally {
    await client.end()
  }
}

/** Keys that secrets in it need and that are not there now. */
async function missingKeys({ dataDir, secretKeys }: RestoreOptions, { keys }: Manifest): Promise<string[]> {
  const text = secretKeys ?? (await readFile(keyFilePath(dataDir), 'utf8').catch(unlessMissing)) ?? ''
  const ids = text.split(',').map((entry) => entry.trim().split(':')[0])
  return keys.filter((id) => !ids.includes(id))
}

const notEmpty = (why: string): GalleyError =>
  operatorError(
    'restore_not_empty',
    `Nothing was restored, since ${why}, and a restore replaces nothing. Name an empty folder with GALLEY_DATA_DIR, or an empty database with DATABASE_URL.`,
  )

/** Splits pieces into lines, scanning each once: a row may be 20 MB. Drops an unterminated last line. */
export async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let begun: string[] = []
  for await (const piece of pieces) {
    const [first = '', ...more] = piece.split('\n')
    begun.push(first)
    if (more.length === 0) continue
    yield begun.join('')
    begun = [more.pop() ?? '']
    yield* more
  }
}
