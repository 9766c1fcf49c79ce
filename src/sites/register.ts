import { v7 as uuid } from 'uuid'
import type { Prisma } from '../database/generated/client.ts'
import { storableText } from '../database/statement.ts'
import { LONG_TRANSACTION, prismaRows } from '../database/transaction.ts'
import { conflict, GalleyError, refusal } from '../errors.ts'
import { withoutTrailingSlash } from '../lib/text.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { createClient } from '../wordpress/client/client.ts'
import { redactCredentials } from '../wordpress/client/redact.ts'
import { addressCandidates, isOnHostOf, mayReceiveCredentials } from '../wordpress/discover/address.ts'
import { discover } from '../wordpress/discover/discover.ts'
import type { SiteConnection } from '../wordpress/types.ts'
import { nameInMessages, type SiteId, sealedPassword } from './connection.ts'
import type { SiteScope } from './list.ts'
import type { ResumeSite, SiteRegistry } from './registry.ts'
import { type NewSite, settingsFromRequest } from './schema.ts'
import { validateSettings } from './validate-settings.ts'
import { asCredentialError, verifyCredentials } from './verify-credentials.ts'

/** A site that was found and whose credentials work, not stored yet. */
export interface VerifiedSite {
  url: string
  title: string
  connection: SiteConnection
  /** WordPress's own of the application password; null where it does not tell. */
  passwordUuid: string | null
}

/**
 * Connects a site once its credentials are verified, and resumes what waits for its id, in one transaction.
 * @throws GalleyError 422 with the code and message of the site's answer, or `SETTINGS_UNFIT`; 409 `SITE_ID_TAKEN` or
 *   `SITE_CONNECTED_ALREADY`
 */
export async function registerSite(
  registry: SiteRegistry & { resume: ResumeSite },
  { accountId, siteIds, ...requested }: NewSite & SiteScope,
): Promise<void> {
  const { prisma, keyring, outbound } = registry
  const id = requested.id ?? uuid()
  await refuseTakenId(prisma, { accountId, id })
  const verified = await verifyNewSite(registry, { accountId, siteIds }, requested)
  const authorId = await validateSettings(
    createClient(verified.connection, outbound),
    settingsFromRequest(requested),
  )
  const site = { ...requested, accountId, siteIds, id, verified, authorId }
  await prisma.$transaction(async (transaction) => {
    await storeSite(transaction, keyring, site)
    await registry.resume(prismaRows(transaction), { accountId, id })
  }, LONG_TRANSACTION)
}

type Named = Pick<NewSite, 'url' | 'username' | 'application_password'>

/** Verifies a site not connected yet. @throws 422 with the site's answer; 409 `SITE_CONNECTED_ALREADY` */
export async function verifyNewSite(
  { prisma, outbound }: Pick<SiteRegistry, 'prisma' | 'outbound'>,
  connecting: SiteScope,
  requested: Named,
): Promise<VerifiedSite> {
  const located = await locateSite(outbound, requested)
  await refuseDuplicate(prisma, connecting, located.connection)
  return { ...located, passwordUuid: await verifyCredentials(located.connection, outbound) }
}

/**
 * Finds the site of an address. Credentials go only to the address that they were given for, where visitors see no REST API.
 * @param meant the address that the credentials were given for
 * @throws GalleyError 422 with the code and message of what was found instead, or `ADDRESS_LEADS_ELSEWHERE`
 */
export async function locateSite(
  outbound: Outbound,
  requested: Named,
  meant = requested.url,
): Promise<Omit<VerifiedSite, 'passwordUuid'>> {
  const credentials = { username: requested.username, applicationPassword: requested.application_password }
  const found = await asCredentialError(() =>
    discover(redactCredentials(outbound, credentials), requested.url, credentials),
  )
  refuseRedirectedOrigin(meant, found.restRoot)
  const url = withoutTrailingSlash(found.home)
  const connection = { name: nameInMessages(url), restRoot: found.restRoot, ...credentials }
  return { url, title: found.name, connection }
}

export type SiteToStore = Omit<NewSite, 'url' | 'username' | 'application_password'> &
  SiteScope & {
    id: string
    verified: VerifiedSite
    /** The id of the user that `settings.author` names. */
    authorId?: number | null | undefined
  }

/** Stores a verified site. @throws GalleyError 409 `SITE_ID_TAKEN` or `SITE_CONNECTED_ALREADY` */
export async function storeSite(
  transaction: Prisma.TransactionClient,
  keyring: Keyring,
  { accountId, siteIds, id, verified, authorId, ...requested }: SiteToStore,
): Promise<void> {
  await lockSiteUser(transaction, accountId, verified.connection)
  await refuseDuplicate(transaction, { accountId, siteIds }, verified.connection)
  const { count } = await transaction.site.createMany({
    data: {
      id,
      accountId,
      name: storableText(requested.name ?? (verified.title || verified.connection.name)),
      ...connectionColumns(keyring, { accountId, id }, verified),
      settings: settingsFromRequest(requested),
      authorId,
      labels: requested.labels,
      ownerEmail: requested.owner_email,
    },
    // A concurrent request that was first keeps the id.
    skipDuplicates: true,
  })
  if (count === 0) throw idTaken(id)
}

/** The connection columns of a site's row. */
export const connectionColumns = (
  keyring: Keyring,
  site: SiteId,
  { url, connection, passwordUuid }: Omit<VerifiedSite, 'title'>,
) => ({
  url,
  restRoot: connection.restRoot,
  username: connection.username,
  applicationPassword: sealedPassword(keyring, site, connection),
  passwordUuid,
})

/** @throws GalleyError 409 `SITE_ID_TAKEN` */
export async function refuseTakenId(prisma: Prisma.TransactionClient, site: SiteId): Promise<void> {
  if ((await prisma.site.count({ where: site })) > 0) throw idTaken(site.id)
}

export const idTaken = (id: string) =>
  conflict(
    'SITE_ID_TAKEN',
    `This account has a site under ${id} already. Change that one, or leave "id" out to have one made.`,
  )

type SiteUser = Pick<SiteConnection, 'restRoot' | 'username'>

/** The account's site with this REST root and user in any case, if any: two would create two posts per document. */
export async function findDuplicate(
  prisma: Prisma.TransactionClient,
  accountId: string,
  { restRoot, username }: SiteUser,
): Promise<string | null> {
  const [twin] = await prisma.$queryRaw<{ id: string }[]>`
    SELECT id FROM site WHERE account_id = ${accountId}::uuid AND rest_root = ${restRoot}
      AND lower(username) = lower(${username}) ORDER BY id LIMIT 1`
  return twin?.id ?? null
}

/** Locks this site and user against a concurrent connection until the transaction ends. */
export async function lockSiteUser(
  transaction: Prisma.TransactionClient,
  accountId: string,
  { restRoot, username }: SiteUser,
): Promise<void> {
  const place = `${accountId} ${restRoot} ${username.toLowerCase()}`
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${place}, 0))`
}

/** @throws 409 `SITE_CONNECTED_ALREADY` unless the duplicate is `itself`; names the site only to who may see it */
export async function refuseDuplicate(
  prisma: Prisma.TransactionClient,
  { accountId, siteIds }: SiteScope,
  connection: SiteUser & Pick<SiteConnection, 'name'>,
  itself?: string,
): Promise<void> {
  const twin = await findDuplicate(prisma, accountId, connection)
  if (twin === null || twin === itself) return
  const { name, username } = connection
  throw new GalleyError({
    code: 'SITE_CONNECTED_ALREADY',
    httpStatus: 409,
    ...(siteIds === null || siteIds.includes(twin)
      ? {
          message: `${name} is connected already for the user ${username}, as site ${twin}. Change that one, or connect another user.`,
          details: { site_id: twin },
        }
      : {
          message: `${name} is connected already for the user ${username}, as a site that only others in this account see. Ask them, or connect another user.`,
        }),
  })
}

const originOf = (address: string): string => new URL(address).origin

/** A stored password goes to no other origin: whoever may change an address could read it there. @throws GalleyError 422 `PASSWORD_NEEDED` */
export function refuseOtherOrigin(restRoot: string, { typed, found }: { typed?: string; found?: string }) {
  const origin = originOf(restRoot)
  const asked = typed === undefined ? [found ?? restRoot] : addressCandidates(typed).map(({ href }) => href)
  if (asked.some((address) => originOf(address) === origin)) return
  throw refusal(
    'PASSWORD_NEEDED',
    `The stored application password was given for ${origin}, and ${asked.map(originOf).join(' or ')} is another address; http and https, and two ports, are two addresses. It was not sent there, and nothing was changed. Give "application_password" together with the new address.`,
  )
}

/** Refuses to take a new password to another host, or where it travels unencrypted unless `http://` was typed. @throws 422 `ADDRESS_LEADS_ELSEWHERE` */
export function refuseRedirectedOrigin(typed: string, restRoot: string): void {
  if (mayReceiveCredentials(typed, restRoot)) return
  throw refusal(
    'ADDRESS_LEADS_ELSEWHERE',
    `${typed.trim()} leads to a REST API at ${originOf(restRoot)}, which is ${isOnHostOf(typed, restRoot) ? 'not encrypted' : 'another address'}. The application password was not sent there. If that is the site you mean, connect it by ${originOf(restRoot)}.`,
  )
}
