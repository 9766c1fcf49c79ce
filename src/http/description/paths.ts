import { z } from 'zod'
import type { ZodOpenApiPathsObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { LIMITS } from '../../contract/limits.ts'
import { uuid } from '../../contract/scalars.ts'
import { sentWebhookSchema } from '../../contract/webhook.ts'
import { notificationEvents, outcomePayload, outcomes } from '../../notifications/outcomes.ts'
import { webhookPath } from '../../sources/sender.ts'
import { ALWAYS, failureResponse, jsonContent } from './responses.ts'

const otherFailure = failureResponse('Any other failure.')
const invalidRequestResponse = failureResponse(ALWAYS[400].why, ALWAYS[400].codes)

interface OpenCall {
  operationId: string
  summary: string
  description: string
  tag: string
  params?: z.ZodObject
  needsKey?: true
  responses: ZodOpenApiResponsesObject
}

/** A call of GET that needs no key, or one of an operator; it may fail as any call. */
const openCall = ({ tag, params, needsKey, responses, ...words }: OpenCall) => ({
  get: {
    ...words,
    tags: [tag],
    ...(!needsKey && { security: [] }),
    ...(params && { requestParams: { path: params } }),
    responses: { 400: invalidRequestResponse, ...responses, default: otherFailure },
  },
})

const fileParams = z.object({ name: z.string().describe('As in its address.') })
const text = { schema: z.string() }

/** What Galley says of itself, to machines. No key is needed, but for the figures. */
export const serviceDescription: ZodOpenApiPathsObject = {
  '/': openCall({
    operationId: 'readAbout',
    summary: 'See that Galley runs, and where its description is',
    description: 'What runs here, and which version.',
    tag: 'Service',
    responses: {
      200: {
        description: 'A page, or JSON where that is accepted.',
        content: {
          ...jsonContent(
            z.object({
              success: z.literal(true),
              name: z.literal('Galley'),
              version: z.string(),
              documentation: z.string(),
              page: z.string(),
            }),
          ),
          'text/html': text,
        },
      },
      406: failureResponse('Neither JSON nor HTML is accepted.', ['NOT_ACCEPTABLE']),
    },
  }),
  '/openapi.json': openCall({
    operationId: 'readDescription',
    summary: 'Read this description',
    description: 'Every call with its parameters, answers, headers and failures.',
    tag: 'Service',
    responses: {
      200: { description: 'OpenAPI 3.1.', content: jsonContent(z.looseObject({ openapi: z.string() })) },
    },
  }),
  '/healthz': openCall({
    operationId: 'readHealth',
    summary: 'See that the process is alive',
    description: 'It asks neither the database nor anything else: a process that answers is alive.',
    tag: 'Service',
    responses: {
      200: {
        description: 'It answers.',
        content: jsonContent(z.object({ success: z.literal(true), status: z.literal('alive') })),
      },
    },
  }),
  '/readyz': openCall({
    operationId: 'readReadiness',
    summary: 'See that Galley can do its work',
    description: 'What a load balancer asks before it sends requests here.',
    tag: 'Service',
    responses: {
      200: {
        description:
          'The database answers and takes changes, and its disk has room. `degraded`: a part of its work waits for whoever runs this Galley, and the rest goes on.',
        content: jsonContent(
          z.object({
            success: z.literal(true),
            status: z.enum(['ready', 'degraded']),
            problems: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
          }),
        ),
      },
      503: failureResponse('It cannot; the sentence says why.'),
    },
  }),
  '/metrics': openCall({
    operationId: 'readMetrics',
    summary: 'Read the figures for Prometheus',
    description:
      'With a key of the role operator, since they are of all accounts together; without one where GALLEY_METRICS_OPEN is set.',
    tag: 'Service',
    needsKey: true,
    responses: {
      200: { description: 'The figures, as Prometheus reads them.', content: { 'text/plain': text } },
      401: failureResponse('No key, or one that is not valid.', ALWAYS[401].codes),
      403: failureResponse('The key is not an operator’s, or its account is disabled.', ALWAYS[403].codes),
    },
  }),
}

const webhookWarnings = z
  .array(z.object({ path: z.string(), message: z.string() }))
  .optional()
  .describe(
    'By field, what it seems to ask for and Galley ignores: a delivery that is missing, names that are not known.',
  )

const acceptedWebhook = z.object({
  success: z.literal(true),
  event_id: uuid,
  delivery: z.boolean().describe('Whether it asks for a delivery.'),
  warnings: webhookWarnings,
})

const duplicateWebhook = z.object({
  success: z.literal(true),
  duplicate: z.literal(true),
  warnings: webhookWarnings,
})

/** The one call that no key opens, and whose body is read as bytes; so it is described by itself. */
export const webhookDescription: ZodOpenApiPathsObject = {
  [webhookPath]: {
    post: {
      operationId: 'sendWebhook',
      summary: 'Send a webhook',
      description:
        'It is stored before it is acknowledged: after a 2xx, the document is delivered or held. A document may have ' +
        `${LIMITS.blocks} blocks, ${LIMITS.cells} cells in a table (rows by the widest row), ${LIMITS.files} pictures and ` +
        `sounds, ${LIMITS.textLength} characters, and become ${LIMITS.markupReceived} bytes of markup; categories and ` +
        `tags are ${LIMITS.terms} each at most.`,
      tags: ['Webhooks'],
      security: [],
      requestParams: { path: z.object({ token: z.string().describe('As in the address of the source.') }) },
      requestBody: { content: jsonContent(sentWebhookSchema) },
      responses: {
        202: { description: 'Stored.', content: jsonContent(acceptedWebhook) },
        200: {
          description: 'Stored before: the same body from the same source.',
          content: jsonContent(duplicateWebhook),
        },
        400: failureResponse('The body is not JSON.'),
        401: failureResponse('The source requires a signature, and none that fits was sent.'),
        404: failureResponse('No source has this address, or it is disabled.', ['SOURCE_UNKNOWN']),
        413: failureResponse('The body is larger than Galley accepts.', ['BODY_TOO_LARGE']),
        422: failureResponse(
          'The body is not a webhook that Galley understands, or exceeds a limit. The first 1,000 of each reason are kept under /v1/events.',
        ),
        503: failureResponse('It could not be stored just now: send it again.'),
        default: otherFailure,
      },
    },
  },
}

const binaryContent = { '*/*': { schema: z.any().meta({ type: 'string', format: 'binary' }) } }

/** What no key opens but its address, and is answered as no JSON: the files that Galley made, and the styles of sites. */
export const fileDescription: ZodOpenApiPathsObject = {
  '/files/{name}': openCall({
    operationId: 'readFile',
    summary: 'Read a file that Galley made',
    description:
      'A picture or a sound file, at the address that the result of its job names. It is kept for as many days as ' +
      'GALLEY_FILE_DAYS says. Ranges, If-None-Match and If-Range are honoured.',
    tag: 'Files',
    params: fileParams,
    responses: {
      200: { description: 'The file.', content: binaryContent },
      206: { description: 'The part that the header Range asks for.', content: binaryContent },
      304: { description: 'It is the one that the client has.' },
      404: failureResponse('No file has this address, or it has expired.', ['NOT_FOUND']),
      416: failureResponse('The file has nothing of the range that was asked for.', [
        'RANGE_NOT_SATISFIABLE',
      ]),
      503: failureResponse('The store of files does not answer just now.'),
    },
  }),
  '/styles/{name}': openCall({
    operationId: 'readStyles',
    summary: 'Read the styles of a site, for a preview',
    description: 'At the address that `GET /v1/sites/{uuid}/styles` answers. Nothing in them loads anything.',
    tag: 'Sites',
    params: fileParams,
    responses: {
      200: { description: 'One style sheet.', content: { 'text/css': text } },
      404: failureResponse('The address is unknown, or more than an hour old.', ['NOT_FOUND']),
      422: failureResponse('The page of the site cannot be read any more.'),
    },
  }),
}

const outcomeHeaders = z.object({
  'webhook-id': uuid.describe('The same for every attempt.'),
  'webhook-timestamp': z.string().describe('Seconds since 1970.'),
  'webhook-signature': z.string().describe('As Standard Webhooks say; two for a while after a rotation.'),
})

/** What receivers of the format `standard` are sent. */
export const outcomeWebhooks: ZodOpenApiPathsObject = Object.fromEntries(
  notificationEvents.map((event) => [
    event,
    {
      post: {
        operationId: `on${event.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
        summary: outcomes[event].summary.replace(/\.$/, ''),
        description: 'Sent to receivers that have this event. Verify the signature before you use it.',
        tags: ['Receivers'],
        security: [],
        requestParams: { header: outcomeHeaders },
        requestBody: { required: true, content: jsonContent(outcomePayload(event)) },
        responses: {
          '2XX': { description: 'It is acknowledged, within 5 s.' },
          default: { description: 'It is sent again after 5, 15 and 30 minutes.' },
        },
      },
    },
  ]),
)
