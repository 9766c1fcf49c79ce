import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { removedOrNarrowed } from '../../../scripts/openapi/compare.ts'
import type { Schema } from '../../../scripts/openapi/compare-schemas.ts'
import { description } from '../../../scripts/openapi/routes.ts'

const now = JSON.parse(JSON.stringify(description())) as Schema
const released = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Schema

test('nothing of the last release was removed or narrowed', () => {
  expect(removedOrNarrowed(released, now)).toEqual([])
})

const small = {
  security: [{ bearer: [] }, { apiKey: [] }],
  paths: {
    '/things': {
      post: {
        'x-roles': ['owner', 'editor'],
        parameters: [{ in: 'query', name: 'kind', schema: { type: 'string', enum: ['a', 'b'] } }],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
        responses: {
          201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
          409: { $ref: '#/components/responses/Taken' },
        },
      },
    },
    '/open': { get: { security: [], responses: { 200: {} } } },
  },
  components: {
    responses: { Taken: { content: { 'application/json': { schema: { enum: ['TAKEN', 'GONE'] } } } } },
    schemas: {
      Thing: {
        type: 'object',
        required: ['id', 'name'],
        properties: {
          id: { type: 'string' },
          name: { type: ['string', 'null'], maxLength: 100 },
          size: { anyOf: [{ type: 'integer', minimum: 1, maximum: 9 }, { const: 'any' }] },
          inside: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
        },
      },
    },
  },
}

type Small = typeof small
// biome-ignore lint/suspicious/noExplicitAny: a test changes what it likes
type Change = (changed: any) => void

const after = (change: Change): string[] => {
  const changed = structuredClone(small)
  change(changed)
  return removedOrNarrowed(small as unknown as Schema, changed as unknown as Schema)
}
const thing = (changed: Small) => changed.components.schemas.Thing

test.each<[string, Change, string[]]>([
  ['an operation', ({ paths }) => delete paths['/things'].post, ['POST /things is gone']],
  ['a path', ({ paths }) => delete paths['/open'], ['GET /open is gone']],
  [
    'a role',
    ({ paths }) => paths['/things'].post['x-roles'].pop(),
    ['POST /things: not for the role editor any more'],
  ],
  ['a way in', ({ security }) => security.pop(), ['POST /things: {"apiKey":[]} opens it no more']],
  ['openness', ({ paths }) => delete paths['/open'].get.security, ['GET /open: needs a key now']],
  [
    'a parameter',
    ({ paths }) => paths['/things'].post.parameters.pop(),
    ['POST /things: query kind is gone'],
  ],
  [
    'a value of a parameter',
    ({ paths }) => paths['/things'].post.parameters[0].schema.enum.pop(),
    ['POST /things: query kind: "b" is gone'],
  ],
  ['an answer', ({ paths }) => delete paths['/things'].post.responses[201], ['POST /things: 201 is gone']],
  [
    'a code',
    ({ components }) => components.responses.Taken.content['application/json'].schema.enum.pop(),
    ['POST /things: 409: "GONE" is gone'],
  ],
  [
    'a kind of body',
    ({ paths }) => delete paths['/things'].post.requestBody.content['application/json'],
    ['POST /things: body: application/json is gone'],
  ],
])('%s that was removed is found', (_name, change, found) => expect(after(change)).toEqual(found))

test.each<[string, Change, string[]]>([
  [
    'a parameter that must be given',
    ({ paths }) =>
      paths['/things'].post.parameters.push({ in: 'query', name: 'x', required: true, schema: {} }),
    ['POST /things: query x must be given now'],
  ],
  [
    'a body that must be sent',
    ({ paths }) => {
      paths['/things'].post.requestBody.required = true
    },
    ['POST /things: a body must be sent now'],
  ],
  [
    'a member that must be given',
    (changed) => thing(changed).required.push('size'),
    ['POST /things: body.size must be given now'],
  ],
  [
    'a shorter text',
    (changed) => {
      thing(changed).properties.name.maxLength = 50
    },
    ['POST /things: body.name: maxLength is 50 now, and was 100'],
  ],
  [
    'a null that is not taken',
    (changed) => {
      thing(changed).properties.name.type = ['string']
    },
    ['POST /things: body.name: null is gone', 'POST /things: 201.name: null is gone'],
  ],
  [
    'a pattern',
    (changed) => {
      changed.components.schemas.Thing.properties.id.pattern = '^a'
    },
    ['POST /things: body.id: pattern is ^a now, and was open'],
  ],
  [
    'a smaller number in a union',
    (changed) => {
      changed.components.schemas.Thing.properties.size.anyOf[0].maximum = 5
    },
    ['POST /things: body.size: maximum is 5 now, and was 9'],
  ],
  [
    'a part of a union',
    (changed) => changed.components.schemas.Thing.properties.size.anyOf.shift(),
    ['POST /things: body.size: integer is gone', 'POST /things: 201.size: integer is gone'],
  ],
  [
    'an object that takes nothing else',
    (changed) => {
      changed.components.schemas.Thing.additionalProperties = false
    },
    ['POST /things: body: no other members are taken now'],
  ],
  [
    'a member that may be missing',
    (changed) => {
      thing(changed).required = ['name']
    },
    ['POST /things: 201.id may be missing now'],
  ],
  [
    'a member of an answer',
    (changed) => {
      delete changed.components.schemas.Thing.properties.size
    },
    ['POST /things: 201.size is gone'],
  ],
  [
    'another type',
    (changed) => {
      thing(changed).properties.id.type = 'integer'
    },
    [
      'POST /things: body.id: string is gone',
      'POST /things: 201.id: string is gone',
      'POST /things: 201.id: may be integer now',
    ],
  ],
  [
    'another type beside',
    (changed) => {
      changed.components.schemas.Thing.properties.id.type = ['string', 'null']
    },
    ['POST /things: 201.id: may be null now'],
  ],
])('%s is found', (_name, change, found) => expect(after(change)).toEqual(found))

test.each<[string, Change]>([
  [
    'an operation',
    ({ paths }) => {
      paths['/more'] = { get: { responses: {} } }
    },
  ],
  [
    'a parameter that may be given',
    ({ paths }) => paths['/things'].post.parameters.push({ in: 'query', name: 'x', schema: {} }),
  ],
  ['a value', ({ paths }) => paths['/things'].post.parameters[0].schema.enum.push('c')],
  [
    'a member',
    (changed) => {
      changed.components.schemas.Thing.properties.more = { type: 'string' }
    },
  ],
  [
    'a longer text',
    (changed) => {
      thing(changed).properties.name.maxLength = 200
    },
  ],
  ['a role', ({ paths }) => paths['/things'].post['x-roles'].push('source')],
  [
    'a code',
    ({ components }) => components.responses.Taken.content['application/json'].schema.enum.push('FULL'),
  ],
  [
    'another spelling of the same',
    (changed) => {
      changed.components.schemas.Thing.properties.name = {
        anyOf: [{ type: 'string', maxLength: 100 }, { type: 'null' }],
      }
    },
  ],
])('%s may be added', (_name, change) => expect(after(change)).toEqual([]))
