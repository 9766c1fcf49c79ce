import { v7 as uuid } from 'uuid'
import { enterActionWithoutKey } from '../accounts/audit/enter.ts'
import { Prisma } from '../database/generated/client.ts'
import { storableValue } from '../database/storable.ts'
import { PATIENT, rowsIn } from '../database/transaction.ts'
import { GalleyError } from '../errors.ts'
import { hashToken } from '../secrets/index.ts'
import { findDuplicate, lockPlace } from '../sites/duplicate.ts'
import { idTaken, storeSite, type VerifiedSite } from '../sites/register.ts'
import type { Resume, SiteRegistry } from '../sites/registry.ts'
import type { SiteSettingsPatch } from '../sites/settings.ts'
import { validateSettings } from '../sites/validate-settings.ts'
import { verifyCredentials } from '../sites/verify-credentials.ts'
import { createClient } from '../wordpress/client/index.ts'
import { connectAgain } from './again.ts'
import { statusOf } from './links.ts'
import { type Credentials, locate } from './locate.ts'
import { linkUnusable, type OpenedLink } from './open-link.ts'
import { requestedLinkSchema } from './schema.ts'

/**
 * Connects the site of a link: proves the credentials, then stores the site, ends the link and
 * starts what waits for the site, all or nothing. Of
 * two answers at once one wins. They are tried on the site that the link names, whatever site they are said to be of.
 * A site that the account has connected already is connected again, under the id it has.
 *
 * @returns the id of the site
 * @throws GalleyError 422 with the code and sentence of what the site answered, kept on the link too;
 *   410 `CONNECT_LINK_…`; 409 `SITE_ID_TAKEN`, `SITE_CONNECTED_ALREADY` or `CONNECT_PASSWORD_WITHDRAWN`
 */
export async function connectThrough(
  registry: SiteRegistry & { resume: Resume },
  { row }: OpenedLink,
  credentials: Credentials,
): Promise<string> {
  const { asked_by: _, ...requested } = requestedLinkSchema.parse(row.requested)
  const { accountId } = row
  try {
    const located = await locate(registry.outbound, row, credentials)
    const verified = {
      ...located,
      ...(await verifyCredentials(located.connection, registry.outbound, credentials)),
    }
    const fit = await fitOrSay(registry, verified, requested.settings ?? {})
    return await registry.prisma.$transaction(async (transaction) => {
      await lockPlace(transaction, accountId, verified.connection)
      const known = await knownAs(transaction, accountId, requested.id, verified)
      const id = known ?? requested.id ?? uuid()
      await useLink(transaction, row.id, credentials, { siteId: id, problem: fit.problem ?? Prisma.DbNull })
      const site = { ...requested, accountId, siteIds: [], id, verified, authorId: fit.authorId }
      if (known === null) await storeSite(transaction, registry.keyring, site)
      else await connectAgain(transaction, registry.keyring, site)
      await registry.resume(rowsIn(transaction), { accountId, id })
      const details = {
        connect_link: row.id,
        url: verified.url,
        username: verified.connection.username,
        again: known !== null,
      }
      const entry = { accountId, action: 'site.connect', subjectId: id, details } as const
      await enterActionWithoutKey(transaction, 'the owner of the site, through a connect link', entry)
      return id
    }, PATIENT)
  } catch (error) {
    if (error instanceof GalleyError) await rememberProblem(registry, row.id, error)
    throw error
  }
}

/** Ends a link that has connected its site. @throws GalleyError 410 `CONNECT_LINK_…`; 409 `CONNECT_PASSWORD_WITHDRAWN` */
async function useLink(
  transaction: Prisma.TransactionClient,
  id: string,
  { applicationPassword }: Credentials,
  data: Pick<Prisma.ConnectLinkUncheckedUpdateManyInput, 'siteId' | 'problem'>,
): Promise<void> {
  // Until this is stored, another answer may end the link, or take back its password.
  await transaction.$queryRaw`SELECT id FROM connect_link WHERE id = ${id}::uuid FOR UPDATE`
  const include = { account: { select: { disabledAt: true } } }
  const row = await transaction.connectLink.findUnique({ where: { id }, include })
  if (row === null || row.account.disabledAt !== null) throw linkUnusable('unknown')
  const status = statusOf(row)
  if (status !== 'open') throw linkUnusable(status)
  if (row.withdrawnPasswords.includes(hashToken(applicationPassword))) throw passwordWithdrawn()
  await transaction.connectLink.update({ where: { id }, data: { ...data, usedAt: new Date() } })
}

const passwordWithdrawn = () =>
  new GalleyError({
    code: 'CONNECT_PASSWORD_WITHDRAWN',
    httpStatus: 409,
    fault: 'owner',
    action: 'owner',
    message:
      'Your approval reached Galley twice. One of the two failed, so Galley deleted the application password that WordPress had made for it. Nothing was connected: approve once more.',
  })

/**
 * The site that a link connects again: the one whose id it names, or else the one that is at this address for this
 * user; null where there is neither.
 *
 * @throws GalleyError 409 `SITE_ID_TAKEN` where another site has the id
 */
async function knownAs(
  transaction: Prisma.TransactionClient,
  accountId: string,
  id: string | undefined,
  { connection }: VerifiedSite,
): Promise<string | null> {
  if (id === undefined) return findDuplicate(transaction, accountId, connection)
  const site = await transaction.site.findUnique({ where: { accountId_id: { accountId, id } } })
  if (site !== null && site.restRoot !== connection.restRoot) throw idTaken(id)
  return site === null ? null : id
}

/**
 * The owner cannot change settings that do not fit the site, so they do not keep it out: whoever made the link finds on
 * it what to change.
 */
async function fitOrSay(
  { outbound }: SiteRegistry,
  { connection }: VerifiedSite,
  settings: SiteSettingsPatch,
) {
  try {
    return { ...(await validateSettings(createClient(connection, outbound), settings)), problem: undefined }
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    return { authorId: null, problem: storableValue({ code: error.code, message: error.message }) }
  }
}

/** For the page that follows, and for whoever made the link. */
async function rememberProblem(
  { prisma }: Pick<SiteRegistry, 'prisma'>,
  id: string,
  { code, message }: GalleyError,
): Promise<void> {
  await prisma.connectLink.updateMany({
    where: { id, usedAt: null },
    data: { problem: storableValue({ code, message }) },
  })
}

/** The owner said no. Nothing was made anywhere; the link stays open for a change of mind. */
export async function noteRejection(
  { prisma }: Pick<SiteRegistry, 'prisma'>,
  { row }: OpenedLink,
): Promise<void> {
  await prisma.connectLink.updateMany({
    where: { id: row.id, usedAt: null },
    data: { rejectedAt: new Date() },
  })
}
