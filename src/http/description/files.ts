import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { failing } from './parts.ts'

const bytes = { '*/*': { schema: z.any().meta({ type: 'string', format: 'binary' }) } }

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
        200: { description: 'The file.', content: bytes },
        206: { description: 'The part that the header Range asks for.', content: bytes },
        304: { description: 'It is the one that the client has.' },
        404: failing('No file has this address, or it has expired.', ['NOT_FOUND']),
        416: failing('The file has nothing of the range that was asked for.', ['RANGE_NOT_SATISFIABLE']),
        503: failing('The store of files does not answer just now.'),
        default: failing('Any other failure.'),
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
        404: failing('Galley did not make this address, or its hour is over.', ['NOT_FOUND']),
        422: failing('The page of the site cannot be read any more.'),
        default: failing('Any other failure.'),
      },
    },
  },
}
