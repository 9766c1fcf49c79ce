import { afterAll, beforeAll, expect, it } from 'vitest'
import { hostile } from '../outbound/hostile.ts'
import { startApp, type TestApp } from './app.ts'

// Addresses that are used later, when nobody waits for an answer: those that would never be reached are refused at once.

let app: TestApp
let receiver: string
let source: string
beforeAll(async () => {
  app = await startApp({ allowPrivate: [] })
  const made = { name: 'Newsroom', url: 'https://receiver.example/told' }
  receiver = `/v1/receivers/${(await app.ask('POST', '/v1/receivers', { body: made })).body.id}`
  source = `/v1/sources/${(await app.ask('POST', '/v1/sources', { body: { name: 'S' } })).body.id}`
})
afterAll(() => app.stop())

type Given = (address: string) => [method: string, path: string, body: object]

const places: [member: string, what: string, given: Given][] = [
  ['url', 'a new receiver', (url) => ['POST', '/v1/receivers', { name: 'R', url }]],
  ['url', 'a receiver', (url) => ['PATCH', receiver, { url }]],
  [
    'upstream_base_url',
    'a new source',
    (url) => ['POST', '/v1/sources', { name: 'S', upstream_base_url: url }],
  ],
  ['upstream_base_url', 'a source', (url) => ['PATCH', source, { upstream_base_url: url }]],
  [
    'webhook_url',
    'a document',
    (url) => ['POST', '/v1/document/create', { prompt: 'Tea and cake at four.', webhook_url: url }],
  ],
  [
    'webhook_url',
    'audio',
    (url) => ['POST', '/v1/audio/create', { text: 'Tea and cake at four.', webhook_url: url }],
  ],
  [
    'webhook_url',
    'an image',
    (url) => ['POST', '/v1/image/create', { prompt: 'Tea and cake at four.', webhook_url: url }],
  ],
]

// The other places ask the same guard, so that one address of each kind is enough there.
it.each(places)('422-unreachable: %s of %s, at a private address', async (member, what, given) => {
  const addresses = Object.values(hostile).flatMap((kind) =>
    what === 'a receiver' ? kind : kind.slice(0, 1),
  )
  const answers = await Promise.all(
    addresses.map(async (address) => {
      const [method, path, body] = given(address)
      const { status, body: answered } = await app.ask(method, path, { body })
      const places = answered.error?.details?.map?.((issue: { path: string }) => issue.path)
      return { address, status, places: [...new Set(places)] }
    }),
  )
  expect(answers).toEqual(addresses.map((address) => ({ address, status: 422, places: [`body.${member}`] })))
})

it('says what to do, and takes addresses of the web and of mail', async () => {
  const ask = (url: string) => app.ask('PATCH', receiver, { body: { url } })
  expect((await ask('http://0x7f.1/hook')).body.error.details).toEqual([
    {
      path: 'body.url',
      message:
        'leads nowhere that Galley sends to: 127.0.0.1 is not a public address (loopback). Give an address of the public web, or have whoever runs this Galley name it in GALLEY_ALLOW_PRIVATE',
    },
  ])
  for (const url of ['https://example.com/hook', 'http://8.8.8.8:8080/', 'https://[2606:4700::1111]/'])
    expect(await ask(url)).toMatchObject({ status: 200 })
})

it.each([
  [['127.0.0.1'], 'http://127.0.0.1:9000/hook', 'http://127.0.0.2:9000/hook'],
  [['10.0.0.0/8'], 'http://10.1.2.3/hook', 'http://172.16.0.1/hook'],
  [['localhost:9000'], 'http://localhost:9000/hook', 'http://localhost:9001/hook'],
  [['::1'], 'http://localhost/hook', 'http://[::2]/hook'],
  // The name may lead to what is allowed.
  [['10.0.0.0/8'], 'http://hooks.internal:9000/', 'http://10.0.0.1.evil.localhost/'],
])('200-where-it-is-allowed: with %s, %s and not %s', async (allowPrivate, allowed, refused) => {
  const other = await startApp({ allowPrivate }, app.connectionString)
  const ask = (url: string) =>
    other.ask('PATCH', receiver, { key: app.owner.key, body: { url } }).then(({ status }) => status)
  expect([await ask(allowed), await ask(refused)]).toEqual([200, 422])
  await other.stop()
})
