import { v7 as uuid } from 'uuid'
import { z } from 'zod'
import type { ConnectLink, Prisma, PrismaClient } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import type { Outbound } from '../outbound/index.ts'
import { type Page, type PageRequest, toPage } from '../paging.ts'
import { createToken, hashToken } from '../secrets/index.ts'
import { idTaken } from '../sites/register.ts'
import { asRefusal } from '../sites/verify-credentials.ts'
import { withoutSlash } from '../text.ts'
import { discover } from '../wordpress/discover/index.ts'
import type { ConnectLinkStatus, ConnectLinkView, NewConnectLink } from './schema.ts'

/** What making a link needs. */
export interface LinkMaker {
  prisma: PrismaClient
  outbound: Outbound
  /** Where the site's owner reaches Galley, without a trailing slash. */
  publicUrl: string
}

interface Maker {
  accountId: string
  /** Of the link; made where left out. */
  linkId?: string
}

interface LinksAsked {
  accountId: string
  ids?: string[] | undefined
  status?: ConnectLinkStatus[] | undefined
}

interface LinkId {
  accountId: string
  id: string
}

/**
 * Makes a link for the owner of a site, who connects it without handing anybody a password.
 *
 * @returns the link with its address, which is kept nowhere
 * @throws GalleyError 422 where the address leads to no WordPress; 409 `SITE_ID_TAKEN`
 */
export async function createConnectLink(
  { prisma, outbound, publicUrl }: LinkMaker,
  { accountId, linkId = uuid(), url, expires_in, ...requested }: NewConnectLink & Maker,
): Promise<ConnectLinkView & { link: string }> {
  const { home, restRoot } = await asRefusal(() => discover(outbound, url))
  if (requested.id !== undefined) await refuseOther(prisma, { accountId, id: requested.id }, restRoot)
  const token = createToken()
  const row = await prisma.connectLink.create({
    data: {
      id: linkId,
      accountId,
      tokenHash: hashToken(token),
      url: withoutSlash(home),
      restRoot,
      requested,
      expiresAt: new Date(Date.now() + expires_in * 1000),
    },
  })
  return { ...linkView(row), link: `${publicUrl}/connect/${token}` }
}

/** A link under the id of a connected site connects that site again; another site cannot take its id. */
async function refuseOther(prisma: PrismaClient, { accountId, id }: LinkId, restRoot: string): Promise<void> {
  const site = await prisma.site.findUnique({ where: { accountId_id: { accountId, id } } })
  if (site !== null && site.restRoot !== restRoot) throw idTaken(id)
}

/**
 * The links of an account, the newest first.
 *
 * @param status one of these; any where left out
 * @param ids the only ones that may be among them, of this page; all where left out
 */
export async function listConnectLinks(
  prisma: PrismaClient,
  { accountId, ids, status, limit, cursor }: PageRequest & LinksAsked,
): Promise<Page<ConnectLinkView>> {
  const rows = await prisma.connectLink.findMany({
    where: {
      accountId,
      id: { ...(cursor !== undefined && { lt: cursor }), ...(ids && { in: ids }) },
      ...(status && { OR: status.map((one) => inStatus(one, new Date())) }),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  const { items, nextCursor } = toPage(rows, limit)
  return { items: items.map(linkView), nextCursor }
}

/** @throws GalleyError 404 */
export async function getConnectLink(
  prisma: PrismaClient,
  { accountId, id }: LinkId,
): Promise<ConnectLinkView> {
  const row = await prisma.connectLink.findFirst({ where: { id, accountId } })
  if (row === null) throw linkUnknown(id)
  return linkView(row)
}

/** Ends an open link at once; one that was used stays so, and its site stays connected. @throws GalleyError 404 */
export async function revokeConnectLink(prisma: PrismaClient, link: LinkId): Promise<ConnectLinkView> {
  await prisma.connectLink.updateMany({
    where: { ...link, usedAt: null, revokedAt: null },
    data: { revokedAt: new Date() },
  })
  return getConnectLink(prisma, link)
}

/** Whether a link can be used, and if not, why. */
export function statusOf(
  { usedAt, revokedAt, expiresAt }: ConnectLink,
  now = new Date(),
): ConnectLinkView['status'] {
  if (usedAt !== null) return 'used'
  if (revokedAt !== null) return 'revoked'
  return expiresAt <= now ? 'expired' : 'open'
}

/** What {@link statusOf} says, as a condition. */
const inStatus = (status: ConnectLinkStatus, now: Date): Prisma.ConnectLinkWhereInput =>
  ({
    used: { usedAt: { not: null } },
    revoked: { usedAt: null, revokedAt: { not: null } },
    expired: { usedAt: null, revokedAt: null, expiresAt: { lte: now } },
    open: { usedAt: null, revokedAt: null, expiresAt: { gt: now } },
  })[status]

const problemSchema = z.object({ code: z.string(), message: z.string() }).nullable()

const linkView = (row: ConnectLink): ConnectLinkView => ({
  id: row.id,
  url: row.url,
  status: statusOf(row),
  expires_at: row.expiresAt.toISOString(),
  rejected_at: row.rejectedAt?.toISOString() ?? null,
  problem: problemSchema.parse(row.problem),
  site_id: row.siteId,
  used_at: row.usedAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
})

const linkUnknown = (id: string) =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `This account has no connect link ${id}. GET /v1/connect-links lists those it has.`,
  })
