import { z } from 'zod'
import type { PrismaClient } from '../../database/generated/client.ts'
import { GalleyError } from '../../errors.ts'
import { type PageRequest, toPage } from '../../paging.ts'

const status = z
  .enum(['waiting', 'ok', 'warning', 'problem', 'gone'])
  .describe('The level of the report; absent where the site was removed meanwhile.')

/** How far a check of many sites is, and what it found. */
export const siteCheckSchema = z
  .object({
    id: z.guid(),
    status: z.enum(['running', 'done']),
    counts: z
      .object({
        waiting: z.int(),
        ok: z.int(),
        warning: z.int(),
        problem: z.int(),
        gone: z.int(),
      })
      .describe('Sites by what was found.'),
    results: z
      .array(
        z.object({
          site_id: z.guid(),
          name: z.string().nullable().describe('Null where the site was removed.'),
          status,
          checked_at: z.iso.datetime().nullable(),
        }),
      )
      .describe('A page of them, by site. GET /v1/sites/{uuid} has the report.'),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'SiteCheck' })

export type SiteCheckView = z.output<typeof siteCheckSchema>

/**
 * @param siteIds the only sites whose results are shown; null for all
 * @throws GalleyError 404
 */
export async function getCheck(
  prisma: PrismaClient,
  {
    accountId,
    siteIds,
    id,
    limit,
    cursor,
  }: PageRequest & { accountId: string; siteIds: string[] | null; id: string },
): Promise<{ check: SiteCheckView; nextCursor: string | null }> {
  const check = await prisma.siteCheck.findFirst({ where: { id, accountId } })
  if (check === null) throw checkUnknown(id)
  const seen = siteIds === null ? {} : { siteId: { in: siteIds } }
  const groups = await prisma.siteCheckResult.groupBy({
    by: ['status'],
    where: { checkId: id, ...seen },
    _count: true,
  })
  const rows = await prisma.siteCheckResult.findMany({
    where: { checkId: id, siteId: { ...(cursor !== undefined && { gt: cursor }), ...seen.siteId } },
    orderBy: { siteId: 'asc' },
    take: limit + 1,
  })
  const { items, nextCursor } = toPage(
    rows.map((row) => ({ ...row, id: row.siteId })),
    limit,
  )
  const sites = await prisma.site.findMany({
    where: { accountId, id: { in: items.map(({ siteId }) => siteId) } },
    select: { id: true, name: true },
  })
  const names = new Map(sites.map((site) => [site.id, site.name]))
  const count = (wanted: string) => groups.find((group) => group.status === wanted)?._count ?? 0
  return {
    check: {
      id,
      status: check.finishedAt === null ? 'running' : 'done',
      counts: {
        waiting: count('waiting'),
        ok: count('ok'),
        warning: count('warning'),
        problem: count('problem'),
        gone: count('gone'),
      },
      results: items.map((row) => ({
        site_id: row.siteId,
        name: names.get(row.siteId) ?? null,
        status: status.parse(row.status),
        checked_at: row.checkedAt?.toISOString() ?? null,
      })),
      created_at: check.createdAt.toISOString(),
      finished_at: check.finishedAt?.toISOString() ?? null,
    },
    nextCursor,
  }
}

const checkUnknown = (id: string) =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `This account has no check ${id}. POST /v1/sites/check starts one.`,
  })
