import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chown, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasErrnoCode } from '../errors.ts'
import { syncFolder, unlessMissing } from '../lib/files.ts'
import { generateSecretKey, type Keyring, openKeyring, parseSecretKeys } from './keyring.ts'

export const keyFilePath = (dataDir: string): string => join(dataDir, 'secret-keys')

/** The text of the file, which is made at the first start. */
async function readOrCreateKeyFile(dataDir: string): Promise<string> {
  const file = keyFilePath(dataDir)
  return (await readFile(file, 'utf8').catch(unlessMissing)) ?? (await createKeyFile(file, dataDir))
}

/** Puts a new key first: running processes encrypt with it from the next secret on. */
export const addKeyToFile = async (file: string): Promise<void> =>
  replaceKeyFile(file, [generateSecretKey(), ...entriesOf(await readFile(file, 'utf8'))])

export async function removeKeyFromFile(file: string, id: string): Promise<void> {
  const entries = entriesOf(await readFile(file, 'utf8'))
  await replaceKeyFile(
    file,
    entries.filter((entry) => !entry.startsWith(`${id}:`)),
  )
}

const entriesOf = (text: string): string[] => text.split(',').map((entry) => entry.trim())

/** Replaces the file atomically and durably; keeps its owner. */
async function replaceKeyFile(file: string, entries: readonly string[]): Promise<void> {
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
  await syncFolder(dirname(file))
}

const unfinishedName = (file: string): string => `${file}.${randomBytes(4).toString('hex')}`

/** Creates the file atomically; never replaces one. */
async function createKeyFile(file: string, dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const unfinished = unfinishedName(file)
  try {
    await writeFile(unfinished, `${generateSecretKey()}\n`, { mode: 0o600, flush: true })
    await link(unfinished, file)
  } catch (error) {
    if (!hasErrnoCode(error, 'EEXIST')) throw error
  } finally {
    await rm(unfinished, { force: true })
  }
  return await readFile(file, 'utf8')
}

export interface KeyringSettings {
  /** Required where the database is the operator's, which other processes may share (config.ts). */
  secretKeys: string | undefined
  dataDir: string
}

/**
 * The keyring of the settings, or of the data folder, created at the first start and followed as it changes.
 * @throws GalleyError `secret_keys_invalid`
 */
export async function loadKeyring({ secretKeys, dataDir }: KeyringSettings): Promise<Keyring> {
  if (secretKeys !== undefined) return openKeyring(parseSecretKeys(secretKeys, 'GALLEY_SECRET_KEYS'))
  const file = keyFilePath(dataDir)
  const keys = parseSecretKeys(await readOrCreateKeyFile(dataDir), file)
  return openKeyring(keys, () => {
    try {
      return parseSecretKeys(readFileSync(file, 'utf8'), file)
    } catch {
      // A start reports a file that cannot be read.
      return keys
    }
  })
}
