import { GalleyError } from '../errors.ts'
import { keyFile, keysInFolder, keysNow } from './key-file.ts'
import { type Keyring, openKeyring } from './keyring.ts'
import { parseKeys } from './keys.ts'

export interface KeyringSettings {
  /** `GALLEY_SECRET_KEYS` */
  secretKeys: string | undefined
  /** `DATABASE_URL` */
  databaseUrl: string | undefined
  /** `GALLEY_DATA_DIR` */
  dataDir: string
}

/**
 * The keyring that the settings give, or the one in the data folder, made at the first start and followed while it
 * changes. With a database of one's own it must be given: other processes may share that database, and could not read
 * what this one encrypts.
 *
 * @throws GalleyError `secret_keys_invalid`, `secret_keys_required`
 */
export async function loadKeyring({ secretKeys, databaseUrl, dataDir }: KeyringSettings): Promise<Keyring> {
  if (secretKeys !== undefined) return openKeyring(parseKeys(secretKeys, 'GALLEY_SECRET_KEYS'))
  if (databaseUrl !== undefined) throw required()
  const file = keyFile(dataDir)
  const keys = parseKeys(await keysInFolder(dataDir), file)
  return openKeyring(keys, () => keysNow(file, keys))
}

const required = () =>
  new GalleyError({
    code: 'secret_keys_required',
    message:
      'With a database of your own (DATABASE_URL), set GALLEY_SECRET_KEYS too, alike for every process on that ' +
      'database: it encrypts the passwords of sites. Create one with: echo "$(date +%F):$(openssl rand -base64 32)"',
    action: 'owner',
  })
