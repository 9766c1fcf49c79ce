import type { Pool } from 'pg'
import { z } from 'zod'
import type { DocumentRequest, JobKind, RequestByKind } from '../../contract/generation/requests.ts'
import { type GenerationStep, jobErrorSchema } from '../../contract/generation/results.ts'
import { oneOrMany, singleLineText, uuid } from '../../contract/scalars.ts'
import { queryRows } from '../../database/statement.ts'
import { unknownId } from '../../errors.ts'
import { LEFT_OUT, resumableSteps, stepsOf } from '../jobs/job.ts'
import { costOf, costSchema } from './cost.ts'
import { WAITING_COLUMNS, type WaitingRow, waitingSchema, waitingView } from './status.ts'

const kindSchema = z.enum(['document', 'audio', 'image'])
const statusSchema = z.enum(['pending', ...stepsOf.document, 'completed', 'failed', 'cancelled'])
const stepSchema = jobErrorSchema.shape.step

export const jobFilterSchema = z.strictObject({
  kind: kindSchema.optional().describe('Only jobs of this kind.'),
  status: oneOrMany(statusSchema).optional().describe('Only those in one of these states.'),
  search: singleLineText(255)
    .optional()
    .describe('Text that the title, what was asked for or the id has, whatever its case.'),
})

export const jobSchema = z
  .object({
    id: uuid,
    kind: kindSchema,
    status: statusSchema,
    title: z
      .string()
      .describe('Of the finished document; before, and of audio and images, how what was asked for begins.'),
    price: z.int().describe('What it costs in credits.'),
    refunded: z
      .int()
      .describe(
        'Credits that were refunded: all of them if the job failed, those of steps not begun if it was cancelled.',
      ),
    error: jobErrorSchema.nullable(),
    waiting: waitingSchema.nullable(),
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
    missing: z
      .array(stepSchema)
      .describe('Steps of which something was left out: POST /v1/jobs/{uuid}/resume makes that again.'),
    cost: costSchema
      .nullable()
      .describe(
        'What providers have charged whoever runs this Galley for it so far; null for keys of other roles than `operator`.',
      ),
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

type JobView = z.output<typeof jobSchema>
type DetailedJob = z.output<typeof detailedJobSchema>
export type PriceView = z.output<typeof priceSchema>

interface JobSummaryRow
  extends WaitingRow,
    Pick<JobView, 'id' | 'kind' | 'status' | 'price' | 'refunded' | 'error' | 'site_id'> {
  title: string | null
  created_at: Date
  started_at: Date | null
  ended_at: Date | null
}

const LONGEST_TITLE = 200

const JOB_COLUMNS = `id, kind, status, price, error, request #>> '{delivery,id}' AS site_id, created_at, started_at,
  ended_at, coalesce((SELECT price FROM credit_entry WHERE job_id = generation_job.id AND kind = 'refund'), 0) AS refunded,
  left(coalesce(result ->> 'title', request ->> 'prompt', request ->> 'text'), ${LONGEST_TITLE}) AS title,
  ${WAITING_COLUMNS}`

/** Jobs of an account, the newest first. */
export async function readJobs(pool: Pool, accountId: string, ids: string[]): Promise<JobView[]> {
  const rows = await queryRows<JobSummaryRow>(
    pool,
    `SELECT ${JOB_COLUMNS} FROM generation_job WHERE account_id = :accountId::uuid AND id = ANY (:ids::uuid[])
     ORDER BY id DESC`,
    { accountId, ids },
  )
  return rows.map(jobView)
}

const jobView = (row: JobSummaryRow): JobView => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  title: row.title ?? '',
  price: row.price,
  refunded: row.refunded,
  error: row.error,
  waiting: waitingView(row),
  site_id: row.site_id,
  created_at: row.created_at.toISOString(),
  started_at: row.started_at?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
})

interface DetailedJobRow extends JobSummaryRow {
  request: RequestByKind[JobKind]
  progress: Partial<Record<GenerationStep, number>>
}

interface PartRow {
  step: GenerationStep
  name: string
  answered_at: Date
  page: string | null
}

const pageSchema = z.object({ url: z.string(), title: z.string(), published: z.string().optional() })

/** A job. @throws GalleyError 404: unknown, or of another account */
export const getJob = async (pool: Pool, job: JobId): Promise<JobView> =>
  jobView(await readJob<JobSummaryRow>(pool, job, JOB_COLUMNS))

/** A job with its request, steps, sources and, if wanted, cost. @throws GalleyError 404 */
export async function getDetailedJob(pool: Pool, job: JobId, withCost: boolean): Promise<DetailedJob> {
  const row = await readJob<DetailedJobRow>(pool, job, `${JOB_COLUMNS}, request, progress`)
  const [parts, cost] = await Promise.all([partsOf(pool, job.id), withCost ? costOf(pool, job.id) : null])
  const { request, progress } = row
  return {
    ...jobView(row),
    request: { ...request },
    steps: requestedSteps(row).map((step) => ({
      step,
      of: progress[step] ?? null,
      parts: parts
        .filter((part) => part.step === step && !part.name.endsWith(LEFT_OUT))
        .map(({ name, answered_at }) => ({ name, at: answered_at.toISOString() })),
    })),
    sources: sourcesOf(parts),
    missing: resumableSteps.filter((step) =>
      parts.some((part) => part.step === step && part.name.endsWith(LEFT_OUT)),
    ),
    cost,
  }
}

export interface JobId {
  accountId: string
  id: string
}

async function readJob<Row extends JobSummaryRow>(pool: Pool, { accountId, id }: JobId, columns: string) {
  const rows = await queryRows<Row>(
    pool,
    `SELECT ${columns} FROM generation_job WHERE id = :id::uuid AND account_id = :accountId::uuid`,
    { id, accountId },
  )
  if (rows[0] === undefined) throw unknownId('job', id)
  return rows[0]
}

async function partsOf(pool: Pool, id: string): Promise<PartRow[]> {
  return queryRows<PartRow>(
    pool,
    `SELECT step, name, answered_at,
       CASE WHEN step = 'researching' AND name LIKE 'page-%' THEN answer ->> 'text' END AS page
     FROM generation_part WHERE job_id = :id::uuid ORDER BY answered_at, name`,
    { id },
  )
}

function requestedSteps({ kind, request }: DetailedJobRow): GenerationStep[] {
  if (kind !== 'document') return [...stepsOf[kind]]
  const { image, audio } = request as DocumentRequest
  return stepsOf.document.filter(
    (step) => (step !== 'images' || image.enabled) && (step !== 'audio' || audio.enabled),
  )
}

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
