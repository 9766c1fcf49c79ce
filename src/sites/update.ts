import { withoutSlash } from '../text.ts'
import { createClient } from '../wordpress/client/index.ts'
import { discover } from '../wordpress/discover/index.ts'
import type { SiteConnection } from '../wordpress/types.ts'
import { addressOf, connectionOf, nameInMessages, passwordIdentity } from './connection.ts'
import { fitSettings } from './fit.ts'
import { asRefusal, proveCredentials } from './prove.ts'
import { type SiteId, type SiteRegistry, siteRow, siteUnknown } from './registry.ts'
import { gatherSettings, type SitePatch, type SiteView } from './schema.ts'
import { mergeSettings, type SiteSettingsPatch } from './settings.ts'
import { siteView } from './view.ts'

/**
 * Changes a site. A new address or new credentials are proved before anything is stored.
 *
 * @returns `reconnected` where they were, so that what waits for the site may go on
 * @throws GalleyError 404; 422 with the code and sentence of what the site answered, or `SETTINGS_UNFIT`
 */
export async function updateSite(
  registry: SiteRegistry,
  site: SiteId,
  wish: SitePatch,
): Promise<{ site: SiteView; reconnected: boolean }> {
  const { prisma } = registry
  const connection = await reconnect(registry, site, wish)
  const { authorId } = await holdAgainstSite(registry, site, wish, connection?.proved)
  const row = await prisma.$transaction(async (transaction) => {
    // Held until the end of the transaction, so that two changes at once both stay.
    const [stored] = await transaction.$queryRaw<{ settings: SiteSettingsPatch }[]>`
      SELECT settings FROM site WHERE id = ${site.id}::uuid AND account_id = ${site.accountId}::uuid FOR UPDATE`
    if (stored === undefined) throw siteUnknown(site)
    const settings = mergeSettings(stored.settings, gatherSettings(wish))
    const data = { name: wish.name, labels: wish.labels, settings, authorId, ...connection?.columns }
    return transaction.site.update({ where: { accountId_id: site }, data })
  })
  return { site: siteView(row), reconnected: connection !== undefined }
}

/** The columns of a new connection, proved; undefined where the request changes none of it. */
async function reconnect({ prisma, keyring, outbound }: SiteRegistry, site: SiteId, wish: SitePatch) {
  const row = await siteRow({ prisma }, site)
  const { url: typed, username, application_password: password } = wish
  if (typed === undefined && username === undefined && password === undefined) return undefined
  const found = typed === undefined ? undefined : await asRefusal(() => discover(outbound, typed))
  const url = found === undefined ? addressOf(row) : withoutSlash(found.home)
  const wanted = {
    name: nameInMessages(url),
    restRoot: found?.restRoot ?? row.restRoot,
    username: username ?? row.username,
    // A stored password that cannot be read any more must not stand in the way of a new one.
    applicationPassword: password ?? connectionOf(keyring, row).applicationPassword,
  }
  const { passwordUuid } = await proveCredentials(wanted, outbound)
  const applicationPassword = keyring.encrypt(wanted.applicationPassword, passwordIdentity(site))
  const columns = {
    url,
    restRoot: wanted.restRoot,
    username: wanted.username,
    applicationPassword,
    passwordUuid,
  }
  return { columns, proved: wanted }
}

/** The settings of a request that depend on what the site has, held against it; the others ask it nothing. */
async function holdAgainstSite(
  { prisma, keyring, outbound }: SiteRegistry,
  site: SiteId,
  wish: SitePatch,
  proved: SiteConnection | undefined,
) {
  const patch = gatherSettings(wish)
  if (!ASKING.some((name) => patch[name] != null))
    return { authorId: patch.author === null ? null : undefined }
  const row = await siteRow({ prisma }, site)
  const client = createClient(proved ?? connectionOf(keyring, row), outbound)
  return fitSettings(client, patch, mergeSettings(row.settings as SiteSettingsPatch, patch))
}

const ASKING = ['post_type', 'author', 'default_categories', 'fallback_category'] as const
