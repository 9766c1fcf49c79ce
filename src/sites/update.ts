import { discover } from '../wordpress/discover/index.ts'
import { connectionOf, nameInMessages, passwordIdentity } from './connection.ts'
import { asRefusal, proveCredentials } from './prove.ts'
import { type SiteId, type SiteRegistry, siteRow, siteUnknown } from './registry.ts'
import { gatherSettings, type SitePatch, type SiteView } from './schema.ts'
import { siteView } from './view.ts'

/**
 * Changes a site. A new address or new credentials are proved before anything is stored.
 *
 * @returns `reconnected` where they were, so that what waits for the site may go on
 * @throws GalleyError 404; 422 with the code and sentence of what the site answered
 */
export async function updateSite(
  registry: SiteRegistry,
  site: SiteId,
  wish: SitePatch,
): Promise<{ site: SiteView; reconnected: boolean }> {
  const { prisma } = registry
  const connection = await reconnect(registry, site, wish)
  const settings = JSON.stringify(gatherSettings(wish))
  const [, [row]] = await prisma.$transaction([
    // Merged by the database, so that two changes at once both stay.
    prisma.$executeRaw`UPDATE site SET settings = settings || ${settings}::jsonb
      WHERE id = ${site.id}::uuid AND account_id = ${site.accountId}::uuid`,
    prisma.site.updateManyAndReturn({
      where: site,
      data: { name: wish.name, labels: wish.labels, ...connection },
    }),
  ])
  if (row === undefined) throw siteUnknown(site)
  return { site: siteView(row), reconnected: connection !== undefined }
}

/** The columns of a new connection, proved; undefined where the request changes none of it. */
async function reconnect({ prisma, keyring, outbound }: SiteRegistry, site: SiteId, wish: SitePatch) {
  const row = await siteRow({ prisma }, site)
  const { url: typed, username, application_password: password } = wish
  if (typed === undefined && username === undefined && password === undefined) return undefined
  const known = connectionOf(keyring, row)
  const found = typed === undefined ? undefined : await asRefusal(() => discover(outbound, typed))
  const url = found?.home.replace(/\/+$/, '') ?? row.url
  const wanted = {
    name: nameInMessages(url),
    restRoot: found?.restRoot ?? known.restRoot,
    username: username ?? known.username,
    applicationPassword: password ?? known.applicationPassword,
  }
  const { passwordUuid } = await proveCredentials(wanted, outbound)
  const applicationPassword = keyring.encrypt(wanted.applicationPassword, passwordIdentity(site.id))
  return { url, restRoot: wanted.restRoot, username: wanted.username, applicationPassword, passwordUuid }
}
