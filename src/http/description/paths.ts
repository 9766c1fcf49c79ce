import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { LIMITS } from '../../contract/limits.ts'
import { uuid } from '../../contract/scalars.ts'
import { webhookSchema } from '../../contract/webhook.ts'
import { webhookPath } from '../../webhook/acknowledgement.ts'
import { failureResponse, jsonContent } from './responses.ts'

const htmlPage = { 'text/html': { schema: z.string() } }
const otherFailure = failureResponse('Any other failure.')
const invalidRequestResponse = failureResponse('The request cannot be read.', [
  'MALFORMED_URL',
  'MALFORMED_REQUEST',
])

/** What Galley says of itself, to machines and people. No key is needed, but for the figures. */
export const serviceDescription: ZodOpenApiPathsObject = {
  '/': {
    get: {
      operationId: 'readAbout',
      summary: 'See that Galley runs, and where its description is',
      tags: ['Service'],
      security: [],
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
            ...htmlPage,
          },
        },
        400: invalidRequestResponse,
        406: failureResponse('Neither JSON nor HTML is accepted.', ['NOT_ACCEPTABLE']),
        default: otherFailure,
      },
    },
  },
  '/assets/{name}': {
    get: {
      operationId: 'readPageFile',
      summary: 'Read a file that the page at `/` loads',
      tags: ['Service'],
      security: [],
      requestParams: { path: z.object({ name: z.string().describe('As the page has it.') }) },
      responses: {
        200: {
          description: 'A script, a style sheet or a picture, which never changes under its name.',
          content: {
            'text/javascript': { schema: z.string() },
            'text/css': { schema: z.string() },
            'image/svg+xml': { schema: z.string() },
          },
        },
        400: invalidRequestResponse,
        404: failureResponse('There is no such file.', ['NOT_FOUND']),
        default: otherFailure,
      },
    },
  },
  '/docs': {
    get: {
      operationId: 'readDocs',
      summary: 'Read this description as a page, and try it out',
      tags: ['Service'],
      security: [],
      responses: {
        200: { description: 'The page. It loads nothing from elsewhere.', content: htmlPage },
        400: invalidRequestResponse,
        default: otherFailure,
      },
    },
  },
  '/docs/{name}': {
    get: {
      operationId: 'readDocsFile',
      summary: 'Read a file that the page loads',
      tags: ['Service'],
      security: [],
      requestParams: { path: z.object({ name: z.string().describe('As the page has it.') }) },
      responses: {
        200: {
          description: 'A script or a style sheet, which never changes under its name.',
          content: { 'text/javascript': { schema: z.string() }, 'text/css': { schema: z.string() } },
        },
        400: invalidRequestResponse,
        404: failureResponse('There is no such file.', ['NOT_FOUND']),
        default: otherFailure,
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'readDescription',
      summary: 'Read this description',
      tags: ['Service'],
      security: [],
      responses: {
        200: { description: 'OpenAPI 3.1.', content: jsonContent(z.looseObject({ openapi: z.string() })) },
        400: invalidRequestResponse,
        default: otherFailure,
      },
    },
  },
  '/healthz': {
    get: {
      operationId: 'readHealth',
      summary: 'See that the process is alive',
      tags: ['Service'],
      security: [],
      responses: {
        200: {
          description: 'It answers.',
          content: jsonContent(z.object({ success: z.literal(true), status: z.literal('alive') })),
        },
        400: invalidRequestResponse,
        default: otherFailure,
      },
    },
  },
  '/readyz': {
    get: {
      operationId: 'readReadiness',
      summary: 'See that Galley can do its work',
      tags: ['Service'],
      security: [],
      responses: {
        200: {
          description: 'The database answers, and nothing is in the way.',
          content: jsonContent(z.object({ success: z.literal(true), status: z.literal('ready') })),
        },
        400: invalidRequestResponse,
        503: failureResponse('It cannot; the sentence says why.'),
        default: otherFailure,
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'readMetrics',
      summary: 'Read the figures for Prometheus',
      description:
        'With a key of the role operator, since they are of all accounts together; without one where GALLEY_METRICS_OPEN is set.',
      tags: ['Service'],
      responses: {
        200: {
          description: 'The figures, as Prometheus reads them.',
          content: { 'text/plain': { schema: z.string() } },
        },
        400: invalidRequestResponse,
        401: failureResponse('No key, or one that is not valid.', [
          'UNAUTHENTICATED',
          'INVALID_API_KEY',
          'SESSION_ENDED',
        ]),
        403: failureResponse('The key is not an operator’s, or its account is disabled.', [
          'FORBIDDEN',
          'ACCOUNT_DISABLED',
          'OTHER_ORIGIN',
        ]),
        default: otherFailure,
      },
    },
  },
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
      requestBody: { content: jsonContent(webhookSchema) },
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
          'The body is not a webhook that Galley understands, or exceeds a limit; it is kept under /v1/events.',
        ),
        503: failureResponse('It could not be stored just now: send it again.'),
        default: failureResponse('Any other failure.'),
      },
    },
  },
}

const connectPage = { 'text/html': { schema: z.string() } }
const requestParams = {
  path: z.object({
    token: z.string().describe('As in the address of the link, which was shown when it was created.'),
  }),
}

const connectResponses = (found: string, next: string) => ({
  200: { description: found, content: connectPage },
  302: { description: next },
  303: { description: next },
  '4XX': { description: 'A page that says what is wrong, and what to do.', content: connectPage },
  default: { description: 'A page that says what is wrong.', content: connectPage },
})

/** The page of a connect link, for the owner of a site; the pages after it are between browser, WordPress and Galley. */
export const connectDescription: ZodOpenApiPathsObject = {
  '/connect/{token}': {
    get: {
      operationId: 'openConnectLink',
      summary: 'Open a connect link, in a browser',
      description:
        'Who asks for what, and the way to the approval page of WordPress. Nothing changes by opening it.',
      tags: ['Connect links'],
      security: [],
      requestParams,
      responses: connectResponses('The page.', 'To the page that fits what became of the link.'),
    },
    post: {
      operationId: 'answerConnectLink',
      summary: 'Connect a site through a connect link, with its owner’s password',
      description: 'What the form on the page sends, for sites whose approval page cannot lead back.',
      tags: ['Connect links'],
      security: [],
      requestParams,
      requestBody: {
        content: {
          'application/x-www-form-urlencoded': {
            schema: z.object({ state: z.string(), user_login: z.string(), password: z.string() }),
          },
        },
      },
      responses: connectResponses('The page, with what was wrong.', 'To the page that says how it went.'),
    },
  },
}

const binaryContent = { '*/*': { schema: z.any().meta({ type: 'string', format: 'binary' }) } }

/** What no key opens but its address, and is answered as no JSON: the files that Galley made, and the styles of sites. */
export const fileDescription: ZodOpenApiPathsObject = {
  '/files/{name}': {
    get: {
      operationId: 'readFile',
      summary: 'Read a file that Galley made',
      description:
        'A picture or a sound file, at the address that the result of its job names. It is kept for as many days as ' +
        'GALLEY_FILE_DAYS says. Ranges, If-None-Match and If-Range are honoured.',
      tags: ['Files'],
      security: [],
      requestParams: { path: z.object({ name: z.string().describe('As in the address of the file.') }) },
      responses: {
        200: { description: 'The file.', content: binaryContent },
        206: { description: 'The part that the header Range asks for.', content: binaryContent },
        304: { description: 'It is the one that the client has.' },
        404: failureResponse('No file has this address, or it has expired.', ['NOT_FOUND']),
        416: failureResponse('The file has nothing of the range that was asked for.', [
          'RANGE_NOT_SATISFIABLE',
        ]),
        503: failureResponse('The store of files does not answer just now.'),
        default: failureResponse('Any other failure.'),
      },
    },
  },
  '/styles/{name}': {
    get: {
      operationId: 'readStyles',
      summary: 'Read the styles of a site, for a preview',
      description:
        'At the address that `GET /v1/sites/{uuid}/styles` answers. Nothing in them loads anything.',
      tags: ['Sites'],
      security: [],
      requestParams: { path: z.object({ name: z.string().describe('As in the address.') }) },
      responses: {
        200: { description: 'One style sheet.', content: { 'text/css': { schema: z.string() } } },
        404: failureResponse('Galley did not make this address, or its hour is over.', ['NOT_FOUND']),
        422: failureResponse('The page of the site cannot be read any more.'),
        default: failureResponse('Any other failure.'),
      },
    },
  },
}
