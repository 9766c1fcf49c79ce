import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { rights } from '../../accounts/rights.ts'
import { blockSchema } from '../../contract/published.ts'
import type { Endpoint } from '../endpoint.ts'
import { connectDescription, fileDescription, serviceDescription, webhookDescription } from './paths.ts'
import { failureResponse, failureResponses, rightDescription } from './responses.ts'

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
    description: [endpoint.description, rightDescription(right)].filter(Boolean).join('\n\n'),
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
      ...failureResponses(endpoint),
      default: failureResponse('Any other failure.'),
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

/** What each part of the API is about, in the order in which `/docs` shows them. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Webhooks: 'How finished documents come in.',
  Deliveries: 'What becomes of each document on each site, and what to do where it waits for somebody.',
  Bulk: 'One thing done to everything that matches a filter, as a job with a report.',
  Sites: 'The WordPress sites that are connected, how they want their posts, and what is in the way there.',
  'Connect links': 'Links by which the owner of a site connects it, without a password changing hands.',
  Sources: 'Who sends documents, and how they prove it.',
  Stream: 'What changes, as it changes.',
  Events: 'Every webhook as it was received, the unusable ones with what was wrong.',
  Generation: 'Documents, audio and images created from a prompt.',
  Notifications: 'What was sent to a webhook_url or a receiver, with every attempt.',
  Receivers: 'Who is notified of deliveries and sites.',
  Files: 'Pictures and sound files that Galley made.',
  Account: 'The account of the key: its balance, and what it wants to be notified of.',
  Keys: 'API keys, and what each may do.',
  Session: 'Signing in to the page at `/`, and who is asking.',
  Accounts: 'The accounts of this installation, for whoever runs it.',
  Audit: 'Who did what to which site, key, source and delivery.',
  Service: 'Whether Galley runs, and this description.',
}
