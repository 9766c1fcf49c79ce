import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { rights } from '../../accounts/rights.ts'
import { blockSchema } from '../../contract/published/blocks.ts'
import type { Endpoint } from '../endpoint.ts'
import { connectDescription } from './connect.ts'
import { failuresOf, mayCall } from './failures.ts'
import { fileDescription } from './files.ts'
import { failing } from './parts.ts'
import { serviceDescription } from './service.ts'
import { tagDescriptions } from './tags.ts'
import { webhookDescription } from './webhook.ts'

/** The OpenAPI 3.1 document of the same endpoints that Express routes, and of the few routes beside them. */
export function openApi(
  endpoints: Endpoint[],
  { publicUrl, version }: { publicUrl: string; version: string },
) {
  const paths: ZodOpenApiPathsObject = {
    ...webhookDescription,
    ...fileDescription,
    ...connectDescription,
    ...serviceDescription,
  }
  for (const endpoint of endpoints)
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(endpoint) }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Galley',
      version,
      description: 'A finished document becomes exactly one clean post on a WordPress site.',
      license: { name: 'GPL-2.0-or-later', identifier: 'GPL-2.0-or-later' },
    },
    servers: [{ url: publicUrl }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: tagsOf(paths),
    components: {
      schemas: { Block: blockSchema },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, `gly_sk_…`. Recommended.' },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'The same key, another way.',
        },
      },
    },
    paths,
  })
}

function operation(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { operationId, summary, tag, right, params, query, headers, body, bodyType, answers } = endpoint
  return {
    operationId,
    summary,
    description: [endpoint.description, mayCall(right)].filter(Boolean).join('\n\n'),
    tags: [tag],
    'x-right': right,
    'x-roles': [...rights[right]],
    requestParams: { path: params, query, header: headers },
    requestBody: body && {
      content: { [bodyType ?? 'application/json']: { schema: body } },
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { description, schema, types }]) => [
          status,
          {
            description,
            content: types
              ? Object.fromEntries(types.map((type) => [type, { schema }]))
              : { 'application/json': { schema } },
          },
        ]),
      ),
      ...failuresOf(endpoint),
      default: failing('Any other failure.'),
    },
  }
}

/** Those that are in use, in their order; one without words comes last. */
function tagsOf(paths: ZodOpenApiPathsObject) {
  const used = new Set(
    Object.values(paths).flatMap((path) =>
      (['get', 'post', 'patch', 'delete'] as const).flatMap((method) => path[method]?.tags ?? []),
    ),
  )
  const known = Object.keys(tagDescriptions).filter((name) => used.delete(name))
  return [...known, ...used].map((name) => ({ name, description: tagDescriptions[name] ?? name }))
}
