import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chown, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasErrnoCode, operatorError } from '../errors.ts'
import { syncFolder, unlessMissing } from '../lib/files.ts'
import { generateSecretKey, type KeyList, type Keyring, openKeyring, parseSecretKeys } from './keyring.ts'

export const keyFilePath = (dataDir: string): string => join(dataDir, 'secret-keys')

/** The text of the file, which is made at the first start. */
export async function readOrCreateKeyFile(dataDir: string): Promise<string> {
  const file = keyFilePath(dataDir)
  return (await readFile(file, 'utf8').catch(unlessMissing)) ?? (await createKeyFile(file, dataDir))
}

/** The file's current keys; `before` where it cannot be read, which a start reports. */
export function rereadKeys(file: string, before: KeyList): KeyList {
  try {
    return parseSecretKeys(readFileSync(file, 'utf8'), file)
  } catch {
    return before
  }
}

/** Puts a new key first: running processes encrypt with it from the next secret on. */
export async function addKeyToFile(file: string): Promise<string> {
  const added = generateSecretKey()
  await replaceKeyFile(file, [added, ...entriesOf(await readFile(file, 'utf8'))])
  return added.slice(0, added.indexOf(':'))
}

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
  secretKeys: string | undefined
  databaseUrl: string | undefined
  dataDir: string
}

/**
 * The keyring of the settings, or of the data folder, created at the first start and followed as it changes.
 * With an operator's database it must be given, since other processes may share that database.
 * @throws GalleyError `secret_keys_invalid`, `secret_keys_required`
 */
export async function loadKeyring({ secretKeys, databaseUrl, dataDir }: KeyringSettings): Promise<Keyring> {
  if (secretKeys !== undefined) return openKeyring(parseSecretKeys(secretKeys, 'GALLEY_SECRET_KEYS'))
  if (databaseUrl !== undefined)
    throw operatorError(
      'secret_keys_required',
      'With a database of your own (DATABASE_URL), set GALLEY_SECRET_KEYS too, alike for every process on that ' +
        'database: it encrypts the passwords of sites. Create one with: echo "$(date +%F):$(openssl rand -base64 32)"',
    )
  const file = keyFilePath(dataDir)
  const keys = parseSecretKeys(await readOrCreateKeyFile(dataDir), file)
  return openKeyring(keys, () => rereadKeys(file, keys))
}
