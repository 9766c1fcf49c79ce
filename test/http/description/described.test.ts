import express from 'express'
import { expect, test } from 'vitest'
import { operationsOf, type Schema } from '../../../scripts/openapi/operations.ts'
import { description, routes } from '../../../scripts/openapi/routes.ts'
import { rights } from '../../../src/accounts/rights.ts'
import { tagDescriptions } from '../../../src/http/description/openapi.ts'
import { routesOf } from './routes.ts'

const document = JSON.parse(JSON.stringify(description())) as Schema
const operations = operationsOf(document)

/** Pages between a browser, WordPress and Galley in the middle of connecting: nobody calls them. */
const pages = ['approved', 'rejected', 'connected', 'failed', 'refused'].map(
  (name) => `GET /connect/{token}/${name}`,
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
