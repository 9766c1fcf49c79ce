import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { description } from '../../scripts/openapi/routes.ts'
import { assertAsDescribed } from '../support/galley.ts'
import { startApp, type TestApp } from './app.ts'

interface Operation {
  operationId?: string
  summary?: string
  requestBody?: { content: Record<string, { schema: { $ref?: string; description?: string } }> }
  responses: Record<string, { description: string }>
}

let app: TestApp
let paths: Record<string, Record<string, Operation>>
beforeAll(async () => {
  app = await startApp({ publicUrl: 'https://galley.example.com' })
  paths = (await app.ask('GET', '/openapi.json', { key: undefined })).body.paths
})
afterAll(() => app.stop())

describe('/openapi.json', () => {
  it('200-described, at its public address', async () => {
    const { status, body } = await app.ask('GET', '/openapi.json', { key: undefined })
    expect(status).toBe(200)
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://galley.example.com' }] })
    // What is served is what all other tests hold answers against.
    const { paths, components } = JSON.parse(JSON.stringify(description))
    expect(body).toMatchObject({ paths, components })
  })
})

it('describes the headers that a call looks at, and how long texts may be', async () => {
  const { body } = await app.ask('GET', '/openapi.json')
  const { parameters, requestBody } = body.paths['/v1/audio/create'].post
  expect(parameters).toMatchObject([
    { in: 'header', name: 'idempotency-key', schema: { type: 'string', minLength: 1, maxLength: 255 } },
  ])
  expect(requestBody.content['application/json'].schema).toMatchObject({
    required: ['text'],
    properties: { text: { minLength: 10, maxLength: 100_000 }, voice: { default: 'Kore' } },
    additionalProperties: false,
  })
})

describe('its operations', () => {
  it('have names of their own, in camel case', () => {
    const names = Object.values(paths).flatMap((operations) =>
      Object.values(operations).map(({ operationId }) => operationId ?? ''),
    )
    expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]+)+$/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('every answer that tests see is held against it', () => {
  const page = { success: true, data: [], next_cursor: null }
  const failure = { success: false, error: { code: 'X', message: 'x' } }
  it.each([
    ['GET', '/v1/keys?limit=1', 200, page, true],
    ['GET', '/v1/keys', 404, failure, true],
    ['PUT', '/v1/keys', 405, failure, true],
    ['GET', '/v1/nothing', 404, failure, true],
    ['GET', '/v1/keys', 202, page, false],
    ['GET', '/v1/keys', 200, { ...page, more: 1 }, false],
    ['GET', '/v1/keys', 200, { ...page, data: [{ id: 'x' }] }, false],
    ['GET', '/v1/keys', 200, failure, false],
    ['GET', '/v1/nothing', 404, { error: 'x' }, false],
    ['GET', '/v1/keys', 404, { ...failure, error: { code: 'key_gone', message: 'x' } }, false],
    ['POST', `/v1/webhooks/${'0'.repeat(48)}`, 200, { success: true, duplicate: false }, false],
  ])('%s %s %i %j: %s', async (method, path, status, body, fits) => {
    const held = assertAsDescribed({ method, path, status, body })
    if (fits) await held
    else await expect(held).rejects.toThrow('/openapi.json')
  })
})
