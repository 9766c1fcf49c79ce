import { v7 as uuid } from 'uuid'
import type { Prisma, Site } from '../database/generated/client.ts'
import { storableText } from '../database/storable.ts'
import { PATIENT, rowsIn } from '../database/transaction.ts'
import { GalleyError } from '../errors.ts'
import type { Outbound } from '../outbound/index.ts'
import type { Keyring } from '../secrets/index.ts'
import { withoutSlash } from '../text.ts'
import { createClient, withoutEcho } from '../wordpress/client/index.ts'
import { discover } from '../wordpress/discover/index.ts'
import type { SiteConnection } from '../wordpress/types.ts'
import { nameInMessages, sealedPassword } from './connection.ts'
import { type Connecting, lockPlace, refuseDuplicate } from './duplicate.ts'
import { refuseLedAway } from './origin.ts'
import type { Resume, SiteRegistry } from './registry.ts'
import { gatherSettings, type NewSite, type SiteView } from './schema.ts'
import type { SiteId } from './site-id.ts'
import { validateSettings } from './validate-settings.ts'
import { asRefusal, type Proof, verifyCredentials } from './verify-credentials.ts'
import { siteView } from './view.ts'

/** A site that was found and whose credentials work; nothing of it is stored yet. */
export interface VerifiedSite extends Proof {
  /** Without a trailing slash. */
  url: string
  /** The site's own title. */
  title: string
  connection: SiteConnection
}

/**
 * Connects a site: finds its REST root, proves the credentials, and only then stores anything. What was held for the site
 * starts with it, both or neither: it may have been connected under this id before.
 *
 * @param registry with how what waits for the site goes on
 * @throws GalleyError 422 with the code and sentence of what the site answered, or `SETTINGS_UNFIT`; 409
 *   `SITE_ID_TAKEN` or `SITE_CONNECTED_ALREADY`
 */
export async function registerSite(
  registry: SiteRegistry & { resume: Resume },
  { accountId, siteIds, ...requested }: NewSite & Connecting,
): Promise<SiteView> {
  const { prisma, keyring, outbound } = registry
  const id = requested.id ?? uuid()
  await refuseTakenId(prisma, { accountId, id })
  const verified = await verifyNewSite(registry, { accountId, siteIds }, requested)
  const { authorId } = await validateSettings(
    createClient(verified.connection, outbound),
    gatherSettings(requested),
  )
  const site = { ...requested, accountId, siteIds, id, verified, authorId }
  const row = await prisma.$transaction(async (transaction) => {
    const stored = await storeSite(transaction, keyring, site)
    await registry.resume(rowsIn(transaction), { accountId, id })
    return stored
  }, PATIENT)
  return siteView(row)
}

type Named = Pick<NewSite, 'url' | 'username' | 'application_password'>

/**
 * A site that an account has not connected yet.
 *
 * @throws GalleyError 422 with the code and sentence of what the site answered; 409 `SITE_CONNECTED_ALREADY`
 */
export async function verifyNewSite(
  { prisma, outbound }: Pick<SiteRegistry, 'prisma' | 'outbound'>,
  connecting: Connecting,
  requested: Named,
): Promise<VerifiedSite> {
  const located = await locateSite(outbound, requested)
  await refuseDuplicate(prisma, connecting, located.connection)
  return { ...located, ...(await verifyCredentials(located.connection, outbound)) }
}

/**
 * Finds the site of an address. It is sent the credentials only where it shows visitors no REST API, and only at the
 * address that they were given for.
 *
 * @param meant the address that the credentials were given for
 * @throws GalleyError 422 with the code and sentence of what was found instead, or `ADDRESS_LEADS_ELSEWHERE`
 */
export async function locateSite(
  outbound: Outbound,
  requested: Named,
  meant = requested.url,
): Promise<Omit<VerifiedSite, keyof Proof>> {
  const credentials = { username: requested.username, applicationPassword: requested.application_password }
  const found = await asRefusal(() =>
    discover(withoutEcho(outbound, credentials), requested.url, credentials),
  )
  refuseLedAway(meant, found.restRoot)
  const url = withoutSlash(found.home)
  const connection = {
    name: nameInMessages(url),
    restRoot: found.restRoot,
    username: requested.username,
    applicationPassword: requested.application_password,
  }
  return { url, title: found.name, connection }
}

/** A proved site, and what it is to be. */
export type SiteToStore = Omit<NewSite, 'url' | 'username' | 'application_password'> &
  Connecting & {
    id: string
    verified: VerifiedSite
    /** Whom `settings.author` names. */
    authorId?: number | null | undefined
  }

/** Stores a proved site. @throws GalleyError 409 `SITE_ID_TAKEN` or `SITE_CONNECTED_ALREADY` */
export async function storeSite(
  transaction: Prisma.TransactionClient,
  keyring: Keyring,
  { accountId, siteIds, id, verified, authorId, ...requested }: SiteToStore,
): Promise<Site> {
  await lockPlace(transaction, accountId, verified.connection)
  await refuseDuplicate(transaction, { accountId, siteIds }, verified.connection)
  const [row] = await transaction.site.createManyAndReturn({
    data: {
      id,
      accountId,
      name: storableText(requested.name ?? (verified.title || verified.connection.name)),
      ...connectionColumns(keyring, { accountId, id }, verified),
      settings: gatherSettings(requested),
      authorId,
      labels: requested.labels,
    },
    // Whoever was first while the site was asked keeps the id.
    skipDuplicates: true,
  })
  if (row === undefined) throw idTaken(id)
  return row
}

/** What of a site's row says how it is reached and entered. */
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
  new GalleyError({
    code: 'SITE_ID_TAKEN',
    httpStatus: 409,
    message: `This account has a site under ${id} already. Change it with PATCH, or leave "id" out to have one made.`,
  })
