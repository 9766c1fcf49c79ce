import type { Source } from '../database/generated/client.ts'
import type { Queryable } from '../database/transaction.ts'
import type { Keyring, StoredSecret } from '../secrets/index.ts'
import { signingSecretIdentity } from './lookup.ts'
import { upstreamApiKeyIdentity } from './secrets.ts'

/** The signing secrets and upstream keys of all sources, of every account, as they are stored. */
export async function sourceSecrets(database: Queryable, keyring: Keyring): Promise<StoredSecret[]> {
  const { rows } = await database.query<
    Pick<Source, 'id' | 'signingSecret' | 'upstreamBaseUrl' | 'upstreamApiKey'>
  >(
    `SELECT id, signing_secret AS "signingSecret", upstream_base_url AS "upstreamBaseUrl",
       upstream_api_key AS "upstreamApiKey"
     FROM source WHERE signing_secret IS NOT NULL OR upstream_api_key IS NOT NULL`,
  )
  return rows.flatMap(({ id, signingSecret, upstreamBaseUrl, upstreamApiKey }) => [
    ...stored(keyring, signingSecret, signingSecretIdentity(id)),
    ...stored(keyring, upstreamApiKey, upstreamApiKeyIdentity(id), originOf(upstreamBaseUrl)),
  ])
}

const originOf = (address: string | null): string | undefined =>
  address === null ? undefined : new URL(address).origin

const stored = (
  keyring: Keyring,
  sealed: string | null,
  identity: string,
  origin?: string,
): StoredSecret[] =>
  sealed === null ? [] : [{ sealed, of: 'sources', read: () => keyring.decrypt(sealed, identity, origin) }]
