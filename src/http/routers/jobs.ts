import { seenIds } from '../../accounts/limits.ts'
import { getJob } from '../../generation/api/job.ts'
import { jobFilterSchema, jobInDetailSchema, jobSchema } from '../../generation/api/job-schemas.ts'
import { listJobs } from '../../generation/api/list.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { answerWith, listOf, page, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

/** What was ordered of the generation service, whatever it was and whoever ordered it. */
export function jobEndpoints({ database: { pool } }: Pick<Services, 'database'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v1/jobs',
      operationId: 'listJobs',
      right: 'jobs.list',
      tag: 'Generation',
      summary: 'List the jobs, the newest first',
      query: page.extend(jobFilterSchema.shape),
      answers: { 200: { description: 'A page of jobs.', schema: listOf(jobSchema) } },
      async handle({ caller, query }) {
        const { accountId } = caller
        const { kind, status: statuses } = query
        const ids = await seenIds(pool, caller, 'generation_job', query, { kind, statuses })
        const { items, nextCursor } = await listJobs(pool, { accountId, ids, ...query })
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/jobs/{uuid}',
      operationId: 'getJob',
      right: 'jobs.list',
      tag: 'Generation',
      summary: 'Read what was asked for, how far each step is, and what was read for it',
      description: 'The result is in its status: GET /v1/{kind}/status/{uuid}.',
      params: uuidInPath,
      answers: { 200: { description: 'The job.', schema: answerWith(jobInDetailSchema) } },
      failures: { 404: 'No such job in this account.' },
      async handle({ caller: { accountId }, params: { uuid: id } }) {
        return { status: 200, body: { success: true, data: await getJob(pool, { accountId, id }) } }
      },
    }),
  ]
}
