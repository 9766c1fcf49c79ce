import type { z } from 'zod'
import { type Caller, hasRight } from '../../accounts/authenticate.ts'
import { listVisible } from '../../accounts/visibility.ts'
import {
  audioRequestSchema,
  documentRequestSchema,
  imageRequestSchema,
  type JobKind,
  type RequestByKind,
} from '../../contract/generation/requests.ts'
import { uuid } from '../../contract/scalars.ts'
import { cancelJob, resumeJob } from '../../generation/api/actions.ts'
import { createJob, quotePrice } from '../../generation/api/create.ts'
import {
  detailedJobSchema,
  getDetailedJob,
  getJob,
  jobFilterSchema,
  jobSchema,
  priceSchema,
  readJobs,
} from '../../generation/api/jobs.ts'
import { jobStatus, kindLabels, statusSchema } from '../../generation/api/status.ts'
import { hasSite } from '../../sites/registry.ts'
import {
  answers,
  type Endpoint,
  endpoint,
  idempotencyHeader,
  invalidRequest,
  pageQuery,
  requireReachable,
} from '../endpoint.ts'
import type { Services } from '../services.ts'

type JobServices = Pick<Services, 'database' | 'providers' | 'outbound' | 'config'>

/** What was ordered of the generation service, whatever it was and whoever ordered it. */
export function jobEndpoints(services: JobServices): Endpoint[] {
  const { pool } = services.database
  const { prices } = services.config
  return [
    ...endpointsForKind(services, 'document', documentRequestSchema),
    ...endpointsForKind(services, 'audio', audioRequestSchema, MAX_AUDIO_BODY_BYTES),
    ...endpointsForKind(services, 'image', imageRequestSchema),
    endpoint('GET /v1/jobs', {
      operationId: 'listJobs',
      right: 'jobs.list',
      summary: 'List the jobs, the newest first',
      query: pageQuery.extend(jobFilterSchema.shape),
      answer: answers.page('A page of jobs.', jobSchema),
      handle: ({ caller, query }) =>
        listVisible(pool, caller, 'generation_job', query, (ids) => readJobs(pool, caller.accountId, ids)),
    }),
    endpoint('GET /v1/jobs/{uuid}', {
      operationId: 'getJob',
      right: 'jobs.list',
      summary: 'Read what was asked for, how far each step is, and what was read for it',
      description: 'The result is in its status: GET /v1/{kind}/status/{uuid}.',
      answer: answers.data('The job.', detailedJobSchema),
      handle: ({ caller: { accountId, role }, params: { uuid: id } }) =>
        getDetailedJob(pool, { accountId, id }, hasRight(role, 'costs.read')),
    }),
    endpoint('POST /v1/jobs/{uuid}/cancel', {
      operationId: 'cancelJob',
      right: 'jobs.create',
      action: 'job.cancel',
      summary: 'Cancel a job that has not ended',
      description:
        'What was not begun is refunded: `refunded` of the job says how much. What was made so far is not kept for anybody.',
      answer: answers.data('The job, cancelled.', jobSchema),
      failures: { 409: 'JOB_ENDED: it has completed or failed.' },
      async handle({ caller: { accountId }, params: { uuid: id } }) {
        await cancelJob(pool, prices, { accountId, id })
        return getJob(pool, { accountId, id })
      },
    }),
    endpoint('POST /v1/jobs/{uuid}/resume', {
      operationId: 'resumeJob',
      right: 'jobs.create',
      action: 'job.resume',
      summary: 'Make again what was left out of a document',
      description:
        'Pictures and narration that are `missing` of it; its text stays, and it costs no more credits. It is then completed once more: `webhook_url` is told, and its site gets a newer version.',
      answer: answers.data('The job, under way.', jobSchema),
      failures: { 409: 'NOTHING_MISSING: nothing was left out of it.' },
      async handle({ caller: { accountId }, params: { uuid: id } }) {
        await resumeJob(pool, { accountId, id })
        return getJob(pool, { accountId, id })
      },
    }),
  ]
}

const jobHeaders = idempotencyHeader(
  'Your own name for this request. Sent again, it answers the same job, and creates and charges nothing.',
)

/** Bytes: the longest text with every character escaped as JSON may (`\ud83d\ude00`, 12 bytes), and what stands around it. */
const MAX_AUDIO_BODY_BYTES = 2 * 1024 * 1024

/** @param bodyLimit in bytes; 1 MiB where left out */
function endpointsForKind<Kind extends JobKind>(
  { database: { prisma, pool }, providers, outbound, config }: JobServices,
  kind: Kind,
  body: z.ZodType<RequestByKind[Kind]>,
  bodyLimit?: number,
): Endpoint[] {
  const thing = kindLabels[kind]
  const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
  const creation = { pool, providers, prices: config.prices }
  /** What the schema cannot see: whether its site is one of the account's. */
  const checkSite =
    ({ accountId }: Caller) =>
    async (request: RequestByKind[Kind]) => {
      const id = 'delivery' in request ? request.delivery?.id : undefined
      if (id !== undefined && !(await hasSite({ prisma }, { accountId, id })))
        throw invalidRequest([{ path: 'body.site_id', message: 'is not a site of this account' }])
    }
  return [
    endpoint(`POST /v1/${kind}/create`, {
      operationId: `create${name}`,
      right: 'jobs.create',
      action: 'job.create',
      summary: `Create ${thing}`,
      description:
        'The job runs in the background. Its status has the result, and webhook_url is notified when it ends.',
      headers: jobHeaders,
      body,
      ...(bodyLimit !== undefined && { bodyLimit }),
      answer: answers.members(
        'The job is stored.',
        { id: uuid.describe('Of the job: for its status, and in what is sent to webhook_url.') },
        202,
      ),
      failures: {
        402: 'INSUFFICIENT_CREDITS: the account has fewer credits than the job costs.',
        409: 'IDEMPOTENCY_KEY_REUSED: the key was sent before, with another request.',
        503: 'PROVIDER_NOT_CONFIGURED: no provider can do it; `details.settings` names what to set. PROVIDER_UNAVAILABLE: its provider refuses Galley until whoever runs it acts.',
      },
      async handle({ caller, headers, body: request }) {
        requireReachable(outbound, 'body.webhook_url', request.webhook_url)
        const id = await createJob(creation, {
          accountId: caller.accountId,
          kind,
          request,
          idempotencyKey: headers['idempotency-key'],
          check: checkSite(caller),
        })
        return { id }
      },
    }),
    endpoint(`POST /v1/${kind}/price`, {
      operationId: `price${name}`,
      right: 'jobs.create',
      action: 'none',
      summary: `Ask what ${thing} would cost`,
      description:
        'Takes the same request and creates nothing: it answers the price, the balance of the account, and whether it can be created here.',
      body,
      ...(bodyLimit !== undefined && { bodyLimit }),
      answer: answers.data('The price.', priceSchema),
      handle: ({ caller, body: request }) =>
        quotePrice(creation, { accountId: caller.accountId, kind, request, check: checkSite(caller) }),
    }),
    endpoint(`GET /v1/${kind}/status/{uuid}`, {
      operationId: `get${name}Status`,
      right: 'jobs.read',
      summary: `Read how far ${thing} is, and the result`,
      answer: answers.own('Its state; `data` once it is completed.', statusSchema(kind)),
      async handle({ caller: { accountId }, params }) {
        const status = await jobStatus(pool, { accountId, kind, id: params.uuid })
        return { status: 200, body: { success: true, ...status } }
      },
    }),
  ]
}
