import { z } from 'zod'
import { utcTimestamp, uuid } from '../../contract/scalars.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import { apiCodeSchema, refusal } from '../../errors.ts'

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
    id: uuid,
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
