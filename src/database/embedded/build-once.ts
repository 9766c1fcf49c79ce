import { randomBytes } from 'node:crypto'
import { readdir, rename } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { hasCode } from '../../errno.ts'
import { exists, syncFolder } from './files.ts'
import { isAlive } from './postmaster.ts'
import { removeCluster } from './remove.ts'

/**
 * Makes a folder under another name, and gives it its own when it is complete: it is there whole or not at all, and
 * of several that begin at the same instant one wins. What killed processes left unfinished is removed.
 */
export async function buildOnce(folder: string, build: (unfinished: string) => Promise<void>): Promise<void> {
  await removeAbandoned(folder)
  if (await exists(folder)) return
  const unfinished = `${folder}.new-${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await build(unfinished)
    await rename(unfinished, folder)
    await syncFolder(dirname(folder))
  } catch (error) {
    await removeCluster(unfinished)
    // Another process was first, and what it made is as good.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.new-`
  for (const name of await readdir(dirname(folder))) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : process.pid
    if (!isAlive(pid)) await removeCluster(`${dirname(folder)}/${name}`)
  }
}
