import { v7 as uuid } from 'uuid'
import { recordAuditEntry } from '../accounts/audit.ts'
import { type ConnectLink, Prisma } from '../database/generated/client.ts'
import { storableValue } from '../database/statement.ts'
import { LONG_TRANSACTION, prismaRows } from '../database/transaction.ts'
import { asFailure, GalleyError, recoverWith, refusal } from '../errors.ts'
import { withoutTrailingSlash } from '../lib/text.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { hashToken, type Keyring } from '../secrets/keyring.ts'
import { passwordOf } from '../sites/connection.ts'
import {
  connectionColumns,
  findDuplicate,
  locateSite,
  lockSiteUser,
  refuseDuplicate,
  type SiteToStore,
  storeSite,
  type VerifiedSite,
} from '../sites/register.ts'
import { type ResumeSite, type SiteRegistry, siteUnknown } from '../sites/registry.ts'
import { settingsFromRequest } from '../sites/schema.ts'
import { mergeSettings, type SiteSettingsPatch } from '../sites/settings.ts'
import { revokePassword } from '../sites/update.ts'
import { compareSettings } from '../sites/validate-settings.ts'
import { identifyPassword, verifyCredentials } from '../sites/verify-credentials.ts'
import { createClient } from '../wordpress/client/client.ts'
import { isSameHost } from '../wordpress/discover/address.ts'
import { discover } from '../wordpress/discover/discover.ts'
import { requestPage } from '../wordpress/discover/rest-root.ts'
import { parseErrorPage, recognisePage } from '../wordpress/failures/error-pages.ts'
import { judge } from '../wordpress/failures/judge.ts'
import type { SiteCredentials } from '../wordpress/types.ts'
import { isReconnection, linkUnusable, type OpenedLink, statusOf } from './links.ts'
import { requestedLinkSchema } from './schema.ts'

/**
 * Connects the site of a link, ends the link and resumes what waits, in one transaction: of two concurrent answers one wins.
 * A site that the account has already is reconnected under its id.
 * @returns the id of the site
 * @throws GalleyError 422 with the code and message of the site's answer, also stored on the link;
 *   410 `CONNECT_LINK_…`; 409 `SITE_ID_TAKEN`, `SITE_CONNECTED_ALREADY` or `CONNECT_PASSWORD_WITHDRAWN`
 */
export async function connectThrough(
  registry: SiteRegistry & { resume: ResumeSite },
  { row }: OpenedLink,
  credentials: OwnerCredentials,
): Promise<string> {
  const { asked_by: _, ...requested } = requestedLinkSchema.parse(row.requested)
  const { accountId } = row
  try {
    const located = await locateLinkedSite(registry.outbound, row, credentials)
    const passwordUuid = await verifyCredentials(located.connection, registry.outbound, credentials)
    const verified = { ...located, passwordUuid }
    const { authorId, settings, problem } = await compareOrRemember(
      registry,
      verified,
      requested.settings ?? {},
    )
    return await registry.prisma.$transaction(async (transaction) => {
      await lockSiteUser(transaction, accountId, verified.connection)
      const known = await registeredSite(transaction, accountId, requested.id, verified)
      const id = known ?? requested.id ?? uuid()
      await consumeLink(transaction, row.id, credentials, {
        siteId: id,
        problem: problem ?? Prisma.DbNull,
      })
      const site = { ...requested, settings, accountId, siteIds: [], id, verified, authorId }
      if (known === null) await storeSite(transaction, registry.keyring, site)
      else await reconnectSite(transaction, registry.keyring, site)
      await registry.resume(prismaRows(transaction), { accountId, id })
      const details = {
        connect_link: row.id,
        url: verified.url,
        username: verified.connection.username,
        again: known !== null,
      }
      const by = { actor: 'the owner of the site, through a connect link' }
      const entry = { accountId, by, action: 'site.connect', subjectId: id, details } as const
      await recordAuditEntry(prismaRows(transaction), entry)
      return id
    }, LONG_TRANSACTION)
  } catch (error) {
    if (error instanceof GalleyError) await recordProblem(registry, row.id, error)
    throw error
  }
}

/** Marks a link as used. @throws GalleyError 410 `CONNECT_LINK_…`; 409 `CONNECT_PASSWORD_WITHDRAWN` */
async function consumeLink(
  transaction: Prisma.TransactionClient,
  id: string,
  { applicationPassword }: OwnerCredentials,
  data: Pick<Prisma.ConnectLinkUncheckedUpdateManyInput, 'siteId' | 'problem'>,
): Promise<void> {
  // Another answer may end the link or revoke its password until this lock is held.
  await transaction.$queryRaw`SELECT id FROM connect_link WHERE id = ${id}::uuid FOR UPDATE`
  const include = { account: { select: { disabledAt: true } } }
  const row = await transaction.connectLink.findUnique({ where: { id }, include })
  if (row === null || row.account.disabledAt !== null) throw linkUnusable('unknown')
  const status = statusOf(row)
  if (status !== 'open') throw linkUnusable(status)
  if (row.withdrawnPasswords.includes(hashToken(applicationPassword)))
    throw refusal(
      'CONNECT_PASSWORD_WITHDRAWN',
      'Your approval reached Galley twice. One of the two failed, so Galley deleted the application password that WordPress had made for it. Nothing was connected: approve once more.',
      409,
    )
  await transaction.connectLink.update({ where: { id }, data: { ...data, usedAt: new Date() } })
}

/** The id of the site that a link reconnects: the one named, or the same address and user's. @throws 409 `SITE_ID_TAKEN` */
async function registeredSite(
  transaction: Prisma.TransactionClient,
  accountId: string,
  id: string | undefined,
  { connection }: VerifiedSite,
): Promise<string | null> {
  if (id === undefined) return findDuplicate(transaction, accountId, connection)
  return (await isReconnection(transaction, { accountId, id }, connection.restRoot)) ? id : null
}

/** Invalid settings do not block the owner, who cannot change them: they are left on the link. An unknown author is no setting. */
async function compareOrRemember(
  { outbound }: SiteRegistry,
  { connection }: VerifiedSite,
  { author, ...others }: SiteSettingsPatch,
) {
  const asked = author === undefined ? others : { ...others, author }
  const { authorId, unfit } = await compareSettings(createClient(connection, outbound), asked).catch(
    (error) => ({ authorId: null, unfit: asFailure(error) }),
  )
  return {
    authorId,
    settings: author !== null && authorId == null ? others : asked,
    problem: unfit && storableValue({ code: unfit.code, message: unfit.message }),
  }
}

/** For the next page, and for the link's creator. */
async function recordProblem(
  { prisma }: Pick<SiteRegistry, 'prisma'>,
  id: string,
  { code, message }: GalleyError,
): Promise<void> {
  await prisma.connectLink.updateMany({
    where: { id, usedAt: null },
    data: { problem: storableValue({ code, message }) },
  })
}

/** Records that the owner declined. The link stays open. */
export async function recordRejection({ prisma }: Pick<SiteRegistry, 'prisma'>, { row }: OpenedLink) {
  await prisma.connectLink.updateMany({
    where: { id: row.id, usedAt: null },
    data: { rejectedAt: new Date() },
  })
}

/** Updates a site with new credentials and settings, and drops its report. @throws 409 `SITE_CONNECTED_ALREADY` */
async function reconnectSite(
  transaction: Prisma.TransactionClient,
  keyring: Keyring,
  { accountId, id, verified, authorId, ...requested }: SiteToStore,
): Promise<void> {
  // No site ids: the site's owner and every key that sees the link read this error.
  await refuseDuplicate(transaction, { accountId, siteIds: [] }, verified.connection, id)
  const [stored] = await transaction.$queryRaw<{ settings: SiteSettingsPatch }[]>`
    SELECT settings FROM site WHERE account_id = ${accountId}::uuid AND id = ${id}::uuid FOR UPDATE`
  if (stored === undefined) throw siteUnknown({ accountId, id })
  const patch = settingsFromRequest(requested)
  await transaction.site.update({
    where: { accountId_id: { accountId, id } },
    data: {
      ...connectionColumns(keyring, { accountId, id }, verified),
      name: requested.name,
      ...(requested.labels.length > 0 && { labels: requested.labels }),
      ...(patch.author !== undefined && { authorId }),
      settings: mergeSettings(stored.settings, patch),
      reportAt: null,
    },
  })
}

export type OrphanedPassword = 'revoked' | 'in_use' | 'stays'

/**
 * Revokes a password that WordPress created for an answer that connected nothing, unless a connected site uses it. The link
 * accepts it no more once this has begun.
 * @param refusal why nothing was connected
 * @returns `stays` where WordPress does not identify the password
 * @throws GalleyError 422 where the site refuses the password
 */
export async function revokeOrphanedPassword(
  registry: SiteRegistry,
  row: ConnectLink,
  credentials: OwnerCredentials,
  refusal: unknown,
): Promise<OrphanedPassword> {
  // A second try would fail as well, and count as another failed login.
  if (judge(refusal).ofCredentials) return 'stays'
  const { connection } = await locateLinkedSite(registry.outbound, row, credentials)
  const passwordUuid = await identifyPassword(connection, registry.outbound)
  const withdrawn = row.withdrawnPasswords.includes(hashToken(credentials.applicationPassword))
  // Another answer with the same password may have revoked it.
  if (passwordUuid === null) return withdrawn ? 'revoked' : 'stays'
  if (!(await blockPassword(registry, row.id, credentials.applicationPassword, passwordUuid))) return 'in_use'
  await revokePassword(registry.outbound, connection, passwordUuid)
  return 'revoked'
}

/** Blocks a password on the link before its revocation; false where a site uses it. */
const blockPassword = (
  { prisma, keyring }: SiteRegistry,
  linkId: string,
  password: string,
  passwordUuid: string,
): Promise<boolean> =>
  prisma.$transaction(async (transaction) => {
    // A separate statement, so that the next ones see a site stored while this one waited for the lock.
    await transaction.$queryRaw`SELECT id FROM connect_link WHERE id = ${linkId}::uuid FOR UPDATE`
    if ((await transaction.site.count({ where: { passwordUuid } })) > 0) return false
    const { accountId, siteId: id } = await transaction.connectLink.findUniqueOrThrow({
      where: { id: linkId },
    })
    // The site may be stored without the password's UUID.
    const site = id && (await transaction.site.findFirst({ where: { accountId, id, passwordUuid: null } }))
    if (site && passwordOf(keyring, site) === password) return false
    await transaction.connectLink.update({
      where: { id: linkId },
      data: { withdrawnPasswords: { push: hashToken(password) } },
    })
    return true
  })

export interface OwnerCredentials extends SiteCredentials {
  /** WordPress has just created them; false where a person entered them. */
  justMade: boolean
}

/** @throws GalleyError 422 for what was found instead; `ADDRESS_LEADS_ELSEWHERE` where the site moved */
const locateLinkedSite = (
  outbound: Outbound,
  row: Pick<ConnectLink, 'url' | 'restRoot'>,
  { username, applicationPassword }: OwnerCredentials,
) => locateSite(outbound, { url: row.url, username, application_password: applicationPassword }, row.restRoot)

export type ConnectOptions =
  | {
      way: 'authorize'
      address: string
      /** Galley's own address is not https, so only a `local` WordPress redirects back to it. */
      insecureReturn: boolean
      /** The page's host where it is not the site's; the site itself names the page. */
      elsewhere: string | null
      hidden: boolean
    }
  | { way: 'form'; why: 'not_https' | 'https_unseen' | 'switched_off' }

/** Constant for all sites, which list and revoke application passwords by it. */
const APP_ID = '6d0a1c55-8c0c-4b7e-9d3c-2f8f5a0e71b4'

/** By its authorization page, or the form alone (docs/wordpress.md). @throws GalleyError without WordPress */
export async function connectOptionsFor(
  outbound: Outbound,
  { url, askedBy }: { url: string; askedBy: string | null },
  { approved, rejected }: { approved: string; rejected: string },
): Promise<ConnectOptions> {
  const { home, restRoot, closed, ...found } = await discover(outbound, url)
  // With a closed index, WordPress's page tells the owner whether application passwords are on.
  const authorizationUrl =
    found.authorizationUrl ?? (closed ? await findAuthorizePage(outbound, home) : undefined)
  if (authorizationUrl === undefined) return { way: 'form', why: whyNot(home, found.believesPlain) }
  const address = new URL(authorizationUrl)
  address.searchParams.set('app_name', askedBy === null ? 'Galley' : `Galley for ${askedBy}`)
  address.searchParams.set('app_id', APP_ID)
  address.searchParams.set('success_url', approved)
  address.searchParams.set('reject_url', rejected)
  const elsewhere = isSameHost(address.href, restRoot) ? null : address.host
  const hidden = !(await leadsToLogin(outbound, authorizationUrl))
  return { way: 'authorize', address: address.href, insecureReturn: !isTrusted(approved), elsewhere, hidden }
}

const whyNot = (home: string, believesPlain: boolean) => {
  if (believesPlain) return 'https_unseen'
  return new URL(home).protocol === 'https:' ? 'switched_off' : 'not_https'
}

/** Beside the login page, to which WordPress leads visitors where it lies in a folder of its own. */
async function findAuthorizePage(outbound: Outbound, home: string): Promise<string> {
  const login = `${withoutTrailingSlash(home)}/wp-login.php`
  const page = await requestPage(outbound, login).catch(recoverWith(null))
  const isLogin =
    page !== null && isSameHost(page.url, home) && new URL(page.url).pathname.endsWith('/wp-login.php')
  const { pathname } = new URL(isLogin ? page.url : login)
  return new URL(pathname.replace(/wp-login\.php$/, 'wp-admin/authorize-application.php'), home).href
}

/** Whether WordPress redirects there: https or loopback (`wp_is_authorize_application_redirect_url_valid`). */
function isTrusted(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || hostname === '127.0.0.1' || hostname === '[::1]'
}

/** Whether an administration page asks to log in. A hidden login page redirects elsewhere; another host counts as a login. */
async function leadsToLogin(outbound: Outbound, address: string): Promise<boolean> {
  const page = await requestPage(outbound, address).catch(recoverWith(null))
  if (page === null || !isSameHost(page.url, address) || page.status >= 500) return true
  return recognisePage(parseErrorPage(page)) !== null
}
