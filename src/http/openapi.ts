import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { blockSchema } from '../contract/published/blocks.ts'
import type { Endpoint } from './endpoint.ts'
import { fileDescription } from './file-description.ts'
import { failing, json } from './openapi-parts.ts'
import { webhookDescription } from './webhook-description.ts'

/** The OpenAPI 3.1 document of the same endpoints that Express routes. */
export function openApi(
  endpoints: Endpoint[],
  { publicUrl, version }: { publicUrl: string; version: string },
) {
  const paths: ZodOpenApiPathsObject = { ...webhookDescription, ...fileDescription }
  for (const endpoint of endpoints)
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(endpoint) }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Galley',
      version,
      description: 'A finished document becomes exactly one clean post on a WordPress site.',
    },
    servers: [{ url: publicUrl }],
    security: [{ bearer: [] }, { apiKey: [] }],
    components: {
      schemas: { Block: blockSchema },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
    paths,
  })
}

function operation(endpoint: Endpoint): ZodOpenApiOperationObject {
  const {
    operationId,
    summary,
    description,
    tag,
    params,
    query,
    headers,
    body,
    bodyType,
    answers,
    failures,
  } = endpoint
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    requestParams: { path: params, query, header: headers },
    requestBody: body && { content: { [bodyType ?? 'application/json']: { schema: body } } },
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { description, schema, types }]) => [
          status,
          {
            description,
            content: types ? Object.fromEntries(types.map((type) => [type, { schema }])) : json(schema),
          },
        ]),
      ),
      ...Object.fromEntries(Object.entries(failures ?? {}).map(([status, why]) => [status, failing(why)])),
      default: failing(
        'Any other failure: no valid key (401), too many requests (429), a mistake in the request (422).',
      ),
    },
  }
}
