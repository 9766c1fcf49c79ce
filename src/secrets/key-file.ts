import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chown, link, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../errno.ts'
import { createKey, parseKeys, type SecretKey } from './keys.ts'

type Keys = readonly [SecretKey, ...SecretKey[]]

/** Where a Galley with a database of its own keeps its secret keys. */
export const keyFile = (dataDir: string): string => join(dataDir, 'secret-keys')

/** The text of the file, which is made at the first start. */
export async function keysInFolder(dataDir: string): Promise<string> {
  const file = keyFile(dataDir)
  return (await read(file)) ?? (await make(file, dataDir))
}

/** The keys of the file as they are now; `before` where there is none to be read, which a start would say. */
export function keysNow(file: string, before: Keys): Keys {
  try {
    return parseKeys(readFileSync(file, 'utf8'), file)
  } catch {
    return before
  }
}

/** Writes a new key before those of the file: a process that runs encrypts with it from its next secret on. */
export async function addKey(file: string): Promise<string> {
  const added = createKey()
  await replace(file, [added, ...entriesOf(await readFile(file, 'utf8'))])
  return added.slice(0, added.indexOf(':'))
}

/** Takes a key out of the file. */
export async function removeKey(file: string, id: string): Promise<void> {
  const entries = entriesOf(await readFile(file, 'utf8'))
  await replace(
    file,
    entries.filter((entry) => !entry.startsWith(`${id}:`)),
  )
}

const entriesOf = (text: string): string[] => text.split(',').map((entry) => entry.trim())

/** The file is the old one or the new one, whole, whenever the power goes. Its owner stays. */
async function replace(file: string, entries: readonly string[]): Promise<void> {
  const { uid, gid } = await stat(file)
  const unfinished = unfinishedName(file)
  try {
    await writeFile(unfinished, `${entries.join(',')}\n`, { mode: 0o600, flush: true })
    if (process.getuid?.() === 0) await chown(unfinished, uid, gid)
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
  await syncFolderOf(file)
}

async function syncFolderOf(file: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(join(file, '..'), 'r')
  await folder.sync().finally(() => folder.close())
}

const unfinishedName = (file: string): string => `${file}.${randomBytes(4).toString('hex')}`

/** A file that appears whole or not at all, and never replaces one that is there. */
async function make(file: string, dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const unfinished = unfinishedName(file)
  try {
    await writeFile(unfinished, `${createKey()}\n`, { mode: 0o600, flush: true })
    await link(unfinished, file)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await rm(unfinished, { force: true })
  }
  return await readFile(file, 'utf8')
}

async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}
