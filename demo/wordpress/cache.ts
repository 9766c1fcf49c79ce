import { access, constants, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GalleyError } from '../../src/errors.ts'
import { addMountPoints } from './mount-points.ts'
import { versionOf } from './version.ts'

const clone = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Where WordPress's files are kept between runs: `.cache/wordpress` of this clone or, where the clone may not
 * be written to, a folder of this user's own among the temporary files.
 */
export async function defaultCacheDir(): Promise<string> {
  const inClone = join(clone, '.cache', 'wordpress')
  if (await isWritable(clone)) return inClone
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

/** The newest WordPress kept in `cacheDir`, or undefined where there is none. */
export async function cachedTree(cacheDir: string): Promise<string | undefined> {
  await mkdir(cacheDir, { recursive: true })
  const versions = (await readdir(cacheDir)).filter((name) => /^\d/.test(name))
  const newest = versions.sort((a, b) => b.localeCompare(a, undefined, { numeric: true }))[0]
  return newest && join(cacheDir, newest)
}

/**
 * Lets `fill` lay a WordPress out in an empty folder and keeps it under its version. It appears there complete
 * or not at all, so that runs side by side never see half a WordPress.
 */
export async function keepTree(cacheDir: string, fill: (work: string) => Promise<string>): Promise<string> {
  const work = await mkdtemp(join(cacheDir, '.partial-'))
  try {
    const tree = await fill(work)
    const kept = join(cacheDir, await versionOf(tree))
    await addMountPoints(tree)
    await rename(tree, kept).catch((error: NodeJS.ErrnoException) => {
      // another run was first; what it kept is the same
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
    return kept
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
}
