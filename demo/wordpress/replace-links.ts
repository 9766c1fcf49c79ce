import { cp, readdir, readlink, rm } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'

/**
 * Puts copies in the place of the symbolic links below `folder`, so that it can be moved and mounted alone.
 * @param root What `/` means to an absolute link. A link to something that is not there is removed: Debian's
 *   WordPress links to configuration and certificates of the machine, which are none of its files.
 */
export async function replaceLinks(folder: string, root: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isSymbolicLink()) continue
    const link = join(entry.parentPath, entry.name)
    const target = await readlink(link)
    await rm(link)
    const source = isAbsolute(target) ? join(root, target) : resolve(entry.parentPath, target)
    await cp(source, link, { recursive: true, dereference: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  }
}
