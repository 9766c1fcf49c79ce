import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import {
  limitStatus,
  type SourceDefaults,
  type StatusLimit,
  withSourceDefaults,
} from '../contract/delivery.ts'
import { Prisma, type PrismaClient, type Source, type UnusableWebhook } from '../database/generated/client.ts'
import { queryRows } from '../database/statement.ts'
import { LONG_TRANSACTION, prismaRows, type RowSource } from '../database/transaction.ts'
import { conflict, refusal, unknownId, type Warning } from '../errors.ts'
import { type Page, type PageRequest, toPage } from '../lib/paging.ts'
import { isWithinVisible, type VisibleSites } from '../lib/visible-sites.ts'
import { wireRow } from '../lib/wire-row.ts'
import { createToken, hashToken, type Keyring } from '../secrets/keyring.ts'
import {
  type NewSource,
  type Rotation,
  type SourceLimits,
  type SourcePatch,
  type SourceView,
  type SourceWithSecrets,
  sourceSchema,
  UNUSABLE_QUIET_DAYS,
} from './schema.ts'
import {
  previousAddressColumns,
  previousSecretColumns,
  sealSigningSecret,
  unexpired,
  upstreamApiKeyIdentity,
} from './secrets.ts'
import { webhookUrl } from './sender.ts'

export interface SourceStore {
  prisma: PrismaClient
  keyring: Keyring
  /** Where senders reach Galley, without a trailing slash. */
  publicUrl: string
}

export interface SourceId {
  accountId: string
  id: string
}

/** A source as somebody asks for it who may see some sites only. */
export interface SourceRequest extends SourceId {
  siteIds: VisibleSites
}

/**
 * Makes a source. Its address, and a secret made for it, are in the answer this once.
 * @param id of an earlier attempt, whose answer nobody has seen
 * @throws GalleyError 422 `UPSTREAM_ADDRESS_NEEDED`, `UPSTREAM_NEEDED`
 */
export async function createSource(
  { prisma, keyring, publicUrl }: SourceStore,
  { accountId, id = uuid(), ...requested }: NewSource & { accountId: string; id?: string },
): Promise<SourceWithSecrets> {
  const token = createToken()
  const { signingSecret, made } = sealSigningSecret(keyring, id, requested.signing_secret)
  const upstream = { ...NO_UPSTREAM, ...upstreamColumns(keyring, id, NO_UPSTREAM, requested) }
  const { name, confirm = false, backfill = false } = requested
  requireUpstream({ ...upstream, confirm, backfill })
  const columns = { name, signingSecret, ...upstream, ...limitColumns(requested) }
  const row = await prisma.source.create({
    data: { id, accountId, tokenHash: hashToken(token), ...columns },
    include: withUnusable(),
  })
  return { ...sourceView(row), url: webhookUrl(publicUrl, token), signing_secret: made }
}

const NO_UPSTREAM = { upstreamBaseUrl: null, upstreamApiKey: null }

interface SourceListRequest extends PageRequest, Omit<SourceRequest, 'id'> {
  unusable?: boolean | undefined
  search?: string | undefined
}

/** The sources of an account, the newest first. */
export async function listSources(
  { prisma }: Pick<SourceStore, 'prisma'>,
  { accountId, siteIds, limit, cursor, unusable, search }: SourceListRequest,
): Promise<Page<SourceView>> {
  const seen = await visibleSources(prisma, { accountId, siteIds, search })
  const before = cursor === undefined ? {} : { lt: cursor }
  const rows = await prisma.source.findMany({
    where: {
      accountId,
      removedAt: null,
      id: { ...seen, ...before },
      ...(unusable && { unusable: { some: recently() } }),
    },
    include: withUnusable(),
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  return toPage(rows, limit, sourceView)
}

/** @throws GalleyError 404 `NOT_FOUND` where the caller sees no such source */
export async function getSource(
  { prisma }: Pick<SourceStore, 'prisma'>,
  { accountId, id, siteIds }: SourceRequest,
): Promise<SourceView> {
  const seen = await visibleSources(prisma, { accountId, siteIds })
  const row = await prisma.source.findFirst({
    where: { accountId, removedAt: null, id: { equals: id, ...seen } },
    include: withUnusable(),
  })
  if (row === null) throw unknownId('source', id)
  return sourceView(row)
}

/**
 * Changes a source, from its next webhook on. A secret made for it is in the answer this once.
 * @param resume starts again what its upstream refused, in the transaction that gives it another address or key
 * @throws GalleyError 404; 409 `SOURCE_BUILT_IN`; 422 `UPSTREAM_KEY_NEEDED`, `UPSTREAM_ADDRESS_NEEDED`,
 *   `UPSTREAM_NEEDED`
 */
export async function updateSource(
  { prisma, keyring }: Pick<SourceStore, 'prisma' | 'keyring'>,
  source: SourceId,
  requested: SourcePatch,
  resume: (database: RowSource, source: SourceId) => Promise<void>,
): Promise<SourceView & { signing_secret: string | null }> {
  const { signingSecret, made } = sealSigningSecret(keyring, source.id, requested.signing_secret)
  const disabledAt = requested.disabled === undefined ? undefined : requested.disabled ? new Date() : null
  const columns = { name: requested.name, signingSecret, disabledAt }
  const row = await prisma.$transaction(async (transaction) => {
    // A concurrent change waits here, and keeps the secret of this one as its previous one. Storing an event locks its
    // delivery, then the key of its source, and `resume` locks deliveries: NO KEY UPDATE lets the two pass each other.
    await transaction.$queryRaw`SELECT id FROM source WHERE id = ${source.id}::uuid FOR NO KEY UPDATE`
    const stored = await changeableSource(transaction, source)
    // The address and the key of the upstream change together.
    const upstream = upstreamColumns(keyring, source.id, stored, requested)
    const { confirm = stored.confirm, backfill = stored.backfill } = requested
    requireUpstream({ ...stored, ...upstream, confirm, backfill })
    const before = {
      ...previousSecretColumns(stored, requested),
      ...previousAddressColumns(stored, requested),
    }
    const mended = changesUpstream(requested)
    if (mended) await resume(prismaRows(transaction), source)
    const trouble = mended ? NO_OUTAGE : {}
    const data = { ...columns, ...limitColumns(requested), ...upstream, ...before, ...trouble }
    if (requested.unusable === null)
      await transaction.unusableWebhook.deleteMany({ where: { sourceId: source.id } })
    return transaction.source.update({ where: { id: source.id }, data, include: withUnusable() })
  }, LONG_TRANSACTION)
  return { ...sourceView(row), signing_secret: made }
}

/**
 * Gives a source a new address; the old one works beside it for as long as is asked for, and one before that ends now.
 * @param againSince when an earlier attempt at the same request began
 * @throws GalleyError 404; 409 `SOURCE_BUILT_IN`
 */
export async function rotateSource(
  { prisma, publicUrl }: Pick<SourceStore, 'prisma' | 'publicUrl'>,
  source: SourceId,
  { overlap_hours: hours }: Rotation,
  againSince?: Date,
): Promise<SourceWithSecrets> {
  const token = createToken()
  const row = await prisma.$transaction(async (transaction) => {
    await changeableSource(transaction, source)
    await queryRows(prismaRows(transaction), ROTATE, {
      ...{ id: source.id, hours, againSince: againSince ?? null },
      hash: hashToken(token),
    })
    return transaction.source.findUniqueOrThrow({ where: { id: source.id }, include: withUnusable() })
  })
  return { ...sourceView(row), url: webhookUrl(publicUrl, token), signing_secret: null }
}

// Of the address of an earlier attempt at the same request nobody heard: the one before it stays the previous one.
const ROTATE = `
  UPDATE source SET token_hash = :hash,
    previous_token_hash = CASE WHEN :hours::int = 0 THEN NULL
      WHEN previous_token_until >= :againSince::timestamptz + make_interval(hours => :hours::int) THEN previous_token_hash
      ELSE token_hash END,
    previous_token_until = CASE WHEN :hours::int > 0 THEN now() + make_interval(hours => :hours::int) END
  WHERE id = :id::uuid RETURNING id`

/** Whether a change is of what the upstream is asked with: what it refused before may be accepted now. */
const changesUpstream = ({ upstream_base_url: url, upstream_api_key: key }: SourcePatch): boolean =>
  typeof url === 'string' || typeof key === 'string'

const NO_OUTAGE = { upstreamTrouble: Prisma.DbNull, upstreamPausedUntil: null, upstreamTroubleCount: 0 }

/** @throws GalleyError 404; 409 `SOURCE_BUILT_IN` */
export async function changeableSource(
  transaction: Prisma.TransactionClient,
  source: SourceId,
): Promise<Source> {
  const stored = await transaction.source.findFirst({ where: { ...source, removedAt: null } })
  if (stored === null) throw unknownId('source', source.id)
  if (!stored.builtIn) return stored
  // Nobody sends through it, so nobody may give it an address or a secret, nor take it away.
  throw conflict(
    'SOURCE_BUILT_IN',
    'This source is Galley’s own: the documents that it creates, or that are sent to POST /v1/deliveries, come in through it. It has no address, and cannot be changed or removed.',
  )
}

/** What was not used a week ago and not since is no trouble any more. */
const recently = () => ({ lastAt: { gt: new Date(Date.now() - UNUSABLE_QUIET_DAYS * 86_400_000) } })

const withUnusable = () => ({ unusable: { where: recently(), orderBy: { lastAt: 'desc' as const } } })

const sourceView = (row: Source & { unusable: UnusableWebhook[] }): SourceView =>
  sourceSchema.parse({
    ...wireRow(row),
    signed: row.signingSecret !== null,
    previous_secret_until: unexpired(row.previousSecretUntil)?.toISOString() ?? null,
    previous_address_until: unexpired(row.previousTokenUntil)?.toISOString() ?? null,
    has_upstream_api_key: row.upstreamApiKey !== null,
    upstream_trouble: troubleOf(row),
    limits: { sites: row.siteIds, labels: row.labels, highest_status: row.highestStatus },
    unusable: row.unusable.map((one) => ({ ...wireRow(one), since: one.firstAt.toISOString() })),
    disabled: row.disabledAt !== null,
  })

const troubleOf = ({ upstreamTrouble, upstreamPausedUntil }: Source) =>
  upstreamTrouble === null
    ? null
    : { ...(upstreamTrouble as object), until: unexpired(upstreamPausedUntil)?.toISOString() ?? null }

/** The columns of what a source may do, and of what its documents get, as a request sets them. */
function limitColumns({ confirm, backfill, limits, defaults }: SourcePatch) {
  return {
    confirm,
    backfill,
    ...(limits !== undefined && {
      siteIds: limits?.sites ?? [],
      labels: limits?.labels ?? [],
      highestStatus: limits?.highest_status ?? null,
    }),
    ...(defaults !== undefined && { defaults: (defaults ?? {}) as Prisma.InputJsonObject }),
  }
}

type UpstreamUse = Pick<Source, 'confirm' | 'backfill' | 'upstreamBaseUrl' | 'upstreamApiKey'>

function requireUpstream({ confirm, backfill, upstreamBaseUrl, upstreamApiKey }: UpstreamUse): void {
  if (!(confirm || backfill) || (upstreamBaseUrl !== null && upstreamApiKey !== null)) return
  throw refusal(
    'UPSTREAM_NEEDED',
    `With "${confirm ? 'confirm' : 'backfill'}" Galley asks the API that made the documents. Nothing was changed. Give "upstream_base_url" and "upstream_api_key", or set it to false.`,
  )
}

type UpstreamSettings = Pick<Source, 'upstreamBaseUrl' | 'upstreamApiKey'>

/**
 * The columns of a source's upstream after a request. Its key is for one origin: with another it has to be given again.
 * @param stored both null for a new source
 * @throws GalleyError 422 `UPSTREAM_KEY_NEEDED`, `UPSTREAM_ADDRESS_NEEDED`
 */
function upstreamColumns(
  keyring: Keyring,
  id: string,
  stored: UpstreamSettings,
  { upstream_base_url: url, upstream_api_key: key }: SourcePatch,
): Partial<UpstreamSettings> {
  const address = url === undefined ? stored.upstreamBaseUrl : url
  if (typeof key === 'string') {
    if (address === null)
      throw refusal(
        'UPSTREAM_ADDRESS_NEEDED',
        'An upstream_api_key is for one address. Give "upstream_base_url" with it.',
      )
    const sealed = keyring.encrypt(key, upstreamApiKeyIdentity(id), new URL(address).origin)
    return { upstreamBaseUrl: address, upstreamApiKey: sealed }
  }
  if (key === null || address === null) return { upstreamBaseUrl: address, upstreamApiKey: null }
  if (stored.upstreamApiKey !== null && !sameOrigin(stored.upstreamBaseUrl, address))
    throw refusal(
      'UPSTREAM_KEY_NEEDED',
      `The stored upstream_api_key was given for ${stored.upstreamBaseUrl === null ? 'another address' : new URL(stored.upstreamBaseUrl).origin}, and not for ${new URL(address).origin}. Nothing was changed. Give "upstream_api_key" together with the new address.`,
    )
  return { upstreamBaseUrl: address }
}

const sameOrigin = (before: string | null, after: string): boolean =>
  before !== null && new URL(before).origin === new URL(after).origin

/** A condition of Prisma's: found by the search, and unable to send to a site that the caller does not see. Undefined for all. */
async function visibleSources(
  prisma: PrismaClient,
  { accountId, siteIds: sites, search }: Pick<SourceListRequest, 'accountId' | 'siteIds' | 'search'>,
) {
  if (sites === null && search === undefined) return undefined
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT id FROM source
    WHERE account_id = ${accountId}::uuid
      AND (${sites}::uuid[] IS NULL OR site_ids <@ ${sites}::uuid[] AND site_ids <> '{}' AND labels = '{}')
      AND (strpos(lower(name), lower(${search ?? ''})) > 0 OR id::text = lower(${search ?? ''}))`
  return { in: rows.map(({ id }) => id) }
}

/** @throws GalleyError 403 `FORBIDDEN` where a source could send to sites that whoever makes or changes it does not see */
export function requireVisibleLimits(sites: VisibleSites, limits: SourceLimits | null | undefined): void {
  const { sites: named = [], labels = [] } = limits ?? {}
  if (isWithinVisible(sites, { siteIds: named, labels })) return
  throw refusal(
    'FORBIDDEN',
    'This API key sees some sites only, and so may a source that it creates or changes: name sites among them in "limits.sites", and no labels.',
    403,
  )
}

/** A `delivery` with what its source says where it says nothing itself, and within its limit. @throws GalleyError 404 */
export async function fillFromSource(
  pool: Pool,
  { accountId, sourceId }: { accountId: string; sourceId: string | undefined },
  delivery: Members,
): Promise<{ delivery: Members; limited: Warning[] }> {
  if (sourceId === undefined) return { delivery, limited: [] }
  const [source] = await queryRows<StatusLimit & { defaults: SourceDefaults }>(
    pool,
    `SELECT defaults, name, highest_status AS "highestStatus" FROM source
     WHERE id = :sourceId AND account_id = :accountId AND removed_at IS NULL`,
    { accountId, sourceId },
  )
  if (source === undefined) throw unknownId('source', sourceId)
  const filled = withSourceDefaults(delivery, source.defaults)
  const { status, limited } = limitStatus(source, filled.post_status)
  return { delivery: { ...filled, post_status: status }, limited }
}

type Members = Record<string, unknown>
