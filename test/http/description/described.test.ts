import express from 'express'
import { expect, test } from 'vitest'
import { operationsOf, type Schema } from '../../../scripts/openapi/operations.ts'
import { description, routes } from '../../../scripts/openapi/routes.ts'
import { rights } from '../../../src/accounts/authenticate.ts'
import { tagDescriptions } from '../../../src/http/description/openapi.ts'
import { routesOf } from './routes.ts'

const document = JSON.parse(JSON.stringify(description)) as Schema
const operations = operationsOf(document)

/** Pages for a browser, and what they load: nobody calls them. */
const pages = [
  'GET /docs',
  'GET /docs/{name}',
  'GET /assets/{name}',
  'GET /connect/{token}',
  'POST /connect/{token}',
].concat(
  ['approved', 'rejected', 'connected', 'failed', 'refused'].map((name) => `GET /connect/{token}/${name}`),
)

test('every route is described, and nothing else is', () => {
  const described = operations.map(({ name }) => name)
  expect(routesOf(routes()).filter((route) => !pages.includes(route))).toEqual(described.sort())
})

test('a route is found wherever it was added', () => {
  const app = express()
  const router = express.Router()
  router.get('/a/:id', (_request, response) => void response.end())
  router.route('/b').post((_request, response) => void response.end())
  app.use(
    router,
    express.Router().use(express.Router().delete('/c', (_request, response) => void response.end())),
  )
  expect(routesOf(app)).toEqual(['DELETE /c', 'GET /a/{id}', 'POST /b'])
  app.use('/under', express.Router())
  expect(() => routesOf(app)).toThrow('a path of its own')
})

test('every call with a key says who may make it, and how it fails', () => {
  for (const { name, operation } of operations) {
    if (!('x-right' in operation)) continue
    expect(operation['x-roles'], name).toEqual(rights[operation['x-right'] as keyof typeof rights])
    expect(Object.keys(operation.responses as object), name).toEqual(
      expect.arrayContaining(['400', '401', '403', '422', '429', '500', '503', 'default']),
    )
  }
})

test('every part of the API has its words', () => {
  for (const { name, description } of document.tags as { name: string; description: string }[])
    expect(description).toBe(tagDescriptions[name])
})

test('a schema has a name that a person would give, and refusals name their headers', () => {
  const { schemas } = document.components as { schemas: object }
  expect(Object.keys(schemas).filter((name) => name.length > 40 || /[a-z]Or[A-Z]/.test(name))).toEqual([])
  const sites = (document.paths as Record<string, Record<string, Schema>>)['/v1/sites']?.get as {
    responses: Record<string, { headers: object }>
  }
  expect(Object.keys(sites.responses[429]?.headers ?? {})).toEqual([
    'X-Request-Id',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
  ])
})
