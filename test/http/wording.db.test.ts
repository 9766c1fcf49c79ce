import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig, settingNames } from '../../src/config/config.ts'
import { GalleyError } from '../../src/errors.ts'
import { readRows } from '../../src/sites/import.ts'
import { startApp, type TestApp } from './app.ts'

/** What JSON Schema says of a value, as far as it is walked here. */
interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  additionalProperties?: Schema | boolean
}
interface Operation {
  parameters?: { in: string; name: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** How zod's own sentences begin or sound, in its English (zod/v4/locales/en). */
const raw =
  /Invalid |Too (big|small)|Unrecognized|expected .*received|>=|<=|more than one option|\bundefined\b/

const wrong: unknown[] = [
  null,
  7,
  -1,
  1.5,
  1e300,
  true,
  '',
  ' ',
  'x',
  '!',
  'x'.repeat(6_000),
  [],
  [7],
  [''],
  Array.from({ length: 60 }, () => 'x'),
  {},
  { x: 7 },
  { '': '' },
]

let app: TestApp
let document: { paths: Record<string, Record<string, Operation>>; components: { schemas: object } }
beforeAll(async () => {
  app = await startApp()
  document = (await app.ask('GET', '/openapi.json')).body
})
afterAll(() => app.stop())

function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split('/').pop()
  return name === undefined
    ? schema
    : ((document.components.schemas as Record<string, Schema>)[name] as Schema)
}

/** The schema filled in `depth` levels down, with `value` in every place there; null where it is not so deep. */
function filled(given: Schema, depth: number, value: unknown): unknown {
  if (depth === 0) return value
  const { properties = {}, items, anyOf = [], oneOf = [], additionalProperties } = resolved(given)
  const members = Object.entries(properties).flatMap(([name, member]) => {
    const inner = filled(member, depth - 1, value)
    return inner === null ? [] : [[name, inner] as const]
  })
  if (members.length > 0) return Object.fromEntries(members)
  if (items) return inside(filled(items, depth - 1, value), (inner) => [inner])
  if (typeof additionalProperties === 'object')
    return inside(filled(additionalProperties, depth - 1, value), (inner) => ({ name: inner }))
  return (
    [...anyOf, ...oneOf].map((option) => filled(option, depth, value)).find((inner) => inner !== null) ?? null
  )
}

const inside = (inner: unknown, wrap: (inner: unknown) => unknown): unknown =>
  inner === null ? null : wrap(inner)

/** Every wrong value in every place of a schema, a level at a time. */
const wrongly = (schema: Schema): unknown[] => [
  ...wrong,
  ...[1, 2, 3, 4, 5].flatMap((depth) =>
    wrong.map((value) => filled(schema, depth, value)).filter((body) => body !== null),
  ),
]

/** The sentences of a refusal. */
const sentencesOf = (error?: { message: string; details?: { message?: string }[] }): string[] =>
  error === undefined
    ? []
    : [
        error.message,
        ...(Array.isArray(error.details) ? error.details : []).map(({ message }) => message ?? ''),
      ]

test('no sentence of the library reaches whoever sends a wrong value, in any member of any call', async () => {
  const id = crypto.randomUUID()
  const made = await app.ask('POST', '/v1/sources', { body: { name: 'wording' } })
  const token = made.body.data.url.split('/').pop() as string
  const heard = new Set<string>()
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, { parameters, requestBody }] of Object.entries(operations)) {
      // A page, which leads to another one.
      if (path.startsWith('/connect/')) continue
      const address = path.replace('{token}', token).replace(/\{\w+\}/, id)
      const ask = async (query: string, body?: unknown, type = 'application/json') => {
        const headers = { 'content-type': type }
        const asked = body === undefined ? {} : { body, headers }
        const answer = await app.ask(method.toUpperCase(), `${address}${query}`, asked)
        expect(answer.status, `${method} ${path}${query} ${JSON.stringify(body)}`).not.toBe(500)
        for (const sentence of sentencesOf(answer.body.error)) heard.add(sentence)
      }
      for (const { name } of (parameters ?? []).filter((parameter) => parameter.in === 'query'))
        for (const value of ['', 'x', '-1', '1e300', 'true', 'x'.repeat(300)]) await ask(`?${name}=${value}`)
      await ask('?nothing=x')
      const schema = requestBody?.content['application/json']?.schema
      if (schema !== undefined) for (const value of wrongly(schema)) await ask('', JSON.stringify(value))
    }
  expect([...heard].filter((sentence) => raw.test(sentence))).toEqual([])
  // It did reach the schemas: every kind of mistake was met.
  for (const part of [
    'is missing: it must be',
    'must have at most',
    'must not be empty',
    'is not known here',
  ])
    expect(
      [...heard].some((sentence) => sentence.includes(part)),
      part,
    ).toBe(true)
})

test('nor whoever sets a setting wrong', () => {
  const heard: string[] = []
  for (const name of settingNames)
    for (const value of ['x', '-1', '1.5', '1e300', '!', 'x'.repeat(3_000)])
      try {
        loadConfig({ [name]: value })
      } catch (error) {
        if (!(error instanceof GalleyError)) throw error
        heard.push(error.message)
      }
  expect(heard.length).toBeGreaterThan(30)
  expect(heard.filter((sentence) => raw.test(sentence))).toEqual([])
})

test('nor whoever imports a file', () => {
  const rows = ['x'.repeat(300), '', '7'].map(
    (value) => `example.com,${value},pass,${value},${value},${value}`,
  )
  const read = readRows(['url,username,application_password,name,id,labels', ...rows].join('\n'))
  const heard = read.flatMap((row) => ('mistake' in row ? [row.mistake] : []))
  expect(heard.join('\n')).toMatch(/username: is missing: it must be a string/)
  expect(heard.filter((sentence) => raw.test(sentence))).toEqual([])
})

test('of many unknown members some are named, and the others counted', async () => {
  const unknown = Array.from({ length: 1_000 }, (_, number) => [`stranger ${number}`, 0])
  const body = { name: 'x', ...Object.fromEntries(unknown) }
  const { status, body: answer } = await app.ask('POST', '/v1/keys', { body })
  expect(status).toBe(422)
  const [{ message }] = answer.error.details
  expect(message).toMatch(
    /^"stranger 0" is not known here: .*"stranger 9" is not known here: [^"]*; and 990 more are not known$/,
  )
})

test.each([
  ['/v1/sites', { catgories: [] }, 'body', /"catgories" is not known here/],
  ['/v1/sites', { default_catgories: [] }, 'body', /did you mean "default_categories"\?/],
  ['/v1/sites', { url: 7 }, 'body.url', /^must be a string$/],
  ['/v1/sites', { id: 'x' }, 'body.id', /^must be a UUID, such as/],
  ['/v1/sites', { concurrency: 9 }, 'body.concurrency', /^must be at most 8$/],
  [
    '/v1/sites',
    { term_policy: 'x' },
    'body.term_policy',
    /^must be "create" or "existing_only" or "reject"$/,
  ],
  ['/v1/sites', { category_aliases: { x: 7 } }, 'body.category_aliases.x', /^must be a string$/],
  ['/v1/keys', { name: '' }, 'body.name', /^must not be empty$/],
  ['/v1/keys', undefined, 'body', /^is missing: it must be an object$/],
])('POST %s %j says of %s what it must be', async (path, body, field, sentence) => {
  const { status, body: answer } = await app.ask('POST', path, { body })
  expect(status).toBe(422)
  expect(answer.error.details).toContainEqual({ path: field, message: expect.stringMatching(sentence) })
})

test('422-a query where none is taken is named, and nothing is done', async () => {
  const { status, body } = await app.ask('GET', `/v1/sources/${crypto.randomUUID()}?limit=2`)
  expect(status).toBe(422)
  expect(body.error.details).toEqual([
    { path: 'query', message: '"limit" is not known here; nothing is accepted' },
  ])
})
