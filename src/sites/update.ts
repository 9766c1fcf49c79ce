import type { Site } from '../database/generated/client.ts'
import { PATIENT, rowsIn } from '../database/transaction.ts'
import { withoutSlash } from '../text.ts'
import { createClient, withoutEcho } from '../wordpress/client/index.ts'
import { discover } from '../wordpress/discover/index.ts'
import type { FailureCode } from '../wordpress/failures/index.ts'
import type { SiteConnection } from '../wordpress/types.ts'
import { connectionOf, nameInMessages } from './connection.ts'
import { type Connecting, lockPlace, refuseDuplicate } from './duplicate.ts'
import { refuseLedAway, refuseOtherOrigin } from './origin.ts'
import { connectionColumns } from './register.ts'
import { type Resume, type SiteRegistry, siteChanged, siteRow, siteUnknown } from './registry.ts'
import { gatherSettings, type SitePatch, type SiteView } from './schema.ts'
import { mergeSettings, type SiteSettingsPatch } from './settings.ts'
import type { SiteId } from './site-id.ts'
import { validateSettings } from './validate-settings.ts'
import { asRefusal, verifyCredentials } from './verify-credentials.ts'
import { siteView } from './view.ts'

/**
 * Changes a site. A new address or new credentials are proved before anything is stored.
 *
 * @param registry with how what waits for the site goes on, where they were, or where a setting was what it waited for
 * @throws GalleyError 404; 422 with the code and sentence of what the site answered, `SETTINGS_UNFIT`, or
 *   `PASSWORD_NEEDED` where the stored password would go to another origin; 409 `SITE_CONNECTED_ALREADY`, or `SITE_CHANGED`
 *   where a part of the connection that was proved is not the site's any more
 */
export async function updateSite(
  registry: SiteRegistry & { resume: Resume },
  { accountId, siteIds, id }: SiteId & Connecting,
  requested: SitePatch,
): Promise<SiteView> {
  const { prisma } = registry
  const site = { accountId, id }
  const verified = await reconnect(registry, { site, siteIds }, requested)
  const { authorId } = await holdAgainstSite(registry, site, requested, verified?.connection)
  const row = await prisma.$transaction(async (transaction) => {
    if (verified !== undefined) {
      await lockPlace(transaction, site.accountId, verified.connection)
      await refuseDuplicate(transaction, { accountId, siteIds }, verified.connection, id)
    }
    // Held until the end of the transaction, so that two changes at once both stay.
    const [stored] = await transaction.$queryRaw<(Connected & Settled)[]>`
      SELECT settings, trouble ->> 'code' AS trouble, rest_root AS "restRoot", username, application_password AS "applicationPassword" FROM site WHERE id = ${site.id}::uuid AND account_id = ${site.accountId}::uuid FOR UPDATE`
    if (stored === undefined) throw siteUnknown(site)
    if (verified?.kept.some(([column, value]) => stored[column] !== value)) throw siteChanged(site)
    const patch = gatherSettings(requested)
    const settings = mergeSettings(stored.settings, patch)
    const mended = stored.trouble === SETTING_REFUSED && Object.keys(patch).length > 0
    const connection = verified && {
      ...connectionColumns(registry.keyring, site, verified),
      // The report was about another connection; what gets worse since is a regression all the same.
      reportAt: null,
    }
    const data = { name: requested.name, labels: requested.labels, settings, authorId, ...connection }
    await transaction.site.update({ where: { accountId_id: site }, data })
    if (verified !== undefined || mended) await registry.resume(rowsIn(transaction), site)
    return transaction.site.findUniqueOrThrow({ where: { accountId_id: site } })
  }, PATIENT)
  return siteView(row)
}

/** Of what the site waits for that has no such author or language any more: another one is what it waits for. */
const SETTING_REFUSED = 'setting_refused' satisfies FailureCode

interface Settled {
  settings: SiteSettingsPatch
  /** Its code; null where there is none. */
  trouble: string | null
}

/** The columns of a site's connection. */
type Connected = Pick<Site, 'restRoot' | 'username' | 'applicationPassword'>

/**
 * A new connection, proved, and which columns of the stored one it keeps; undefined where the request changes none of it. What would send the stored password
 * elsewhere is refused first.
 */
async function reconnect(
  { prisma, keyring, outbound }: SiteRegistry,
  { site, siteIds }: { site: SiteId; siteIds: string[] | null },
  requested: SitePatch,
) {
  const row = await siteRow({ prisma }, site)
  const { url: typed, username, application_password: password } = requested
  if (typed === undefined && username === undefined && password === undefined) return undefined
  if (typed !== undefined && password === undefined)
    await asRefusal(async () => refuseOtherOrigin(row.restRoot, { typed }))
  // A stored password that cannot be read any more must not stand in the way of a new one.
  const applicationPassword = password ?? connectionOf(keyring, row).applicationPassword
  const credentials = { username: username ?? row.username, applicationPassword }
  const guarded = withoutEcho(outbound, credentials)
  // The stored one is for the origin that it was given for, and looks for nothing.
  const own = password === undefined ? undefined : credentials
  const found = typed === undefined ? undefined : await asRefusal(() => discover(guarded, typed, own))
  const restRoot = found?.restRoot ?? row.restRoot
  if (password === undefined) refuseOtherOrigin(row.restRoot, { found: restRoot })
  else if (typed !== undefined) refuseLedAway(typed, restRoot)
  const url = found === undefined ? row.url : withoutSlash(found.home)
  const connection = {
    name: nameInMessages(url),
    restRoot,
    username: username ?? row.username,
    applicationPassword,
  }
  await refuseDuplicate(prisma, { ...site, siteIds }, connection, site.id)
  const given = { restRoot: typed, username, applicationPassword: password }
  const kept = (Object.keys(given) as (keyof Connected)[])
    .filter((column) => given[column] === undefined)
    .map((column) => [column, row[column]] as const)
  return { url, connection, kept, ...(await verifyCredentials(connection, outbound)) }
}

/** The settings of a request that depend on what the site has, held against it; the others ask it nothing. */
export async function holdAgainstSite(
  { prisma, keyring, outbound }: SiteRegistry,
  site: SiteId,
  requested: SitePatch,
  verified: SiteConnection | undefined,
) {
  const patch = gatherSettings(requested)
  if (!ASKING.some((name) => patch[name] != null))
    return { authorId: patch.author === null ? null : undefined }
  const row = await siteRow({ prisma }, site)
  const client = createClient(verified ?? connectionOf(keyring, row), outbound)
  return validateSettings(client, patch, mergeSettings(row.settings as SiteSettingsPatch, patch))
}

const ASKING = ['post_type', 'author', 'language', 'default_categories', 'fallback_category'] as const
