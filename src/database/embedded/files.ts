import { access, chmod, copyFile, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../errno.ts'

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false
      throw error
    },
  )
}

/** Makes a folder, and its parents; with exactly this mode, whatever the umask. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true })
  await chmod(path, mode)
}

/** Copies a folder so that everybody may read it, whatever the modes of the original and the umask. */
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

/** Makes what was created or renamed in a folder survive a power cut; Windows offers no such call. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
