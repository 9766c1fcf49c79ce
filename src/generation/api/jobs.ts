import type { Pool } from 'pg'
import { z } from 'zod'
import type { DocumentRequest, JobKind, RequestByKind } from '../../contract/generation/requests.ts'
import { type GenerationStep, type JobError, jobErrorSchema } from '../../contract/generation/results.ts'
import { oneOrMany, uuid } from '../../contract/scalars.ts'
import { named } from '../../database/statement.ts'
import { GalleyError } from '../../errors.ts'
import { type Page, type PageRequest, toPage } from '../../lib/paging.ts'
import { stepsOf } from '../jobs/job.ts'

/** Kinds and states of all jobs; each kind's own states are in its status. */
const kindSchema = z.enum(['document', 'audio', 'image'])
const statusSchema = z.enum([
  'pending',
  'researching',
  'generating',
  'images',
  'audio',
  'completed',
  'failed',
])
const stepSchema = jobErrorSchema.shape.step

/** Query filters of the list of jobs. */
export const jobFilterSchema = z.strictObject({
  kind: kindSchema.optional().describe('Only jobs of this kind.'),
  status: oneOrMany(statusSchema).optional().describe('Only those in one of these states.'),
})

export const jobSchema = z
  .object({
    id: uuid,
    kind: kindSchema,
    status: statusSchema,
    title: z
      .string()
      .describe('Of the finished document; before, and of audio and images, how what was asked for begins.'),
    price: z.int().describe('What it costs in credits; refunded if it fails.'),
    error: jobErrorSchema.nullable(),
    site_id: uuid.nullable().describe('The site that its document is for.'),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Job' })

const partSchema = z.object({
  name: z.string().describe('Such as `outline`, `section-3` or `page-2`.'),
  at: z.iso.datetime().describe('When it was there.'),
})

/** A job in full, without its result. */
export const detailedJobSchema = jobSchema
  .extend({
    request: z.record(z.string(), z.unknown()).describe('What was asked for, with every default.'),
    steps: z
      .array(
        z.object({
          step: stepSchema,
          of: z.int().nullable().describe('How many parts it has, where that is known.'),
          parts: z.array(partSchema).describe('Those that are there, in the order in which they came.'),
        }),
      )
      .describe('The steps that it goes through, in their order.'),
    sources: z
      .array(z.object({ url: z.string(), title: z.string(), published: z.string().nullable() }))
      .describe('Pages that were read for it.'),
  })
  .meta({ id: 'JobInDetail' })

export const priceSchema = z
  .object({
    price: z.int().describe('Credits.'),
    credits: z.int().nullable().describe('What the account has; null where it has no limit.'),
    unavailable: z
      .object({ message: z.string(), settings: z.array(z.string()) })
      .nullable()
      .describe(
        'Why it cannot be created here, and which settings whoever runs this Galley has to set; null where it can.',
      ),
  })
  .meta({ id: 'Price' })

type JobFilter = z.output<typeof jobFilterSchema>
type JobView = z.output<typeof jobSchema>
type DetailedJob = z.output<typeof detailedJobSchema>
export type PriceView = z.output<typeof priceSchema>

interface JobSummaryRow {
  id: string
  kind: JobKind
  status: JobView['status']
  title: string | null
  price: number
  error: JobError | null
  site_id: string | null
  created_at: Date
  started_at: Date | null
  ended_at: Date | null
}

const LONGEST_TITLE = 200

const JOB_COLUMNS = `id, kind, status, price, error, request #>> '{delivery,id}' AS site_id, created_at, started_at,
  ended_at, left(coalesce(result ->> 'title', request ->> 'prompt', request ->> 'text'), ${LONGEST_TITLE}) AS title`

interface JobsRequest extends PageRequest, JobFilter {
  accountId: string
  /** Restricts the page to these; all where left out. */
  ids?: string[] | undefined
}

const CONDITIONS = {
  kind: 'kind = :kind::text',
  status: 'status = ANY (:status::text[])',
  cursor: 'id < :cursor::uuid',
  ids: 'id = ANY (:ids::uuid[])',
} as const

export async function listJobs(
  pool: Pool,
  { accountId, limit, ...filter }: JobsRequest,
): Promise<Page<JobView>> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  const conditions = given.map(([name]) => ` AND ${CONDITIONS[name as keyof typeof CONDITIONS]}`).join('')
  const { rows } = await pool.query<JobSummaryRow>(
    named(
      `SELECT ${JOB_COLUMNS} FROM generation_job WHERE account_id = :accountId::uuid${conditions}
       ORDER BY id DESC LIMIT :limit::int + 1`,
      { accountId, limit, ...Object.fromEntries(given) },
    ),
  )
  const { items, nextCursor } = toPage(rows, limit)
  return { items: items.map(jobView), nextCursor }
}

const jobView = (row: JobSummaryRow): JobView => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  title: row.title ?? '',
  price: row.price,
  error: row.error,
  site_id: row.site_id,
  created_at: row.created_at.toISOString(),
  started_at: row.started_at?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
})

type AnyRequest = RequestByKind[JobKind]

interface DetailedJobRow extends JobSummaryRow {
  request: AnyRequest
  progress: Partial<Record<GenerationStep, number>>
}

interface PartRow {
  step: GenerationStep
  name: string
  answered_at: Date
  page: string | null
}

/** A page as research stores it; an unreadable one has no address. */
const pageSchema = z.object({ url: z.string(), title: z.string(), published: z.string().optional() })

/**
 * A job with its request, the progress of each step and the pages read for it.
 *
 * @throws GalleyError 404: unknown, or of another account
 */
export async function getJob(
  pool: Pool,
  { accountId, id }: { accountId: string; id: string },
): Promise<DetailedJob> {
  const { rows } = await pool.query<DetailedJobRow>(
    named(
      `SELECT ${JOB_COLUMNS}, request, progress FROM generation_job WHERE id = :id::uuid AND account_id = :accountId::uuid`,
      { id, accountId },
    ),
  )
  const [row] = rows
  if (row === undefined)
    throw new GalleyError({
      code: 'NOT_FOUND',
      httpStatus: 404,
      message: `This account has no job ${id}. GET /v1/jobs lists those it has.`,
    })
  const parts = await partsOf(pool, id)
  const { request, progress } = row
  return {
    ...jobView(row),
    request: { ...request },
    steps: requestedSteps(row).map((step) => ({
      step,
      of: progress[step] ?? null,
      parts: parts
        .filter((part) => part.step === step)
        .map(({ name, answered_at }) => ({ name, at: answered_at.toISOString() })),
    })),
    sources: sourcesOf(parts),
  }
}

async function partsOf(pool: Pool, id: string): Promise<PartRow[]> {
  const { rows } = await pool.query<PartRow>(
    named(
      `SELECT step, name, answered_at,
         CASE WHEN step = 'researching' AND name LIKE 'page-%' THEN answer ->> 'text' END AS page
       FROM generation_part WHERE job_id = :id::uuid AND answered_at IS NOT NULL ORDER BY answered_at, name`,
      { id },
    ),
  )
  return rows
}

/** Pictures and narration are optional steps of a document. */
function requestedSteps({ kind, request }: DetailedJobRow): GenerationStep[] {
  if (kind !== 'document') return [...stepsOf[kind]]
  const { image, audio } = request as DocumentRequest
  return stepsOf.document.filter(
    (step) => (step !== 'images' || image.enabled) && (step !== 'audio' || audio.enabled),
  )
}

/** In the search's order, each address once. */
function sourcesOf(parts: readonly PartRow[]): DetailedJob['sources'] {
  const pages = parts
    .filter(({ page }) => page !== null)
    .toSorted((one, other) => pageNumber(one) - pageNumber(other))
    .flatMap(({ page }) => {
      const { success, data } = pageSchema.safeParse(JSON.parse(page ?? 'null'))
      return success ? [{ url: data.url, title: data.title, published: data.published ?? null }] : []
    })
  return [...new Map(pages.map((page) => [page.url, page])).values()]
}

const pageNumber = ({ name }: PartRow): number => Number(name.slice('page-'.length))
