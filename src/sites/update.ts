import type { Site } from '../database/generated/client.ts'
import { execute } from '../database/statement.ts'
import { LONG_TRANSACTION, prismaRows, type Queryable } from '../database/transaction.ts'
import { conflict, refusal } from '../errors.ts'
import { withoutTrailingSlash } from '../lib/text.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { createClient } from '../wordpress/client/client.ts'
import { redactCredentials } from '../wordpress/client/redact.ts'
import { discover } from '../wordpress/discover/discover.ts'
import type { SiteConnection } from '../wordpress/types.ts'
import { connectionOf, nameInMessages, type SiteId } from './connection.ts'
import { SETTING_REFUSED } from './health/state.ts'
import type { SiteScope } from './list.ts'
import {
  connectionColumns,
  lockSiteUser,
  refuseDuplicate,
  refuseOtherOrigin,
  refuseRedirectedOrigin,
} from './register.ts'
import {
  getSite,
  hasSite,
  type ResumeSite,
  type SiteRegistry,
  siteChanged,
  siteRow,
  siteUnknown,
} from './registry.ts'
import { MAX_LABELS, type SitePatch, type SiteView, settingsFromRequest } from './schema.ts'
import { mergeSettings, type SiteSettingsPatch } from './settings.ts'
import { validateSettings } from './validate-settings.ts'
import { asCredentialError, verifyCredentials } from './verify-credentials.ts'

/**
 * Changes a site. A new connection is verified before anything is stored; it, or another value of a refused setting, resumes
 * what waited for it.
 * @throws GalleyError 404; 422 with the code and message of the site's answer, `SETTINGS_UNFIT` or `PASSWORD_NEEDED`; 409
 *   `SITE_CONNECTED_ALREADY`, or `SITE_CHANGED` where a verified part of the connection changed meanwhile
 */
export async function updateSite(
  registry: SiteRegistry & { resume: ResumeSite },
  { accountId, siteIds, id }: SiteId & SiteScope,
  requested: SitePatch,
): Promise<SiteView> {
  const { prisma } = registry
  const site = { accountId, id }
  const verified = await reconnect(registry, { site, siteIds }, requested)
  const authorId = await revalidateSettings(registry, site, requested, verified?.connection)
  return prisma.$transaction(async (transaction) => {
    if (verified !== undefined) {
      await lockSiteUser(transaction, site.accountId, verified.connection)
      await refuseDuplicate(transaction, { accountId, siteIds }, verified.connection, id)
    }
    // Locked until the transaction ends, so that concurrent changes both stay.
    const [stored] = await transaction.$queryRaw<StoredSite[]>`
      SELECT settings, trouble ->> 'code' AS trouble, rest_root AS "restRoot", username, application_password AS "applicationPassword" FROM site WHERE id = ${site.id}::uuid AND account_id = ${site.accountId}::uuid FOR UPDATE`
    if (stored === undefined) throw siteUnknown(site)
    if (verified?.kept.some(([column, value]) => stored[column] !== value)) throw siteChanged(site)
    const patch = settingsFromRequest(requested)
    const settings = mergeSettings(stored.settings, patch)
    const mended = stored.trouble === SETTING_REFUSED && Object.keys(patch).length > 0
    const connection = verified && {
      ...connectionColumns(registry.keyring, site, verified),
      // The report is about another connection, but what gets worse since is still a regression.
      reportAt: null,
    }
    const { name, labels, owner_email: ownerEmail } = requested
    const data = { name, labels, ownerEmail, settings, authorId, ...connection }
    await transaction.site.update({ where: { accountId_id: site }, data })
    if (verified !== undefined || mended) await registry.resume(prismaRows(transaction), site)
    return getSite({ prisma: transaction }, site)
  }, LONG_TRANSACTION)
}

type StoredConnection = Pick<Site, 'restRoot' | 'username' | 'applicationPassword'>

type StoredSite = StoredConnection & { settings: SiteSettingsPatch; trouble: string | null }

/** Verifies a new connection; undefined where nothing changes. First refuses to send the stored password elsewhere. */
async function reconnect(
  { prisma, keyring, outbound }: SiteRegistry,
  { site, siteIds }: { site: SiteId; siteIds: string[] | null },
  requested: SitePatch,
) {
  const row = await siteRow({ prisma }, site)
  const { url: typed, username, application_password: password } = requested
  if (typed === undefined && username === undefined && password === undefined) return undefined
  if (typed !== undefined && password === undefined)
    await asCredentialError(async () => refuseOtherOrigin(row.restRoot, { typed }))
  // An unreadable stored password must not prevent a new one.
  const applicationPassword = password ?? connectionOf(keyring, row).applicationPassword
  const credentials = { username: username ?? row.username, applicationPassword }
  const guarded = redactCredentials(outbound, credentials)
  // The stored password is only for its origin, so discovery does not send it.
  const own = password === undefined ? undefined : credentials
  const found = typed === undefined ? undefined : await asCredentialError(() => discover(guarded, typed, own))
  const restRoot = found?.restRoot ?? row.restRoot
  if (password === undefined) refuseOtherOrigin(row.restRoot, { found: restRoot })
  else if (typed !== undefined) refuseRedirectedOrigin(typed, restRoot)
  const url = found === undefined ? row.url : withoutTrailingSlash(found.home)
  const connection = { name: nameInMessages(url), restRoot, ...credentials }
  await refuseDuplicate(prisma, { ...site, siteIds }, connection, site.id)
  const given = { restRoot: typed, username, applicationPassword: password }
  const kept = (Object.keys(given) as (keyof StoredConnection)[])
    .filter((column) => given[column] === undefined)
    .map((column) => [column, row[column]] as const)
  return { url, connection, kept, passwordUuid: await verifyCredentials(connection, outbound) }
}

/** Validates the requested settings that depend on the site. Other settings cause no request. */
export async function revalidateSettings(
  { prisma, keyring, outbound }: SiteRegistry,
  site: SiteId,
  requested: SitePatch,
  verified: SiteConnection | undefined,
) {
  const patch = settingsFromRequest(requested)
  if (!SITE_DEPENDENT_SETTINGS.some((name) => patch[name] != null))
    return patch.author === null ? null : undefined
  const row = await siteRow({ prisma }, site)
  const client = createClient(verified ?? connectionOf(keyring, row), outbound)
  return validateSettings(client, patch, mergeSettings(row.settings as SiteSettingsPatch, patch))
}

const SITE_DEPENDENT_SETTINGS = [
  'post_type',
  'author',
  'language',
  'default_categories',
  'fallback_category',
] as const

/** Adds and removes labels in one statement. @throws GalleyError 404; 422 `TOO_MANY_LABELS` */
export async function updateLabels(
  database: Queryable,
  { accountId, id }: SiteId,
  { add, remove }: { add: string[]; remove: string[] },
): Promise<void> {
  const site = { accountId, id }
  const rowCount = await execute(database, UPDATE_LABELS, { ...site, add, remove, most: MAX_LABELS })
  if (rowCount === 1) return
  if ((await execute(database, 'SELECT FROM site WHERE account_id = :accountId AND id = :id', site)) === 0)
    throw siteUnknown(site)
  throw tooManyLabels()
}

export const tooManyLabels = () =>
  refusal(
    'TOO_MANY_LABELS',
    `A site may have ${MAX_LABELS} labels, and with these it would have more. Nothing was changed. Remove some of its labels first.`,
  )

const MERGED_LABELS = `ARRAY(
  SELECT label FROM unnest(labels || :add::text[]) WITH ORDINALITY AS given (label, place)
  WHERE label <> ALL (:remove::text[]) GROUP BY label ORDER BY min(place))`

// Removal is allowed even where the rest still exceeds the limit.
const UPDATE_LABELS = `
  UPDATE site SET updated_at = now(), labels = ${MERGED_LABELS}
  WHERE account_id = :accountId AND id = :id
    AND (cardinality(${MERGED_LABELS}) <= :most::int OR cardinality(${MERGED_LABELS}) <= cardinality(labels))`

/**
 * Removes a site. Its posts stay; deliveries that wait for it are held as `site_unknown`.
 * @returns what whoever connects it again must know
 * @param revoke first revokes the application password on the site; where that fails, the site stays
 * @throws GalleyError 404; 409 `PASSWORD_UNKNOWN` or `SITE_CHANGED`; 422 with the code and message of the site's answer
 */
export async function removeSite(registry: SiteRegistry, site: SiteId, { revoke }: { revoke: boolean }) {
  if (!revoke) await siteRow(registry, site)
  const ended = revoke ? { applicationPassword: await revokeSitePassword(registry, site) } : {}
  const { count } = await registry.prisma.site.deleteMany({ where: { ...site, ...ended } })
  if (count === 0 && (await hasSite(registry, site))) throw siteChanged(site)
  return `Its posts stay. To connect it again, give it this "id", ${site.id}: under another one not all of its posts are known again, and a document that is sent again may become a second post.`
}

/** @returns the stored (sealed) password */
async function revokeSitePassword({ prisma, keyring, outbound }: SiteRegistry, site: SiteId) {
  const row = await siteRow({ prisma }, site)
  if (row.passwordUuid === null)
    throw conflict(
      'PASSWORD_UNKNOWN',
      `${row.name} did not say which application password Galley uses, so it cannot be revoked from here. Remove the site without revoke, and delete the password in WordPress under Users, Profile.`,
    )
  await revokePassword(outbound, connectionOf(keyring, row), row.passwordUuid)
  return row.applicationPassword
}

/** Revokes a connection's application password on the site. @throws GalleyError 422 with the site's answer */
export async function revokePassword(outbound: Outbound, connection: SiteConnection, passwordUuid: string) {
  const client = createClient(connection, outbound)
  const path = `/wp/v2/users/me/application-passwords/${passwordUuid}`
  await asCredentialError(() =>
    client.request({ method: 'DELETE', path, doing: 'revoking the application password', subject: 'user' }),
  )
}
