import { v7 as uuid } from 'uuid'
import { Prisma, type PrismaClient } from '../database/generated/client.ts'
import { PATIENT, type Rows, rowsIn } from '../database/transaction.ts'
import { GalleyError } from '../errors.ts'
import { type Page, type PageRequest, toPage } from '../paging.ts'
import { createToken, hashToken, type Keyring } from '../secrets/index.ts'
import type { SeenSites } from '../seen-sites.ts'
import { webhookUrl } from '../webhook/path.ts'
import { limitColumns, requireUpstream } from './limit-columns.ts'
import { addressBefore, previousAddress, previousSecret } from './previous.ts'
import type { NewSource, Rotation, SourcePatch, SourceView, SourceWithSecrets } from './schema.ts'
import { signingSecretOf, sourceColumns } from './secrets.ts'
import { seenSources } from './seen.ts'
import { upstreamColumns } from './upstream.ts'
import { sourceView } from './view.ts'

/** What the registry of sources works with. */
export interface SourceStore {
  prisma: PrismaClient
  keyring: Keyring
  /** Where senders reach Galley, without a trailing slash. */
  publicUrl: string
}

/** Names one source of one account. */
export interface SourceId {
  accountId: string
  id: string
}

/** A source as somebody asks for it who may see some sites only. */
export interface SourceAsked extends SourceId {
  siteIds: SeenSites
}

/**
 * Makes a source. Its address, and a secret made for it, are in the answer this once.
 *
 * @param id of an earlier attempt, whose answer nobody has seen: what that made is replaced
 * @throws GalleyError 422 `UPSTREAM_ADDRESS_NEEDED`, `UPSTREAM_NEEDED`
 */
export async function createSource(
  { prisma, keyring, publicUrl }: SourceStore,
  { accountId, id = uuid(), ...requested }: NewSource & { accountId: string; id?: string },
): Promise<SourceWithSecrets> {
  const token = createToken()
  const { secret, made } = signingSecretOf(requested.signing_secret)
  const none = { upstreamBaseUrl: null, upstreamApiKey: null, confirm: false, backfill: false }
  const upstream = upstreamColumns(keyring, id, none, requested)
  const limits = limitColumns(requested)
  requireUpstream({
    ...none,
    ...upstream,
    confirm: requested.confirm ?? false,
    backfill: requested.backfill ?? false,
  })
  const columns = {
    ...sourceColumns(keyring, id, requested, secret),
    ...upstream,
    ...limits,
    name: requested.name,
  }
  const row = await prisma.source.create({ data: { id, accountId, tokenHash: hashToken(token), ...columns } })
  return { ...sourceView(row), url: webhookUrl(publicUrl, token), signing_secret: made }
}

/** The sources of an account, the newest first. */
export async function listSources(
  { prisma }: Pick<SourceStore, 'prisma'>,
  { accountId, siteIds, limit, cursor }: PageRequest & { accountId: string; siteIds: SeenSites },
): Promise<Page<SourceView>> {
  const seen = await seenSources(prisma, accountId, siteIds)
  const before = cursor === undefined ? {} : { lt: cursor }
  const rows = await prisma.source.findMany({
    where: { accountId, removedAt: null, id: { ...seen, ...before } },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  const { items, nextCursor } = toPage(rows, limit)
  return { items: items.map(sourceView), nextCursor }
}

/** @throws GalleyError 404 `NOT_FOUND` */
export async function getSource(
  { prisma }: Pick<SourceStore, 'prisma'>,
  source: SourceAsked,
): Promise<SourceView> {
  const row = await prisma.source.findFirst({ where: await asked(prisma, source) })
  if (row === null) throw sourceUnknown(source)
  return sourceView(row)
}

/** The source, if whoever asks may see it, for a condition of Prisma's. */
async function asked(prisma: PrismaClient, { accountId, id, siteIds }: SourceAsked) {
  const seen = await seenSources(prisma, accountId, siteIds)
  return { accountId, removedAt: null, id: { equals: id, ...seen } }
}

/** @throws GalleyError 404 where there is none that whoever asks may see */
export async function requireSeen(
  { prisma }: Pick<SourceStore, 'prisma'>,
  source: SourceAsked,
): Promise<void> {
  if ((await prisma.source.count({ where: await asked(prisma, source) })) === 0) throw sourceUnknown(source)
}

/**
 * Changes a source, from its next webhook on. A secret made for it is in the answer this once.
 *
 * @param resume starts again what its upstream refused, in the transaction that gives it another address or key
 * @throws GalleyError 404; 409 `SOURCE_BUILT_IN`; 422 `UPSTREAM_KEY_NEEDED`, `UPSTREAM_ADDRESS_NEEDED`,
 *   `UPSTREAM_NEEDED`
 */
export async function updateSource(
  { prisma, keyring }: Pick<SourceStore, 'prisma' | 'keyring'>,
  source: SourceId,
  requested: SourcePatch,
  resume: (transaction: Rows, source: SourceId) => Promise<unknown>,
): Promise<SourceView & { signing_secret: string | null }> {
  const { secret, made } = signingSecretOf(requested.signing_secret)
  const disabledAt = requested.disabled === undefined ? undefined : requested.disabled ? new Date() : null
  const columns = { ...sourceColumns(keyring, source.id, requested, secret), disabledAt }
  const row = await prisma.$transaction(async (transaction) => {
    // Of two changes at once, the later sees the secret of the earlier as the one before its own. Who stores an event
    // has locked its delivery, and then the key of its source: against that this lock is none, as `resume` locks both.
    await transaction.$queryRaw`SELECT id FROM source WHERE id = ${source.id}::uuid FOR NO KEY UPDATE`
    const stored = await transaction.source.findFirst({ where: { ...source, removedAt: null } })
    if (stored === null) throw sourceUnknown(source)
    if (stored.builtIn) throw sourceBuiltIn()
    // Nor does it part the upstream's key from its address.
    const upstream = upstreamColumns(keyring, source.id, stored, requested)
    const { confirm = stored.confirm, backfill = stored.backfill } = requested
    requireUpstream({ ...stored, ...upstream, confirm, backfill })
    const before = { ...previousSecret(stored, requested), ...previousAddress(stored, requested) }
    const mended = changesUpstream(requested)
    if (mended) await resume(rowsIn(transaction), source)
    const trouble = mended ? NO_OUTAGE : {}
    const data = { ...columns, ...limitColumns(requested), ...upstream, ...before, ...trouble }
    return transaction.source.update({ where: { id: source.id }, data })
  }, PATIENT)
  return { ...sourceView(row), signing_secret: made }
}

/**
 * Gives a source a new address; the old one works beside it for as long as is asked for, and one before that ends now.
 *
 * @param againSince when an earlier attempt at the same request began
 * @throws GalleyError 404; 409 `SOURCE_BUILT_IN`
 */
export async function rotateSource(
  { prisma, publicUrl }: Pick<SourceStore, 'prisma' | 'publicUrl'>,
  source: SourceId,
  requested: Rotation,
  againSince?: Date,
): Promise<SourceWithSecrets> {
  const token = createToken()
  const row = await prisma.$transaction(async (transaction) => {
    // Of two rotations at once, the later has the address of the earlier as the one before its own.
    await transaction.$queryRaw`SELECT id FROM source WHERE id = ${source.id}::uuid FOR UPDATE`
    const stored = await transaction.source.findFirst({ where: { ...source, removedAt: null } })
    if (stored === null) throw sourceUnknown(source)
    if (stored.builtIn) throw sourceBuiltIn()
    const data = { ...addressBefore(stored, requested, againSince), tokenHash: hashToken(token) }
    return transaction.source.update({ where: { id: source.id }, data })
  })
  return { ...sourceView(row), url: webhookUrl(publicUrl, token), signing_secret: null }
}

/** Whether a change is of what the upstream is asked with: what it refused before may be accepted now. */
const changesUpstream = ({ upstream_base_url: url, upstream_api_key: key }: SourcePatch): boolean =>
  typeof url === 'string' || typeof key === 'string'

const NO_OUTAGE = { upstreamTrouble: Prisma.DbNull, upstreamPausedUntil: null, upstreamTroubleCount: 0 }

export const sourceUnknown = ({ id }: SourceId) =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `This account has no source ${id}. GET /v1/sources lists those it has.`,
  })

/** Nobody sends through it, so nobody may give it an address or a secret, nor take it away. */
export const sourceBuiltIn = () =>
  new GalleyError({
    code: 'SOURCE_BUILT_IN',
    httpStatus: 409,
    message:
      'This source is Galley’s own: the documents that it creates, or that are sent to POST /v1/deliveries, come in through it. It has no address, and cannot be changed or removed.',
  })
