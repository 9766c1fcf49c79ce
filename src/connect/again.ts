import type { Prisma } from '../database/generated/client.ts'
import type { Keyring } from '../secrets/index.ts'
import { refuseDuplicate } from '../sites/duplicate.ts'
import { connectionColumns, type SiteToStore } from '../sites/register.ts'
import { siteUnknown } from '../sites/registry.ts'
import { gatherSettings } from '../sites/schema.ts'
import { mergeSettings, type SiteSettingsPatch } from '../sites/settings.ts'

/**
 * Gives a connected site the credentials of a link's answer, and what else the link asks of it; what it does not name
 * stays. Its report was about another connection, and is none of this one.
 *
 * @throws GalleyError 409 `SITE_CONNECTED_ALREADY` where another site of the account has this address and user
 */
export async function connectAgain(
  transaction: Prisma.TransactionClient,
  keyring: Keyring,
  { accountId, id, verified, authorId, ...requested }: SiteToStore,
): Promise<void> {
  // The owner of the site reads this, and so does any key that sees the link.
  await refuseDuplicate(transaction, { accountId, siteIds: [] }, verified.connection, id)
  const [stored] = await transaction.$queryRaw<{ settings: SiteSettingsPatch }[]>`
    SELECT settings FROM site WHERE account_id = ${accountId}::uuid AND id = ${id}::uuid FOR UPDATE`
  if (stored === undefined) throw siteUnknown({ accountId, id })
  const patch = gatherSettings(requested)
  await transaction.site.update({
    where: { accountId_id: { accountId, id } },
    data: {
      ...connectionColumns(keyring, { accountId, id }, verified),
      ...(requested.name !== undefined && { name: requested.name }),
      ...(requested.labels.length > 0 && { labels: requested.labels }),
      ...(patch.author !== undefined && { authorId }),
      settings: mergeSettings(stored.settings, patch),
      reportAt: null,
    },
  })
}
