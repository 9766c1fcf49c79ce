import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createByteBudget } from '../../../src/bytes/budget.ts'
import { GenerationError } from '../../../src/generation/failure.ts'
import { completion, context, failure, json, KEY, provider, question, speaker, writer } from './stage.ts'

/** What a question comes to where the provider answers so. */
async function failed(answer: (response: ServerResponse) => unknown, timeoutMs?: number) {
  const { url, asked } = await provider(answer)
  const wanted = timeoutMs === undefined ? {} : { timeoutMs }
  const error = await failure(writer(url, wanted).write(question, context()))
  expect(asked).toHaveLength(1)
  return error
}

const refusing = (status: number, error: unknown, headers: Record<string, string> = {}) =>
  failed((response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    json(response, { error }, status)
  })

test.each([
  [401, { message: `Incorrect API key provided: ${KEY}.` }, 'GALLEY_AI_KEY'],
  [403, { message: 'You have no permission to use this key here.' }, 'GALLEY_AI_KEY'],
  [402, { message: 'Payment required' }, 'GALLEY_AI_KEY'],
  [429, { message: 'You exceeded your current quota', code: 'insufficient_quota' }, 'GALLEY_AI_KEY'],
  [
    400,
    { status: 'INVALID_ARGUMENT', message: 'API key not valid. Please pass a valid key.' },
    'GALLEY_AI_KEY',
  ],
  [400, { code: 'invalid-argument', message: 'Incorrect API key provided: xa***.' }, 'GALLEY_AI_KEY'],
  [400, { message: 'Your credit balance is too low to access the API.' }, 'GALLEY_AI_KEY'],
  [404, { message: 'The model does not exist', code: 'model_not_found' }, 'GALLEY_AI_MODEL'],
  [400, { message: 'no such model', code: 'model_not_found' }, 'GALLEY_AI_MODEL'],
  [302, {}, 'GALLEY_AI_URL'],
  [405, {}, 'GALLEY_AI_URL'],
])('a %i with %o waits for the operator, who is told the setting %3$s', async (status, error, setting) => {
  const refused = await refusing(status, error, { location: 'http://127.0.0.1:1/elsewhere' })
  expect(refused).toMatchObject({
    of: 'provider',
    made: false,
    action: 'owner',
    reason: 'PROVIDER_UNAVAILABLE',
  })
  expect(refused.message).toContain(setting)
})

test.each([
  [400, { code: 'content_policy_violation', message: 'no' }],
  [400, { code: 'content_filter', innererror: { code: 'ResponsibleAIPolicyViolation' } }],
  [400, { message: 'Your request was rejected as a result of our safety system.' }],
  [403, { code: 403, message: 'Your input was flagged', type: 'moderation' }],
])('a %i with %o is moderation, and the end of the job', async (status, error) => {
  expect(await refusing(status, error)).toMatchObject({
    of: 'job',
    reason: 'CONTENT_MODERATION',
    made: false,
    action: 'permanent',
  })
})

test.each([
  [400, { message: 'The context is too long', code: 'context_length_exceeded' }],
  [400, { message: 'The tool “api key rotation” is not defined' }],
  [413, 'too large'],
  [422, { message: 'messages: must not be empty' }],
])('a %i with %o is the job’s, in the provider’s own words', async (status, error) => {
  const refused = await refusing(status, error)
  expect(refused).toMatchObject({ of: 'job', reason: 'PROVIDER_REJECTED' })
  expect(refused.message).toContain(typeof error === 'string' ? error : error.message)
})

test.each([
  [429, { 'retry-after': '20' }, 20_000],
  [429, { 'retry-after': '864000' }, 3_600_000],
  [429, { 'retry-after': 'soon' }, undefined],
  [429, { 'retry-after-ms': '1500' }, 1500],
  [503, { 'retry-after': '7' }, 7000],
  [409, {}, undefined],
  [408, {}, undefined],
  [500, {}, undefined],
  [529, {}, undefined],
])('a %i with %o pauses the provider for as long as it asks', async (status, headers, ms) => {
  const refused = await refusing(status, { message: 'busy' }, headers as Record<string, string>)
  expect(refused).toMatchObject({ of: 'provider', made: false, action: 'retry', retryAfterMs: ms })
})

test('a pause until a date is one of so many seconds', async () => {
  const refused = await refusing(429, {}, { 'retry-after': new Date(Date.now() + 600_000).toUTCString() })
  expect(refused.retryAfterMs).toBeGreaterThan(300_000)
  expect(refused.retryAfterMs).toBeLessThanOrEqual(600_000)
})

test('a pause that stands in the body counts', async () => {
  const refused = await refusing(429, { message: 'slow down', details: [{ retryDelay: '17s' }] })
  expect(refused.retryAfterMs).toBe(17_000)
})

test.each([502, 504, 524])('a %i of a gateway leaves open whether something was made', async (status) => {
  expect(await refusing(status, 'bad gateway')).toMatchObject({ of: 'provider', made: true })
})

test('a failure inside a 200 is a failure', async () => {
  const inside = await failed((response) => json(response, { error: { code: 429, message: 'busy' } }))
  expect(inside).toMatchObject({ of: 'provider', made: false })
  expect(inside.message).toContain('busy')
})

test.each([
  [{ object: 'error', message: 'The prompt is too long', code: 40303 }, 'The prompt is too long', 'job'],
  [{ detail: 'Model is loading' }, 'Model is loading', 'provider'],
  [{ detail: [{ loc: ['body'], msg: 'Input must be a text' }] }, 'Input must be a text', 'job'],
  [{ success: false, errors: [{ code: 10000, message: 'Wrong API key' }] }, 'Wrong API key', 'provider'],
  [{ errors: ['The queue is full'] }, 'The queue is full', 'provider'],
  [{ base_resp: { status_code: 1008, status_msg: 'no balance' }, choices: null }, 'no balance', 'provider'],
  [{ error_code: 18, error_msg: 'Open api qps limit reached' }, 'Open api qps limit reached', 'provider'],
  [{ choices: [{ error: { code: 502, message: 'Upstream failed' } }] }, 'Upstream failed', 'provider'],
  [{ code: 'DataInspectionFailed', message: 'Output was flagged.' }, 'Output was flagged.', 'job'],
  [{ error: { message: 'Something broke' } }, 'Something broke', 'provider'],
])('a failure that came as a 200, %o, is told as %s', async (body, words, of) => {
  const told = await failed((response) => json(response, body))
  expect(told.of).toBe(of)
  expect(told.message).toContain(words)
})

test('an answer with nothing that is known in it is quoted', async () => {
  const told = await failed((response) => json(response, { hello: 'world', key: KEY }))
  expect(told).toMatchObject({ made: true, message: expect.stringContaining('{"hello":"world"') })
  expect(told.message).not.toContain(KEY)
})

test('where nobody listens, nothing was made', async () => {
  const { url } = await provider(() => undefined)
  const nobody = new URL(url)
  nobody.port = '1'
  expect(await failure(writer(nobody).write(question, context()))).toMatchObject({
    of: 'provider',
    made: false,
    reason: 'PROVIDER_UNAVAILABLE',
  })
})

test.each([
  ['resets the connection after its work', (response: ServerResponse) => response.socket?.destroy()],
  [
    'breaks off in the middle of its answer',
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': '1000', 'content-type': 'application/json' })
      response.write('{"choices":')
      setImmediate(() => response.socket?.destroy())
    },
  ],
])('one that %s may have made something', async (_, answer) => {
  expect(await failed(answer)).toMatchObject({ of: 'provider', made: true, reason: 'PROVIDER_UNAVAILABLE' })
})

test.each([
  ['says nothing', () => undefined],
  [
    'stops in the middle of its answer',
    (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {'),
  ],
])('one that %s is not waited for for ever', async (_, answer) => {
  expect(await failed(answer, 300)).toMatchObject({
    of: 'provider',
    made: true,
    reason: 'PROVIDER_UNAVAILABLE',
  })
})

test.each([
  ['no JSON', '{"choices": [{"message": {"content": "Riv'],
  ['nothing', ''],
  ['JSON of another kind', '{"hello": "world"}'],
  ['no choices', '{"choices": []}'],
  ['a list', '[1, 2]'],
])('an answer that is %s is the provider’s trouble, and may have been paid for', async (_, body) => {
  const unread = await failed((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body),
  )
  expect(unread).toMatchObject({ of: 'provider', made: true, reason: 'PROVIDER_UNAVAILABLE' })
})

test.each(['text/html; charset=utf-8', 'application/json'])(
  'a web page, sent as %s, says that the address is wrong',
  async (type) => {
    const page = await failed((response) =>
      response.writeHead(200, { 'content-type': type }).end('<!doctype html><title>Welcome</title>'),
    )
    expect(page).toMatchObject({ of: 'provider', action: 'owner' })
    expect(page.message).toContain('GALLEY_AI_URL')
  },
)

test('a huge answer is not read to its end, however small it was sent', async () => {
  const huge = JSON.stringify(completion({ content: 'x'.repeat(5_000_000) }))
  expect(await failed((response) => response.end(huge))).toMatchObject({
    reason: 'INVALID_OUTPUT',
    made: true,
  })
  const bomb = (response: ServerResponse) =>
    response.setHeader('content-encoding', 'gzip').end(gzipSync(huge))
  expect(await failed(bomb)).toMatchObject({ reason: 'INVALID_OUTPUT', made: true })
})

test('who gives up the call hears that, and no failure of the provider', async () => {
  const giveUp = new AbortController()
  const { url } = await provider(() => giveUp.abort())
  const error = await writer(url)
    .write(question, context(giveUp.signal))
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'request_aborted' })
})

test('an answer for which Galley itself has no memory is no trouble of its provider', async () => {
  const budget = createByteBudget(4 * 1024 * 1024, { waitMs: 20 })
  await budget.answers.take(budget.answers.size)
  const { url } = await provider((response) => void response.end(Buffer.alloc(1024 * 1024)))
  const asked = { text: 'The sea.', voice: 'Kore', language: 'en-US', style: null } as const
  const call = speaker(url, { budget }).speak(asked, context())
  await expect(call).rejects.toMatchObject({ code: 'memory_busy' })
  await expect(call).rejects.not.toBeInstanceOf(GenerationError)
})
