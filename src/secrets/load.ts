import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../errno.ts'
import { GalleyError } from '../errors.ts'
import { type Keyring, openKeyring } from './keyring.ts'
import { createKey, parseKeys } from './keys.ts'

export interface KeyringSettings {
  /** `GALLEY_SECRET_KEYS` */
  secretKeys: string | undefined
  /** `DATABASE_URL` */
  databaseUrl: string | undefined
  /** `GALLEY_DATA_DIR` */
  dataDir: string
}

/**
 * The keyring that the settings give, or the one in the data folder, made at the first start. With a database of
 * one's own it must be given: other processes may share that database, and could not read what this one encrypts.
 *
 * @throws GalleyError `secret_keys_invalid`, `secret_keys_required`
 */
export async function loadKeyring({ secretKeys, databaseUrl, dataDir }: KeyringSettings): Promise<Keyring> {
  if (secretKeys !== undefined) return openKeyring(parseKeys(secretKeys, 'GALLEY_SECRET_KEYS'))
  if (databaseUrl !== undefined) throw required()
  const file = join(dataDir, 'secret-keys')
  return openKeyring(parseKeys((await read(file)) ?? (await make(file, dataDir)), file))
}

/** A file that appears whole or not at all, and never replaces one that is there. */
async function make(file: string, dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const unfinished = `${file}.${randomBytes(4).toString('hex')}`
  await writeFile(unfinished, `${createKey()}\n`, { mode: 0o600, flush: true })
  try {
    await link(unfinished, file)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await rm(unfinished)
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

const required = () =>
  new GalleyError({
    code: 'secret_keys_required',
    message:
      'With a database of your own (DATABASE_URL), set GALLEY_SECRET_KEYS too, alike for every process on that ' +
      'database: it encrypts the passwords of sites. Create one with: echo "$(date +%F):$(openssl rand -base64 32)"',
    action: 'owner',
  })
