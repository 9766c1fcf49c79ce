import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { access, chmod, copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { hasErrnoCode } from '../../errors.ts'
import { syncFolder, unlessMissing } from '../../lib/files.ts'

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

/** Removes a folder and the data it points to. No server may run on them. */
export async function removeCluster(folder: string): Promise<void> {
  const location = join(folder, 'location')
  if (await exists(location)) await rm(await readFile(location, 'utf8'), { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
}

/** Builds a folder and renames it when complete: of concurrent builders one wins. Removes what was left. */
export async function buildFolderOnce(folder: string, build: (unfinished: string) => Promise<void>) {
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

/** The process of `postmaster.pid`, which a killed server leaves behind. */
export async function recordedServerPid(data: string): Promise<number | undefined> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(unlessMissing)
  return Number.parseInt(text ?? '', 10) || undefined
}

/** The process of the server running on these data, if any. After a reboot the recorded id may be anybody's. */
export async function runningServerPid(data: string): Promise<number | undefined> {
  const recorded = await recordedServerPid(data)
  return recorded !== undefined && (await isServerOf(recorded, data)) ? recorded : undefined
}

/** Whether this process serves these data; a zombie does not. */
export async function isServerOf(pid: number, data: string): Promise<boolean> {
  return isAlive(pid) && (await commandLine(pid)).includes(data)
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasErrnoCode(error, 'EPERM')
  }
}

async function commandLine(pid: number): Promise<string> {
  try {
    if (process.platform === 'linux') return await readFile(`/proc/${pid}/cmdline`, 'utf8')
    return (await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout
  } catch (error) {
    if (hasErrnoCode(error, 'ENOENT', 'ESRCH', '1')) return ''
    throw error
  }
}
