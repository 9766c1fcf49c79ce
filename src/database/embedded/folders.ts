import { randomBytes } from 'node:crypto'
import { access, chmod, copyFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { hasErrnoCode } from '../../errors.ts'
import { isAlive } from './postmaster.ts'

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: unknown) => {
      if (hasErrnoCode(error, 'ENOENT', 'ENOTDIR')) return false
      throw error
    },
  )
}

/** Creates a folder and its parents with exactly this mode, whatever the umask. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true })
  await chmod(path, mode)
}

/** Copies a folder readable by everybody, whatever the original modes and the umask. */
export async function copyReadable(from: string, to: string): Promise<void> {
  await makeFolder(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyReadable(source, target)
    if (entry.isFile()) {
      await copyFile(source, target)
      await chmod(target, 0o755)
    }
  }
}

/** Makes changes in a folder survive a power cut; Windows has no such call. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Removes a folder and the data it points to. No server may run on them. */
export async function removeCluster(folder: string): Promise<void> {
  const location = join(folder, 'location')
  if (await exists(location)) await rm(await readFile(location, 'utf8'), { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
}

/**
 * Builds a folder under a temporary name and renames it when complete, so that one of several
 * concurrent builders wins. Removes what killed processes left.
 */
export async function buildFolderOnce(
  folder: string,
  build: (unfinished: string) => Promise<void>,
): Promise<void> {
  await removeAbandoned(folder)
  if (await exists(folder)) return
  const unfinished = `${folder}.new-${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await build(unfinished)
    await rename(unfinished, folder)
    await syncFolder(dirname(folder))
  } catch (error) {
    await removeCluster(unfinished)
    // Another process was first; its result is as good.
    if (!hasErrnoCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.new-`
  for (const name of await readdir(dirname(folder))) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : process.pid
    if (!isAlive(pid)) await removeCluster(`${dirname(folder)}/${name}`)
  }
}
