// WordPress's files: fetched once, kept in a cache folder, served by many runs at once.
import {
  access,
  constants,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GalleyError } from '../../src/errors.ts'
import { type Log, waitingFor } from '../output.ts'
import { type Source, sources } from './sources.ts'

const clone = fileURLToPath(new URL('../..', import.meta.url))

/** What every run mounts over the cached tree, which itself is never written to. */
export const mountPoints = {
  config: 'wp-config.php',
  plugins: 'wp-content/mu-plugins',
  database: 'wp-content/database',
  uploads: 'wp-content/uploads',
} as const

/**
 * The newest cached tree of WordPress, or a new one from the first source that has it.
 *
 * @returns the folder that holds `wp-load.php`
 * @throws GalleyError `wordpress_unavailable`; `log` has a line for each source before
 */
export async function findTree(cacheDir: string, log: Log, from: Source[] = sources): Promise<string> {
  const cached = await cachedTree(cacheDir)
  if (cached) return cached
  const reasons: string[] = []
  for (const { name, unpack } of from) {
    try {
      return await waitingFor(`Fetching WordPress from ${name}`, log, cacheTree(cacheDir, unpack))
    } catch (error) {
      const reason = `No WordPress from ${name}: ${(error as Error).message}`
      log(reason)
      reasons.push(reason)
    }
  }
  throw new GalleyError({
    code: 'wordpress_unavailable',
    message:
      'None of the sources above has a WordPress for this machine. Unpack one yourself, so that ' +
      `${cacheDir}/VERSION/wp-load.php exists, or use a running one.`,
    details: reasons,
  })
}

/**
 * Where WordPress's files are cached: `.cache/wordpress` of this clone, or a folder of this user among the temporary
 * files where the clone is read-only.
 */
export async function defaultCacheDir(): Promise<string> {
  if (await isWritable(clone)) return join(clone, '.cache', 'wordpress')
  const own = join(tmpdir(), `galley-wordpress-${process.getuid?.() ?? 'cache'}`)
  await mkdir(own, { recursive: true, mode: 0o700 })
  // the name can be guessed, so that somebody else may have made it first and put their own PHP inside
  if (process.getuid && (await stat(own)).uid !== process.getuid()) {
    throw new GalleyError({
      code: 'wordpress_cache_not_ours',
      message: `${own} belongs to another user, so that WordPress's files cannot be kept there. Remove it, or make ${clone} writable.`,
    })
  }
  return own
}

/** The newest WordPress in `cacheDir`. */
export async function cachedTree(cacheDir: string): Promise<string | undefined> {
  await mkdir(cacheDir, { recursive: true })
  const versions = (await readdir(cacheDir)).filter((name) => /^\d/.test(name))
  const newest = versions.sort((a, b) => b.localeCompare(a, undefined, { numeric: true }))[0]
  return newest && join(cacheDir, newest)
}

/**
 * Caches what `unpack` lays out in an empty folder under its version. It appears there complete or not at all, so that
 * a run at the same time never sees half a WordPress.
 */
export async function cacheTree(cacheDir: string, unpack: Source['unpack']): Promise<string> {
  const work = await mkdtemp(join(cacheDir, '.partial-'))
  try {
    const tree = await unpack(work)
    const cached = join(cacheDir, await versionOf(tree))
    const { config, ...folders } = mountPoints
    for (const folder of Object.values(folders)) await mkdir(join(tree, folder), { recursive: true })
    await writeFile(join(tree, config), '')
    await rename(tree, cached).catch((error: NodeJS.ErrnoException) => {
      // another run was first with the same files
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
    return cached
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** The version of the WordPress in `tree`, such as `7.1.4`. */
export async function versionOf(tree: string): Promise<string> {
  const source = await readFile(join(tree, 'wp-includes', 'version.php'), 'utf8')
  const version = /^\s*\$wp_version = '([^']+)';/m.exec(source)?.[1]
  if (!version) throw new Error(`${tree}/wp-includes/version.php names no version`)
  return version
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
}
