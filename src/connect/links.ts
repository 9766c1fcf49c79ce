import { createHmac } from 'node:crypto'
import { v7 as uuid } from 'uuid'
import { DEFAULT_ACCOUNT_NAME } from '../accounts/accounts.ts'
import type { ConnectLink, Prisma, PrismaClient } from '../database/generated/client.ts'
import { refusal, unknownId } from '../errors.ts'
import { withoutTrailingSlash } from '../lib/text.ts'
import { wireRow } from '../lib/wire-row.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { createToken, hashToken, secretsEqual } from '../secrets/keyring.ts'
import { idTaken } from '../sites/register.ts'
import { asCredentialError } from '../sites/verify-credentials.ts'
import { discover } from '../wordpress/discover/discover.ts'
import {
  type ConnectLinkStatus,
  type ConnectLinkView,
  connectLinkSchema,
  type NewConnectLink,
  requestedLinkSchema,
} from './schema.ts'

export interface LinkContext {
  prisma: PrismaClient
  outbound: Outbound
  /** Galley's public address, without a trailing slash. */
  publicUrl: string
}

type LinkRequest = Omit<NewConnectLink, 'mail_owner'> & { accountId: string; linkId?: string }

interface LinkId {
  accountId: string
  id: string
}

/** Creates a link for a site's owner; its address is not stored. @throws 422 where there is no WordPress; 409 `SITE_ID_TAKEN` */
export async function createConnectLink(
  { prisma, outbound, publicUrl }: LinkContext,
  { accountId, linkId = uuid(), url, expires_in, ...requested }: LinkRequest,
): Promise<ConnectLinkView & { link: string }> {
  const { home, restRoot } = await asCredentialError(() => discover(outbound, url))
  if (requested.id !== undefined) await isReconnection(prisma, { accountId, id: requested.id }, restRoot)
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

/**
 * Whether a link with this id reconnects a site of the account, which may have moved to https.
 * @throws GalleyError 409 `SITE_ID_TAKEN` where the id is another site's
 */
export async function isReconnection(
  prisma: Prisma.TransactionClient,
  { accountId, id }: LinkId,
  restRoot: string,
): Promise<boolean> {
  const site = await prisma.site.findUnique({ where: { accountId_id: { accountId, id } } })
  if (site !== null && ![restRoot, restRoot.replace(/^https:/, 'http:')].includes(site.restRoot))
    throw idTaken(id)
  return site !== null
}

/** Links of an account, the newest first. */
export async function readConnectLinks(
  prisma: PrismaClient,
  accountId: string,
  ids: string[],
): Promise<ConnectLinkView[]> {
  const where = { accountId, id: { in: ids } }
  return (await prisma.connectLink.findMany({ where, orderBy: { id: 'desc' } })).map(linkView)
}

/** @throws GalleyError 404 */
export async function getConnectLink(
  prisma: PrismaClient,
  { accountId, id }: LinkId,
): Promise<ConnectLinkView> {
  const row = await prisma.connectLink.findFirst({ where: { id, accountId } })
  if (row === null) throw unknownId('connect link', id)
  return linkView(row)
}

/** Revokes an unused link. A used one stays used, and its site stays connected. @throws GalleyError 404 */
export async function revokeConnectLink(prisma: PrismaClient, link: LinkId): Promise<ConnectLinkView> {
  await prisma.connectLink.updateMany({
    where: { ...link, usedAt: null, revokedAt: null },
    data: { revokedAt: new Date() },
  })
  return getConnectLink(prisma, link)
}

export function statusOf({ usedAt, revokedAt, expiresAt }: ConnectLink): ConnectLinkStatus {
  if (usedAt !== null) return 'used'
  if (revokedAt !== null) return 'revoked'
  return expiresAt <= new Date() ? 'expired' : 'open'
}

const linkView = (row: ConnectLink): ConnectLinkView =>
  connectLinkSchema.parse({ ...wireRow(row), status: statusOf(row) })

/** A link as the owner's browser has it. */
export interface OpenedLink {
  token: string
  row: ConnectLink
  /** The requester's name for the owner; null where unknown. */
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

/** Also of a disabled account, whose site has a password to revoke. @throws GalleyError 404 */
export async function findLinkRow(prisma: PrismaClient, token: string): Promise<ConnectLink> {
  const row = await prisma.connectLink.findUnique({ where: { tokenHash: hashToken(token) } })
  if (row === null) throw linkUnusable('unknown')
  return row
}

/** The open link of a token. @throws GalleyError 404 or 410 `CONNECT_LINK_…` */
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

export const linkUnusable = (reason: keyof typeof unusableReasons) =>
  refusal(`CONNECT_LINK_${reason.toUpperCase()}`, unusableReasons[reason], reason === 'unknown' ? 404 : 410)

/** Binds an answer to link and browser: the HMAC of the cookie's nonce under the token. */
export const csrfState = (token: string, nonce: string): string =>
  createHmac('sha256', token).update(nonce).digest('hex')

/** Compares in constant time. @param nonce of the cookie; undefined without one */
export const isValidState = (state: unknown, token: string, nonce: string | undefined): boolean =>
  typeof state === 'string' && nonce !== undefined && secretsEqual(state, csrfState(token, nonce))
