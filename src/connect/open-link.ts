import { UNNAMED } from '../accounts/accounts.ts'
import type { ConnectLink, PrismaClient } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import { hashToken } from '../secrets/index.ts'
import { statusOf } from './links.ts'
import { requestedLinkSchema } from './schema.ts'

/** A link as the browser of the site's owner holds it: the row behind it, and the token itself. */
export interface OpenedLink {
  token: string
  row: ConnectLink
  /** Who asks, as the owner is told; null where nobody has said. */
  askedBy: string | null
}

/** The link of a token, in whatever status. @throws GalleyError 404 `CONNECT_LINK_UNKNOWN` */
export async function findLink(prisma: PrismaClient, token: string): Promise<OpenedLink> {
  const found = await prisma.connectLink.findUnique({
    where: { tokenHash: hashToken(token) },
    include: { account: { select: { name: true, disabledAt: true } } },
  })
  if (found === null || found.account.disabledAt !== null) throw linkUnusable('unknown')
  const { account, ...row } = found
  const named = account.name === UNNAMED ? null : account.name
  return { token, row, askedBy: requestedLinkSchema.parse(row.requested).asked_by ?? named }
}

/**
 * The row of a link, also of an account that is disabled by now: an approval that connects nothing has left a password on
 * the site all the same.
 *
 * @throws GalleyError 404 `CONNECT_LINK_UNKNOWN`
 */
export async function rowOfLink(prisma: PrismaClient, token: string): Promise<ConnectLink> {
  const row = await prisma.connectLink.findUnique({ where: { tokenHash: hashToken(token) } })
  if (row === null) throw linkUnusable('unknown')
  return row
}

/** A link that can be used. @throws GalleyError 404 or 410 `CONNECT_LINK_…`, saying why it cannot */
export async function openLink(prisma: PrismaClient, token: string): Promise<OpenedLink> {
  const link = await findLink(prisma, token)
  const status = statusOf(link.row)
  if (status !== 'open') throw linkUnusable(status)
  return link
}

const reasons = {
  unknown: 'There is no such connect link. Check that the address was copied whole.',
  used: 'This connect link has already been used, and each works only once.',
  expired: 'This connect link has expired. Ask whoever sent it for a new one.',
  revoked: 'This connect link was withdrawn by whoever sent it.',
} as const

type Reason = keyof typeof reasons

export const linkUnusable = (reason: Reason) =>
  new GalleyError({
    code: `CONNECT_LINK_${reason.toUpperCase()}`,
    httpStatus: reason === 'unknown' ? 404 : 410,
    fault: 'owner',
    action: 'owner',
    message: reasons[reason],
  })
