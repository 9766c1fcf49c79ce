import { z } from 'zod'
import { utcTimestamp, uuid } from '../../contract/scalars.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import { GalleyError } from '../../errors.ts'
import { importedLineSchema } from '../import.ts'

const status = importedLineSchema.shape.status

/** An import in answers, with a page of its lines. */
export const importSchema = z
  .object({
    id: uuid,
    dry_run: z.boolean(),
    status: z.enum(['running', 'done']),
    lines: z.int(),
    waiting: z.int(),
    connected: z.int(),
    refused: z.int(),
    skipped: z.int(),
    check_id: uuid.nullable().describe('The check of the connected sites: GET /v1/sites/check/{uuid}.'),
    created_at: utcTimestamp,
    ended_at: utcTimestamp.nullable(),
    results: z.array(
      importedLineSchema
        .extend({ status: z.enum(['waiting', ...status.options]) })
        .meta({ id: 'ImportLine' }),
    ),
  })
  .meta({ id: 'SiteImport' })

type ImportView = z.output<typeof importSchema>

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
): Promise<{ view: ImportView; nextCursor: string | null }> {
  const row = await prisma.siteImport.findFirst({ where: { id, accountId } })
  if (row === null) throw importUnknown(id)
  const groups = await prisma.siteImportLine.groupBy({
    by: ['status'],
    where: { importId: id },
    _count: true,
  })
  const of = (wanted: string) => groups.find(({ status }) => status === wanted)?._count ?? 0
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
    ...{ waiting: of('waiting'), connected: of('connected'), refused: of('refused'), skipped: of('skipped') },
    check_id: row.checkId,
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    results: page.map(({ line, status, siteId, error }) => ({
      line,
      status,
      ...(status === 'connected' && !row.dryRun && { id: siteId }),
      ...(error !== null && { error }),
    })),
  })
  return { view, nextCursor: found.length > limit ? String(page.at(-1)?.line) : null }
}

const importUnknown = (id: string) =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `This account has no import ${id}. The answer of POST /v1/sites/import has the id of the import that it started.`,
  })
