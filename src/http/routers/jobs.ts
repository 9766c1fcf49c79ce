import { z } from 'zod'
import type { Caller } from '../../accounts/authenticate.ts'
import { visibleIds } from '../../accounts/visibility.ts'
import {
  audioRequestSchema,
  documentRequestSchema,
  imageRequestSchema,
} from '../../contract/generation/request-schemas.ts'
import type { JobKind, RequestByKind } from '../../contract/generation/requests.ts'
import { uuid } from '../../contract/scalars.ts'
import { createJob, quotePrice } from '../../generation/api/create.ts'
import {
  detailedJobSchema,
  getJob,
  jobFilterSchema,
  jobSchema,
  listJobs,
  priceSchema,
} from '../../generation/api/jobs.ts'
import { jobStatus, statusSchema } from '../../generation/api/status.ts'
import { hasSite } from '../../sites/registry.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { Services } from '../services.ts'
import {
  dataResponse,
  idempotencyHeader,
  invalidRequest,
  listResponse,
  pageQuery,
  uuidInPath,
} from '../validation.ts'

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
      query: pageQuery.extend(jobFilterSchema.shape),
      answers: { 200: { description: 'A page of jobs.', schema: listResponse(jobSchema) } },
      async handle({ caller, query }) {
        const { accountId } = caller
        const { kind, status: statuses } = query
        const ids = await visibleIds(pool, caller, 'generation_job', query, { kind, statuses })
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
      answers: { 200: { description: 'The job.', schema: dataResponse(detailedJobSchema) } },
      failures: { 404: 'No such job in this account.' },
      async handle({ caller: { accountId }, params: { uuid: id } }) {
        return { status: 200, body: { success: true, data: await getJob(pool, { accountId, id }) } }
      },
    }),
  ]
}

const jobAccepted = z.object({
  success: z.literal(true),
  id: uuid.describe('Of the job: for its status, and in what is sent to webhook_url.'),
})

const jobHeaders = idempotencyHeader(
  'Your own name for this request. Sent again, it answers the same job, and creates and charges nothing.',
)

interface DescribedKind<Kind extends JobKind> {
  kind: Kind
  body: z.ZodType<RequestByKind[Kind]>
  /** `a document`, as the descriptions name it. */
  thing: string
  /** Of the names of its calls: `createDocument`. */
  name: string
  /** Largest body; 1 MiB where left out. */
  bodyLimit?: number
}

/** Bytes: the longest text with every character escaped as JSON may (`\ud83d\ude00`, 12 bytes), and what stands around it. */
const MAX_AUDIO_BODY_BYTES = 2 * 1024 * 1024

/** The jobs of the generation service: documents, audio, images. */
export function generationEndpoints(
  services: Pick<Services, 'database' | 'providers' | 'config'>,
): Endpoint[] {
  return [
    ...endpointsForKind(services, {
      kind: 'document',
      body: documentRequestSchema,
      thing: 'a document',
      name: 'Document',
    }),
    ...endpointsForKind(services, {
      kind: 'audio',
      body: audioRequestSchema,
      thing: 'audio',
      name: 'Audio',
      bodyLimit: MAX_AUDIO_BODY_BYTES,
    }),
    ...endpointsForKind(services, {
      kind: 'image',
      body: imageRequestSchema,
      thing: 'an image',
      name: 'Image',
    }),
  ]
}

function endpointsForKind<Kind extends JobKind>(
  { database: { prisma, pool }, providers, config }: Pick<Services, 'database' | 'providers' | 'config'>,
  { kind, body, thing, name, bodyLimit }: DescribedKind<Kind>,
): Endpoint[] {
  const creation = { pool, providers, prices: config.prices }
  /** What the schema cannot see: whether its site is one of the account's, which this key sees. */
  const checkSite =
    ({ accountId, siteIds }: Caller) =>
    async (request: RequestByKind[Kind]) => {
      const siteId = 'delivery' in request ? request.delivery?.id : undefined
      if (siteId === undefined) return
      const seen = siteIds === null || siteIds.includes(siteId)
      if (!seen || !(await hasSite({ prisma }, { accountId, id: siteId })))
        throw invalidRequest([{ path: 'body.site_id', message: 'is not a site of this account' }])
    }
  return [
    endpoint({
      method: 'post',
      path: `/v1/${kind}/create`,
      operationId: `create${name}`,
      right: 'jobs.create',
      action: 'job.create',
      tag: 'Generation',
      summary: `Create ${thing}`,
      description:
        'The job runs in the background. Its status has the result, and webhook_url is notified when it ends.',
      headers: jobHeaders,
      body,
      ...(bodyLimit !== undefined && { bodyLimit }),
      answers: { 202: { description: 'The job is stored.', schema: jobAccepted } },
      failures: {
        402: 'INSUFFICIENT_CREDITS: the account has fewer credits than the job costs.',
        409: 'IDEMPOTENCY_KEY_REUSED: the key was sent before, with another request.',
        503: 'PROVIDER_NOT_CONFIGURED: no provider can do it; `details.settings` names what to set.',
      },
      async handle({ caller, headers, body: request }) {
        const id = await createJob(creation, {
          accountId: caller.accountId,
          kind,
          request,
          idempotencyKey: headers['idempotency-key'],
          check: checkSite(caller),
        })
        return { status: 202, body: { success: true, id } }
      },
    }),
    endpoint({
      method: 'post',
      path: `/v1/${kind}/price`,
      operationId: `price${name}`,
      right: 'jobs.create',
      action: 'none',
      tag: 'Generation',
      summary: `Ask what ${thing} would cost`,
      description:
        'Takes the same request and creates nothing: it answers the price, the balance of the account, and whether it can be created here.',
      body,
      ...(bodyLimit !== undefined && { bodyLimit }),
      answers: { 200: { description: 'The price.', schema: dataResponse(priceSchema) } },
      async handle({ caller, body: request }) {
        const { accountId } = caller
        const data = await quotePrice(creation, { accountId, kind, request, check: checkSite(caller) })
        return { status: 200, body: { success: true, data } }
      },
    }),
    endpoint({
      method: 'get',
      path: `/v1/${kind}/status/{uuid}`,
      operationId: `get${name}Status`,
      right: 'jobs.read',
      tag: 'Generation',
      summary: `Read how far ${thing} is, and the result`,
      params: uuidInPath,
      answers: {
        200: { description: 'Its state; `data` once it is completed.', schema: statusSchema(kind) },
      },
      failures: { 404: 'No such job of this kind in this account.' },
      async handle({ caller: { accountId }, params }) {
        const status = await jobStatus(pool, { accountId, kind, id: params.uuid })
        return { status: 200, body: { success: true, ...status } }
      },
    }),
  ]
}
