import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { failing, json } from './parts.ts'

const page = { 'text/html': { schema: z.string() } }
const otherwise = failing('Any other failure.')
const invalid = failing('The request cannot be read.', ['MALFORMED_URL', 'MALFORMED_REQUEST'])

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
            ...json(
              z.object({
                success: z.literal(true),
                name: z.literal('Galley'),
                version: z.string(),
                documentation: z.string(),
                page: z.string(),
              }),
            ),
            ...page,
          },
        },
        400: invalid,
        406: failing('Neither JSON nor HTML is accepted.', ['NOT_ACCEPTABLE']),
        default: otherwise,
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
        400: invalid,
        404: failing('There is no such file.', ['NOT_FOUND']),
        default: otherwise,
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
        200: { description: 'The page. It loads nothing from elsewhere.', content: page },
        400: invalid,
        default: otherwise,
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
        400: invalid,
        404: failing('There is no such file.', ['NOT_FOUND']),
        default: otherwise,
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
        200: { description: 'OpenAPI 3.1.', content: json(z.looseObject({ openapi: z.string() })) },
        400: invalid,
        default: otherwise,
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
          content: json(z.object({ success: z.literal(true), status: z.literal('alive') })),
        },
        400: invalid,
        default: otherwise,
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
          content: json(z.object({ success: z.literal(true), status: z.literal('ready') })),
        },
        400: invalid,
        503: failing('It cannot; the sentence says why.'),
        default: otherwise,
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
        400: invalid,
        401: failing('No key, or one that is not valid.', [
          'UNAUTHENTICATED',
          'INVALID_API_KEY',
          'SESSION_ENDED',
        ]),
        403: failing('The key is not an operator’s, or its account is disabled.', [
          'FORBIDDEN',
          'ACCOUNT_DISABLED',
          'OTHER_ORIGIN',
        ]),
        default: otherwise,
      },
    },
  },
}
