import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { rights } from '../../accounts/authenticate.ts'
import { blockSchema } from '../../blocks/index.ts'
import type { Endpoint } from '../endpoint.ts'
import { fileDescription, outcomeWebhooks, serviceDescription, webhookDescription } from './paths.ts'
import { failureResponse, failureResponses, rightDescription } from './responses.ts'

/** The OpenAPI 3.1 document of the same endpoints that Express routes, and of the few routes beside them. */
export function openApi(
  endpoints: Endpoint[],
  { publicUrl, version }: { publicUrl: string; version: string },
) {
  const paths: ZodOpenApiPathsObject = { ...webhookDescription, ...fileDescription, ...serviceDescription }
  for (const endpoint of endpoints)
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(endpoint) }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Galley',
      version,
      description: 'A finished document becomes exactly one clean post on a WordPress site.',
      contact: { name: 'Whoever runs this Galley', url: publicUrl },
      license: { name: 'GPL-2.0-or-later', identifier: 'GPL-2.0-or-later' },
    },
    servers: [{ url: publicUrl }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: tagsOf(paths),
    components: {
      schemas: { Block: blockSchema },
      headers,
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
    paths: mapOperations(paths, withHeaders),
    webhooks: outcomeWebhooks,
  })
}

const text = (description: string) => ({ description, schema: { type: 'string' } }) as const

const headers = {
  'X-Request-Id': text('Names the request in the log: your own, or a new one.'),
  RateLimit: text(
    'What is left of the limit of this account, and for how many seconds (draft-8 of the IETF).',
  ),
  'RateLimit-Policy': text('The limit of this account, and its window in seconds.'),
  'Retry-After': {
    description: 'Seconds to wait before the next try, if known.',
    schema: { type: 'integer' },
  },
  'WWW-Authenticate': text('`Bearer`: send an API key.'),
  'Content-Disposition': text('The name of the file.'),
  'Set-Cookie': text('The session of the page, or its end.'),
  ETag: text('Names the bytes of the file, which never change.'),
  'Last-Modified': text('When the file was made.'),
  'Accept-Ranges': text('`bytes`: parts of the file may be asked for.'),
  'Content-Range': text('Which part this is, and of how many bytes.'),
} as const

type HeaderName = keyof typeof headers

interface DescribedResponse {
  status: string
  /** No key opens it. */
  isOpen: boolean
  content: string
  operationId: string
}

const isFailure = ({ status }: DescribedResponse): boolean => !/^[23]/.test(status)

const isFile = (response: DescribedResponse): boolean =>
  response.operationId === 'readFile' && !isFailure(response)

const headerConditions: Record<HeaderName, (response: DescribedResponse) => boolean> = {
  'X-Request-Id': () => true,
  RateLimit: ({ isOpen }) => !isOpen,
  'RateLimit-Policy': ({ isOpen }) => !isOpen,
  // Any failure that a later repetition may avoid carries it (http/routing.ts).
  'Retry-After': isFailure,
  'WWW-Authenticate': ({ status }) => status === '401',
  'Content-Disposition': (response) => /csv|ndjson/.test(response.content) || isFile(response),
  'Set-Cookie': ({ operationId }) => ['beginSession', 'endSession'].includes(operationId),
  ETag: isFile,
  'Last-Modified': isFile,
  'Accept-Ranges': isFile,
  'Content-Range': ({ operationId, status }) => operationId === 'readFile' && /206|416/.test(status),
}

function withHeaders(operation: ZodOpenApiOperationObject): ZodOpenApiOperationObject {
  const responses = Object.entries(operation.responses ?? {}).map(([status, response]) => {
    const described: DescribedResponse = {
      status,
      isOpen: operation.security?.length === 0,
      content: Object.keys((response as { content?: object }).content ?? {}).join(),
      operationId: operation.operationId ?? '',
    }
    const names = Object.keys(headers).filter((name) => headerConditions[name as HeaderName](described))
    const refs = names.map((name) => [name, { $ref: `#/components/headers/${name}` }])
    return [status, { ...response, headers: Object.fromEntries(refs) }]
  })
  return { ...operation, responses: Object.fromEntries(responses) }
}

const METHODS = ['get', 'post', 'patch', 'delete'] as const

const mapOperations = (
  paths: ZodOpenApiPathsObject,
  change: (operation: ZodOpenApiOperationObject) => ZodOpenApiOperationObject,
): ZodOpenApiPathsObject =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(METHODS.flatMap((method) => (item[method] ? [[method, change(item[method])]] : []))),
    ]),
  )

function operation(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { operationId, summary, path, right, params, query, headers, body, bodyType, answers } = endpoint
  return {
    operationId,
    summary,
    description: [endpoint.description, rightDescription(right)].filter(Boolean).join('\n\n'),
    tags: [tagOf(path)],
    'x-right': right,
    'x-roles': [...rights[right]],
    requestParams: { path: params, query, header: headers },
    requestBody: body && { content: { [bodyType ?? 'application/json']: { schema: body } } },
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

/** By the first word of their paths, calls that belong to a part of another name. */
const tagByWord: Readonly<Record<string, string>> = {
  imports: 'Sites',
  preview: 'Sites',
  causes: 'Deliveries',
  document: 'Generation',
  audio: 'Generation',
  image: 'Generation',
  jobs: 'Generation',
}

/** `Connect links` of `/v1/connect-links/{uuid}`. */
function tagOf(path: string): string {
  const word = path.split('/')[2] ?? ''
  return tagByWord[word] ?? `${word.charAt(0).toUpperCase()}${word.slice(1)}`.replace('-', ' ')
}

/** Those that are in use, in their order; one without words comes last. */
function tagsOf(paths: ZodOpenApiPathsObject) {
  const used = new Set(
    Object.values(paths).flatMap((path) => METHODS.flatMap((method) => path[method]?.tags ?? [])),
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
