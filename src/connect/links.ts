import { createHmac } from 'node:crypto'
import { v7 as uuid } from 'uuid'
import { z } from 'zod'
import { DEFAULT_ACCOUNT_NAME } from '../accounts/accounts.ts'
import type { ConnectLink, Prisma, PrismaClient } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import { type Page, type PageRequest, toPage } from '../lib/paging.ts'
import { withoutTrailingSlash } from '../lib/text.ts'
import type { Outbound } from '../outbound/index.ts'
import { createToken, hashToken, secretsEqual } from '../secrets/index.ts'
import { idTaken } from '../sites/register.ts'
import { asCredentialError } from '../sites/verify-credentials.ts'
import { discover } from '../wordpress/discover/index.ts'
import {
  type ConnectLinkStatus,
  type ConnectLinkView,
  type NewConnectLink,
  requestedLinkSchema,
} from './schema.ts'

/** What making a link needs. */
interface LinkContext {
  prisma: PrismaClient
  outbound: Outbound
  /** Where the site's owner reaches Galley, without a trailing slash. */
  publicUrl: string
}

interface LinkCreator {
  accountId: string
  /** Of the link; made where left out. */
  linkId?: string
}

interface LinkQuery {
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
  { prisma, outbound, publicUrl }: LinkContext,
  { accountId, linkId = uuid(), url, expires_in, ...requested }: NewConnectLink & LinkCreator,
): Promise<ConnectLinkView & { link: string }> {
  const { home, restRoot } = await asCredentialError(() => discover(outbound, url))
  if (requested.id !== undefined) await refuseOtherSite(prisma, { accountId, id: requested.id }, restRoot)
  const token = createToken()
  const row = await prisma.connectLink.create({
    data: {
      id: linkId,
      accountId,
      tokenHash: hashToken(token),
      url: withoutTrailingSlash(home),
      restRoot,
      requested,
      expiresAt: new Date(Date.now() + expires_in * 1000),
    },
  })
  return { ...linkView(row), link: `${publicUrl}/connect/${token}` }
}

/** A link under the id of a connected site connects that site again; another site cannot take its id. */
async function refuseOtherSite(
  prisma: PrismaClient,
  { accountId, id }: LinkId,
  restRoot: string,
): Promise<void> {
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
  { accountId, ids, status, limit, cursor }: PageRequest & LinkQuery,
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
  const named = account.name === DEFAULT_ACCOUNT_NAME ? null : account.name
  return { token, row, askedBy: requestedLinkSchema.parse(row.requested).asked_by ?? named }
}

/**
 * The row of a link, also of an account that is disabled by now: an approval that connects nothing has left a password on
 * the site all the same.
 *
 * @throws GalleyError 404 `CONNECT_LINK_UNKNOWN`
 */
export async function findLinkRow(prisma: PrismaClient, token: string): Promise<ConnectLink> {
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

const unusableReasons = {
  unknown: 'There is no such connect link. Check that the address was copied whole.',
  used: 'This connect link has already been used, and each works only once.',
  expired: 'This connect link has expired. Ask whoever sent it for a new one.',
  revoked: 'This connect link was withdrawn by whoever sent it.',
} as const

type UnusableReason = keyof typeof unusableReasons

export const linkUnusable = (reason: UnusableReason) =>
  new GalleyError({
    code: `CONNECT_LINK_${reason.toUpperCase()}`,
    httpStatus: reason === 'unknown' ? 404 : 410,
    fault: 'owner',
    action: 'owner',
    message: unusableReasons[reason],
  })

/**
 * Binds an answer to the link it answers and to the browser that opened it. The browser keeps a random nonce in a
 * cookie; the state that travels to WordPress and back is that nonce under the link's own token. An answer to
 * another link, or one carried into another browser, does not fit.
 */
export const createNonce = createToken

/** What `createNonce` makes; anything else in the cookie is not ours. */
export const isNonce = (text: string): boolean => /^[0-9a-f]{48}$/.test(text)

export const csrfState = (token: string, nonce: string): string =>
  createHmac('sha256', token).update(nonce).digest('hex')

/** Compared in constant time. `nonce` is what the browser's cookie says, undefined where it has none. */
export const isValidState = (state: unknown, token: string, nonce: string | undefined): boolean =>
  typeof state === 'string' && nonce !== undefined && secretsEqual(state, csrfState(token, nonce))
