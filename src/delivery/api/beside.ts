import type { Delivery, Site } from '../../database/generated/client.ts'
import type { Database } from '../../database/index.ts'
import { named } from '../../database/named.ts'
import { waitsForSite } from '../ledger/resume.ts'

/** What a delivery may wait for. */
export const waits = ['turn', 'time', 'site', 'resume', 'connection', 'owner', 'decision'] as const

/** Where a delivery stands: the last line of its timeline, and what it waits for. */
export interface Stands {
  step: string | null
  outcome: string | null
  /** ISO 8601. */
  at: string | null
  /** Null where it is under way, or at its end. */
  waits_for: (typeof waits)[number] | null
}

/** Of one whose timeline was thinned. */
export const NOWHERE = { step: null, outcome: null, at: null }

type KnownSite = Pick<Site, 'id' | 'name' | 'labels' | 'pausedUntil' | 'stoppedAt' | 'trouble'>

/** What stands in other tables about some deliveries. */
export interface Beside {
  sites: ReadonlyMap<string, KnownSite>
  /** Names of sources. */
  sources: ReadonlyMap<string, string>
  /** The last line of each timeline. */
  steps: ReadonlyMap<string, Omit<Stands, 'waits_for'>>
}

type Row = Pick<Delivery, 'id' | 'siteId' | 'sourceId'>

/** Reads what stands beside these rows, a statement for each table. */
export async function readBeside(
  { prisma, pool }: Pick<Database, 'prisma' | 'pool'>,
  accountId: string,
  rows: readonly Row[],
): Promise<Beside> {
  const sites = await prisma.site.findMany({
    where: { accountId, id: { in: [...new Set(rows.map(({ siteId }) => siteId))] } },
    select: { id: true, name: true, labels: true, pausedUntil: true, stoppedAt: true, trouble: true },
  })
  const sources = await prisma.source.findMany({
    where: {
      accountId,
      id: { in: [...new Set(rows.flatMap(({ sourceId }) => sourceId ?? []))] },
      removedAt: null,
    },
    select: { id: true, name: true },
  })
  const { rows: steps } = await pool.query<{ delivery_id: string; step: string; outcome: string; at: Date }>(
    named(
      `SELECT last.* FROM unnest(:ids::uuid[]) AS d (id), LATERAL (
         SELECT delivery_id, step, outcome, at FROM delivery_step WHERE delivery_id = d.id ORDER BY id DESC LIMIT 1) last`,
      { ids: rows.map(({ id }) => id) },
    ),
  )
  return {
    sites: new Map(sites.map((site) => [site.id, site])),
    sources: new Map(sources.map(({ id, name }) => [id, name])),
    steps: new Map(
      steps.map(({ delivery_id, step, outcome, at }) => [
        delivery_id,
        { step, outcome, at: at.toISOString() },
      ]),
    ),
  }
}

type Waiting = Pick<Delivery, 'status' | 'dueAt' | 'error'>

/** What a delivery waits for: its site, itself, a person, in this order. */
export function waitsFor(
  { status, dueAt, error }: Waiting,
  site: KnownSite | undefined,
): Stands['waits_for'] {
  if (status === 'held') {
    const code = (error as { code?: string } | null)?.code ?? ''
    if (code === 'site_unknown') return 'connection'
    return waitsForSite.includes(code) ? 'owner' : 'decision'
  }
  if (status !== 'queued') return null
  if (site?.stoppedAt) return 'resume'
  if (site?.trouble) return 'site'
  return dueAt !== null && dueAt > new Date() ? 'time' : 'turn'
}

/**
 * A queued delivery waits for its own time and for its site's, whichever is later; with a site that is paused by hand,
 * nobody knows for when.
 */
export function nextAttempt({ status, dueAt }: Waiting, site: KnownSite | undefined): Date | null {
  if (status !== 'queued' || dueAt === null || site?.stoppedAt) return null
  const pause = site?.pausedUntil ?? null
  return pause !== null && pause > dueAt ? pause : dueAt
}
