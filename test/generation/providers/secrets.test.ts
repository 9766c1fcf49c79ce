import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { createLog } from '../../../src/log/log.ts'
import { serve } from '../../outbound/server.ts'
import { documentRequest, writeDocument } from '../../support/generation/documents.ts'
import { completion, context, failure, json, KEY, painter, provider, question, writer } from './stage.ts'

/** Everything that a log line about this failure has. */
function logged(error: unknown): string {
  let lines = ''
  const log = createLog({ logLevel: 'info' }, { write: (line: string) => (lines += line) })
  log.warn({ err: error }, (error as Error).message)
  return lines
}

test.each([
  [401, { error: { message: `Incorrect API key provided: ${KEY}`, code: KEY, type: KEY } }],
  [400, { error: { message: `bad ${KEY}`, param: KEY } }],
  [500, KEY],
  [200, { echo: KEY }],
  [200, { error: { message: KEY, code: 400 } }],
])('a provider that repeats the key in a %i tells it to nobody else', async (status, body) => {
  const { url, asked } = await provider((response) => json(response, body, status))
  const error = await failure(writer(url).write(question, context()))
  expect(asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
  expect(inspect(error, { depth: null })).not.toContain(KEY)
  expect(logged(error)).not.toContain(KEY)
})

test('a key that looks like one is not repeated, even where it is not ours', async () => {
  const { url } = await provider((response) =>
    json(response, { error: { message: 'Wrong key: sk-proj-Abcdefgh12345678 of tvly-dev-0123456789' } }, 401),
  )
  const { message } = await failure(writer(url).write(question, context()))
  expect(message).not.toMatch(/Abcdefgh|0123456789/)
})

test.each([
  ['test', 'In a testing year, the latest contest was a test.'],
  ['none', 'None of the nonexistent ones, and none else.'],
  [KEY, `It is ${KEY}.`],
])('with the key %s, an answer is kept word for word', async (key, text) => {
  const { url } = await provider((response) => json(response, completion({ content: text })))
  const one = writer(url, { key })
  const answer = await one.write(question, context())
  expect(answer.body).toBe(JSON.stringify(completion({ content: text })))
  expect(one.read(answer).text).toBe(text)
})

test('a short key is taken out of an error, and the words that contain it are not', async () => {
  const { url } = await provider((response) =>
    json(response, { error: { message: 'The latest model does not accept test, nor "test".' } }, 401),
  )
  const { message } = await failure(writer(url, { key: 'test' }).write(question, context()))
  expect(message).toContain('The latest model does not accept [redacted], nor "[redacted]".')
})

test.each([
  ['in base64', Buffer.from(KEY).toString('base64')],
  ['in an address', encodeURIComponent(KEY)],
])('an error names the key in no spelling: %s', async (_, echo) => {
  const { url } = await provider((response) => json(response, { error: { message: `No: ${echo}` } }, 400))
  expect((await failure(writer(url).write(question, context()))).message).not.toContain(echo)
})

test('an error that quotes an answer quotes it without the key', async () => {
  const { url } = await provider((response) => json(response, completion({ content: `I have ${KEY}.` })))
  const writing = writeDocument(documentRequest(), writer(url))
  await expect(writing).rejects.toThrow('there is no JSON in it, but "I have [redacted]."')
})

test('a redirect is not followed: the key would go along', async () => {
  const heard: string[] = []
  const elsewhere = await serve((request, response) => {
    heard.push(request.url ?? '')
    response.end()
  })
  const { url } = await provider((response) => response.writeHead(307, { location: elsewhere.href }).end())
  await failure(writer(url).write(question, context()))
  expect(heard).toEqual([])
})

const wanted = {
  prompt: 'A river',
  subject: 'A river',
  size: 'auto',
  quality: 'high',
  background: 'auto',
  format: 'png',
} as const

test('a private address opens for the provider that the settings name, and for nothing that it names', async () => {
  const heard: (string | undefined)[] = []
  const inside = await serve((request, response) => {
    heard.push(request.url)
    response.end('secret')
  })
  const { url } = await provider((response) => json(response, { data: [{ url: `${inside}metadata` }] }))
  const one = painter(url)
  const error = await failure(one.draw(wanted, context()).then((answer) => one.read(answer, context())))
  expect(error).toMatchObject({ reason: 'PROVIDER_UNAVAILABLE', made: true })
  expect(heard).toEqual([])
})

test('a picture is fetched from the provider’s own server without the key', async () => {
  const headers: unknown[] = []
  const server = await serve((request, response) => {
    headers.push(request.headers.authorization)
    if (request.url === '/picture') return response.end('the picture')
    return json(response, { data: [{ url: `http://${request.headers.host}/picture` }] })
  })
  const one = painter(server)
  const bytes = await one.read(await one.draw(wanted, context()), context())
  expect(bytes.toString()).toBe('the picture')
  expect(headers).toEqual([`Bearer ${KEY}`, undefined])
})
