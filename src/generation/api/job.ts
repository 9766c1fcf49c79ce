import type { Pool } from 'pg'
import { z } from 'zod'
import type { DocumentRequest } from '../../contract/generation/requests.ts'
import type { Step } from '../../contract/generation/results.ts'
import { named } from '../../database/named.ts'
import { GalleyError } from '../../errors.ts'
import { stepsOf } from '../jobs/row.ts'
import type { JobInDetail } from './job-schemas.ts'
import { type AnyRequest, COLUMNS, type JobColumns, jobView } from './list.ts'

interface Row extends JobColumns {
  request: AnyRequest
  progress: Partial<Record<Step, number>>
}

interface Part {
  step: Step
  name: string
  answered_at: Date
  /** What a page that was read says, as JSON; of no other part. */
  page: string | null
}

/** A page as research keeps it; one that could not be read has no address. */
const pageSchema = z.object({ url: z.string(), title: z.string(), published: z.string().optional() })

/**
 * A job with what was asked for, how far each step is, and the pages that were read for it.
 *
 * @throws GalleyError 404: unknown, or of another account
 */
export async function getJob(
  pool: Pool,
  { accountId, id }: { accountId: string; id: string },
): Promise<JobInDetail> {
  const { rows } = await pool.query<Row>(
    named(
      `SELECT ${COLUMNS}, request, progress FROM generation_job WHERE id = :id::uuid AND account_id = :accountId::uuid`,
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
    steps: stepsAskedFor(row).map((step) => ({
      step,
      of: progress[step] ?? null,
      parts: parts
        .filter((part) => part.step === step)
        .map(({ name, answered_at }) => ({ name, at: answered_at.toISOString() })),
    })),
    sources: sourcesIn(parts),
  }
}

async function partsOf(pool: Pool, id: string): Promise<Part[]> {
  const { rows } = await pool.query<Part>(
    named(
      `SELECT step, name, answered_at,
         CASE WHEN step = 'researching' AND name LIKE 'page-%' THEN answer ->> 'text' END AS page
       FROM generation_part WHERE job_id = :id::uuid AND answered_at IS NOT NULL ORDER BY answered_at, name`,
      { id },
    ),
  )
  return rows
}

/** Pictures and narration are steps of a document where they are wanted. */
function stepsAskedFor({ kind, request }: Row): Step[] {
  if (kind !== 'document') return [...stepsOf[kind]]
  const { image, audio } = request as DocumentRequest
  return stepsOf.document.filter(
    (step) => (step !== 'images' || image.enabled) && (step !== 'audio' || audio.enabled),
  )
}

/** In the order in which the search had them; each address once. */
function sourcesIn(parts: readonly Part[]): JobInDetail['sources'] {
  const pages = parts
    .filter(({ page }) => page !== null)
    .toSorted((one, other) => numberOf(one) - numberOf(other))
    .flatMap(({ page }) => {
      const { success, data } = pageSchema.safeParse(JSON.parse(page ?? 'null'))
      return success ? [{ url: data.url, title: data.title, published: data.published ?? null }] : []
    })
  return [...new Map(pages.map((page) => [page.url, page])).values()]
}

const numberOf = ({ name }: Part): number => Number(name.slice('page-'.length))
