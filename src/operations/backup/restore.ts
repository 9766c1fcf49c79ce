import { createReadStream } from 'node:fs'
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type DatabasePlace, migrate, startEmbedded } from '../../database/index.ts'
import { migrationNames, migrationsFolder } from '../../database/migrations.ts'
import { databaseFailure, refusesData } from '../../database/sqlstates.ts'
import { hasCode } from '../../errno.ts'
import { GalleyError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { keyFile } from '../../secrets/key-file.ts'
import { VERSION } from '../../version.ts'
import { sayingWhatIsLeft } from '../interrupted.ts'
import { linesIn } from './lines.ts'
import { load } from './load.ts'
import { DATABASE, type Manifest, readBackup, SECRET_KEYS, unusable } from './manifest.ts'
import { openSession, type Patience } from './session.ts'
import { migrationsOf, tablesOf } from './tables.ts'

export interface RestoreOptions extends DatabasePlace {
  /** `GALLEY_SECRET_KEYS` */
  secretKeys: string | undefined
  /** The folder of the backup. */
  source: string
  log: Logger
  patience?: Patience
  /** A folder of Prisma migrations; Galley's own unless given. */
  migrations?: string
}

/** What was restored. */
export interface Restored {
  manifest: Manifest
  rows: number
  files: number
  /** Keys that secrets in it need and that are not there now. */
  missingKeys: string[]
}

/**
 * Restores a backup into a data folder, or a database, that holds nothing. It is checked as a whole before anything is
 * written, and the database gets all of it or nothing. One of an older Galley is brought up to this one.
 *
 * @throws GalleyError `backup_missing`, `backup_unusable`, `backup_newer`, `restore_not_empty`, and as startEmbedded, migrate and sayingWhatIsLeft do
 */
export const restore = (options: RestoreOptions): Promise<Restored> =>
  sayingWhatIsLeft(LEFT, () => putBack(options))

const LEFT =
  'The backup is as it was. Run this again, before Galley is started; where that says that the database has rows, all of it has been restored.'

async function putBack(options: RestoreOptions): Promise<Restored> {
  const source = resolve(options.source)
  const manifest = await readBackup(source)
  const known = await migrationNames(options.migrations ?? migrationsFolder)
  const unknown = manifest.migrations.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw newer(source, manifest.version, unknown)
  if (options.databaseUrl === undefined) await requireEmptyFolder(options.dataDir, source, manifest)
  const restoreInto = async (connectionString: string) => {
    await requireEmptyDatabase(connectionString, manifest, options.patience)
    const files = await restoreFiles(options, source, manifest)
    return { files, rows: await restoreDatabase(connectionString, source, manifest, options) }
  }
  const restored =
    options.databaseUrl === undefined
      ? await withOwnServer(options, restoreInto)
      : await restoreInto(options.databaseUrl)
  return { manifest, ...restored, missingKeys: await missingKeys(options, manifest) }
}

async function withOwnServer<Result>(
  { dataDir, log }: RestoreOptions,
  work: (connectionString: string) => Promise<Result>,
): Promise<Result> {
  const server = await startEmbedded({ dataDir, log })
  return work(server.connectionString).finally(() => server.stop())
}

/** Nothing but what an earlier try, cut off, may have left of this same backup. */
async function requireEmptyFolder(dataDir: string, source: string, { contents }: Manifest): Promise<void> {
  const keys = await readFile(keyFile(dataDir), 'utf8').catch(unlessMissing)
  if (keys !== undefined && contents[SECRET_KEYS] !== undefined)
    if (!(await readFile(join(source, SECRET_KEYS), 'utf8')).startsWith(keys))
      // One that was killed may have left a part of them.
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
    if (path === DATABASE || (path === SECRET_KEYS && databaseUrl !== undefined)) continue
    await mkdir(dirname(join(dataDir, path)), { recursive: true, mode: 0o700 })
    await copyFile(join(source, path), join(dataDir, path))
    if (path !== SECRET_KEYS) files += 1
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
  const rows = await load(connectionString, linesOf(join(source, DATABASE)), patience).catch(
    (cause: Error) => {
      if (cause instanceof GalleyError) throw cause
      const failure = databaseFailure(cause)
      const isDumps = failure === undefined || refusesData(cause)
      throw isDumps ? unusable(source, cause.message, cause) : cause
    },
  )
  await migrate({ connectionString, log, folder })
  return Object.values(rows).reduce((sum, count) => sum + count, 0)
}

const linesOf = (file: string): AsyncGenerator<string> =>
  linesIn(pipeline(createReadStream(file), createGunzip().setEncoding('utf8'), () => undefined))

/** A schema of no later version than that of the backup, without a row in it. */
async function requireEmptyDatabase(
  connectionString: string,
  { migrations }: Manifest,
  patience?: Patience,
): Promise<void> {
  const client = await openSession(connectionString, 'galley, restore', patience)
  try {
    const tables = await tablesOf(client)
    for (const { name } of tables) {
      const { rowCount } = await client.query(`SELECT FROM "${name}" LIMIT 1`)
      if ((rowCount ?? 0) > 0) throw notEmpty(`the table ${name} of the database has rows`)
    }
    const { rows } = await client.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`)
    const applied = rows[0].there ? await migrationsOf(client) : []
    if (applied.some((name) => !migrations.includes(name)))
      throw notEmpty('the database has a newer schema already')
  } finally {
    await client.end()
  }
}

async function missingKeys({ dataDir, secretKeys }: RestoreOptions, { keys }: Manifest): Promise<string[]> {
  const text = secretKeys ?? (await readFile(keyFile(dataDir), 'utf8').catch(unlessMissing)) ?? ''
  const ids = text.split(',').map((entry) => entry.trim().split(':')[0])
  return keys.filter((id) => !ids.includes(id))
}

function unlessMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error
}

const notEmpty = (why: string): GalleyError =>
  new GalleyError({
    code: 'restore_not_empty',
    action: 'owner',
    message: `Nothing was restored, since ${why}, and a restore replaces nothing. Name an empty folder with GALLEY_DATA_DIR, or an empty database with DATABASE_URL.`,
  })

const newer = (source: string, version: string, unknown: string[]): GalleyError =>
  new GalleyError({
    code: 'backup_newer',
    action: 'owner',
    message: `The backup ${source} was made by Galley ${version}, and this one, ${VERSION}, does not know its ${unknown.length === 1 ? 'migration' : 'migrations'} ${unknown.join(', ')}. Nothing was changed. Restore it with that version or a newer one.`,
  })
