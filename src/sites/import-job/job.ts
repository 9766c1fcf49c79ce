import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { z } from 'zod'
import { uuid as id, utcTimestamp } from '../../contract/scalars.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import { execute, storableJson } from '../../database/statement.ts'
import { apiCodeSchema, refusal } from '../../errors.ts'
import { addJob, assertJobQuota, defineJob, laneOf } from '../../jobs/job.ts'
import type { SealedColumn } from '../../secrets/check-keys.ts'
import type { Keyring } from '../../secrets/keyring.ts'
import { nameInMessages } from '../connection.ts'
import { type ImportRow, readRows, type SiteIdentity } from '../import-file.ts'
import type { SiteRegistry } from '../registry.ts'
import { type NewSite, newSiteSchema } from '../schema.ts'

/** Imports of an account that run at once, so that others do not wait for them. */
const LANES = 4

export const importJob = defineJob({
  name: 'import_sites',
  payload: z.object({ importId: z.guid(), accountId: z.guid() }),
  queue: ({ importId, accountId }) => `('import:' || ${accountId} || ':' || ${laneOf(importId, LANES)})`,
  key: ({ importId }) => `('import:' || ${importId})`,
})

interface NewImport {
  id?: string
  accountId: string
  csv: string
  dryRun: boolean
}

/**
 * Stores a file of sites for an import job, once by its id. Lines whose outcome needs no request to a site get it at once.
 * @returns the id of the import
 * @throws GalleyError 422 `CSV_UNREADABLE`; 429 `TOO_MANY_JOBS`
 */
export async function storeImport(
  { prisma, keyring, pool }: Pick<SiteRegistry, 'prisma' | 'keyring'> & { pool: Pool },
  { id = uuid(), accountId, csv, dryRun }: NewImport,
): Promise<string> {
  await assertJobQuota(pool, IMPORTS, { id, accountId })
  const known = await connectedSites(prisma, accountId)
  const lines = readRows(csv).map((row) => {
    const end = knownOutcome(known, row)
    const lineId = uuid()
    const site = 'site' in row && end === null ? row.site : null
    return {
      id: lineId,
      line: row.line,
      status: end?.status ?? 'waiting',
      requested: site && sealRequested(keyring, lineId, site),
      site_id: site?.id ?? uuid(),
      labels: row.labels,
      given: row.given,
      error: end?.error,
    }
  })
  await execute(pool, STORE, { id, accountId, dryRun, lines: storableJson(lines) })
  return id
}

export const IMPORTS = { table: 'site_import', called: 'imports' } as const

const STORE = `
  WITH stored AS (
    INSERT INTO site_import (id, account_id, dry_run) VALUES (:id, :accountId, :dryRun)
    ON CONFLICT (id) DO NOTHING RETURNING id
  ), lines AS (
    INSERT INTO site_import_line (id, import_id, line, status, requested, site_id, labels, given, error)
    SELECT line.id, stored.id, line.line, line.status, line.requested, line.site_id, line.labels, line.given, line.error
    FROM stored, jsonb_to_recordset(:lines::jsonb) AS line (id uuid, line int, status text, requested text, site_id uuid,
      labels jsonb, given jsonb, error jsonb)
  )
  SELECT ${addJob(importJob, { importId: 'id', accountId: ':accountId::uuid' })} FROM stored`

/** What becomes of a line, where that needs no request to a site. */
function knownOutcome(known: KnownSites, row: ImportRow): LineOutcome | null {
  const identity = 'site' in row ? row.site : row.unverified
  if (identity && isConnected(known, identity)) return CONNECTED_ALREADY
  if ('mistake' in row)
    return {
      status: 'refused',
      error: { code: 'INVALID_REQUEST', message: `${row.mistake}${row.unverified ? NO_PASSWORD : ''}` },
    }
  const names = [siteUserKey(row.site), ...(row.site.id === undefined ? [] : [row.site.id])]
  const first = names.map((name) => known.get(name)).find((line) => line !== undefined)
  if (first === undefined) {
    for (const name of names) known.set(name, row.line)
    return null
  }
  const message = `Line ${first} names the same site and user.`
  return { status: 'skipped', error: { code: 'NAMED_TWICE', message } }
}

const CONNECTED_ALREADY: LineOutcome = {
  status: 'skipped',
  error: { code: 'CONNECTED_ALREADY', message: 'This site is connected already, and stays as it is.' },
}

const NO_PASSWORD = '. The line has no application password: an exported file has none, so fill it in.'

/** Known sites, each with the line that names it, or 0 where it is connected already. */
type KnownSites = Map<string, number>

async function connectedSites(prisma: PrismaClient, accountId: string): Promise<KnownSites> {
  const sites = await prisma.site.findMany({
    where: { accountId },
    select: { id: true, url: true, username: true },
  })
  return new Map(sites.flatMap((site) => [[site.id, 0] as const, [siteUserKey(site), 0] as const]))
}

const isConnected = (known: KnownSites, site: SiteIdentity): boolean =>
  known.get(siteUserKey(site)) === 0 || (site.id !== undefined && known.get(site.id) === 0)

const siteUserKey = ({ url, username }: { url: string; username: string }): string =>
  `${nameInMessages(url).toLowerCase()} ${username}`

const requestedSiteIdentity = (lineId: string): string => `site_import_line:${lineId}:requested`

/** Seals a line's site and password until it is tried. */
export const sealRequested = (keyring: Keyring, lineId: string, site: NewSite): string =>
  keyring.encrypt(JSON.stringify(site), requestedSiteIdentity(lineId))

/** @throws GalleyError `secret_key_missing`, `secret_unreadable` */
export const openRequested = (keyring: Keyring, lineId: string, sealed: string): NewSite =>
  newSiteSchema.parse(JSON.parse(keyring.decrypt(sealed, requestedSiteIdentity(lineId))))

/** Sealed sites of unfinished imports. */
export const siteImportSecrets: SealedColumn = {
  table: 'site_import_line',
  column: 'requested',
  key: ['id'],
  of: 'site',
  identity: requestedSiteIdentity,
}

const importLineSchema = z
  .object({
    line: z.int().describe("In the file; 1 is the header's."),
    // would_connect: of a dry run. skipped: connected already, or named further up.
    status: z.enum(['waiting', 'connected', 'would_connect', 'refused', 'skipped']),
    id: z.guid().optional(),
    labels: z.array(z.string()).optional().describe('As they were read; absent where the line could not be.'),
    site: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        'The other columns of the line, without the password; absent where the line could not be read.',
      ),
    error: z.object({ code: apiCodeSchema, message: z.string() }).optional(),
  })
  .meta({ id: 'ImportLine' })

/** What came of a line. */
export type LineOutcome = Pick<z.output<typeof importLineSchema>, 'status' | 'error'>

/** An import in answers, with a page of its lines. */
export const importSchema = z
  .object({
    id,
    dry_run: z.boolean(),
    status: z.enum(['running', 'done']),
    lines: z.int(),
    waiting: z.int(),
    connected: z.int(),
    would_connect: z.int().describe('Of a dry run: how many would be connected.'),
    refused: z.int(),
    skipped: z.int(),
    created_at: utcTimestamp,
    ended_at: utcTimestamp.nullable(),
    results: z.array(importLineSchema),
  })
  .meta({ id: 'SiteImport' })

interface ImportQuery {
  accountId: string
  id: string
  limit: number
  /** The last line of the previous page. */
  cursor?: number | undefined
}

/** Progress of an import, with the lines after `cursor`. @throws GalleyError 404 */
export async function getImport(
  prisma: PrismaClient,
  { accountId, id, limit, cursor = 0 }: ImportQuery,
): Promise<{ view: z.output<typeof importSchema>; nextCursor: string | null }> {
  const row = await prisma.siteImport.findFirst({ where: { id, accountId } })
  if (row === null)
    throw refusal(
      'NOT_FOUND',
      `This account has no import ${id}. The answer of POST /v1/imports has the id of the import that it started.`,
      404,
    )
  const groups = await prisma.siteImportLine.groupBy({
    by: ['status'],
    where: { importId: id },
    _count: true,
  })
  const counts = Object.fromEntries(groups.map(({ status, _count }) => [status, _count]))
  const found = await prisma.siteImportLine.findMany({
    where: { importId: id, line: { gt: cursor } },
    omit: { requested: true },
    orderBy: { line: 'asc' },
    take: limit + 1,
  })
  const page = found.slice(0, limit)
  const view = importSchema.parse({
    id,
    dry_run: row.dryRun,
    status: row.endedAt === null ? 'running' : 'done',
    lines: groups.reduce((sum, { _count }) => sum + _count, 0),
    ...{ waiting: 0, connected: 0, would_connect: 0, refused: 0, skipped: 0, ...counts },
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    results: page.map(({ line, status, siteId, labels, given, error }) => ({
      line,
      status,
      ...(status === 'connected' && { id: siteId }),
      ...(labels !== null && { labels }),
      ...(given !== null && { site: given }),
      ...(error !== null && { error }),
    })),
  })
  return { view, nextCursor: found.length > limit ? String(page.at(-1)?.line) : null }
}
