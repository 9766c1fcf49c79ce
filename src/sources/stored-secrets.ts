import type { PrismaClient } from '../database/index.ts'
import type { Keyring, StoredSecret } from '../secrets/index.ts'
import { signingSecretIdentity } from './lookup.ts'
import { upstreamApiKeyIdentity } from './secrets.ts'

/** The signing secrets and upstream keys of all sources, of every account, as they are stored. */
export async function sourceSecrets(prisma: PrismaClient, keyring: Keyring): Promise<StoredSecret[]> {
  const rows = await prisma.source.findMany({
    where: { OR: [{ signingSecret: { not: null } }, { upstreamApiKey: { not: null } }] },
  })
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
