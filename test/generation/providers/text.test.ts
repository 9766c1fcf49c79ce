import { LLMock } from '@copilotkit/aimock'
import { expect, onTestFinished, test } from 'vitest'
import { completion, context, failure, json, KEY, provider, question, writer } from './stage.ts'

const schema = {
  name: 'outline',
  json: {
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
    additionalProperties: false,
  },
}

/** The writer of a provider that answers everything so. */
const answering = async (value: unknown) => {
  const { url, asked } = await provider((response) => json(response, value))
  return { writer: writer(url), asked }
}

test('a question goes out as the API has it, once, and its answer comes back as it came', async () => {
  const mock = new LLMock({ port: 0 })
  mock.onMessage(/rivers/, { content: 'Rivers flow.', usage: { prompt_tokens: 12, completion_tokens: 4 } })
  await mock.start()
  onTestFinished(() => mock.stop())
  const river = writer(`${mock.url}/v1`)
  const answer = await river.write({ ...question, maxOutputTokens: 50 }, context())
  expect(answer).toMatchObject({ provider: 'ai', model: 'some-model' })
  expect(answer.usage).toEqual({ input_tokens: 12, output_tokens: 4 })
  expect(JSON.parse(String(answer.body))).toMatchObject({ object: 'chat.completion' })
  expect(river.read(answer)).toEqual({ text: 'Rivers flow.', finish: 'stop' })
  const [asked, ...more] = mock.getRequests()
  expect(more).toEqual([])
  expect(asked?.body).toMatchObject({
    model: 'some-model',
    max_tokens: 50,
    messages: [
      { role: 'system', content: 'You write.' },
      { role: 'user', content: 'Write about rivers.' },
    ],
  })
})

test('the key, and one idempotency key of the call, go to the provider alone', async () => {
  const { writer, asked } = await answering(completion({ content: 'x' }))
  await writer.write(question, context())
  expect(asked).toMatchObject([
    {
      path: '/chat/completions',
      headers: { authorization: `Bearer ${KEY}`, 'idempotency-key': expect.stringContaining('0199-call') },
    },
  ])
})

test('JSON is asked for by its schema', async () => {
  const { writer, asked } = await answering(completion({ content: '{"title":"Rivers"}' }))
  const answer = await writer.write({ ...question, schema }, context())
  expect(writer.read(answer).text).toBe('{"title":"Rivers"}')
  expect(asked[0]?.body.response_format).toMatchObject({
    type: 'json_schema',
    json_schema: { name: 'outline', strict: true, schema: schema.json },
  })
})

test('prose around JSON, and JSON that breaks the schema, are given back as they came', async () => {
  const text = 'Here you are:\n```json\n{"titel": "Rivers",}\n```'
  const { writer } = await answering(completion({ content: text }))
  const answer = await writer.write({ ...question, schema }, context())
  expect(writer.read(answer)).toEqual({ text, finish: 'stop' })
})

test('who takes no schema is asked for any JSON, and then in words; the next question knows', async () => {
  const { url, asked } = await provider((response, { body }) => {
    const { type } = (body.response_format ?? {}) as { type?: string }
    return type === undefined
      ? json(response, completion({ content: '{}' }))
      : json(response, { error: { message: `'response_format.type' : ${type} is not supported` } }, 400)
  })
  const one = writer(url)
  await one.write({ ...question, schema }, context())
  await one.write({ ...question, schema }, context())
  expect(asked.map(({ body }) => (body.response_format as { type?: string } | undefined)?.type)).toEqual([
    'json_schema',
    'json_object',
    undefined,
    undefined,
  ])
  const { messages } = (asked[3]?.body ?? {}) as { messages?: { content: string }[] }
  expect(messages?.[0]?.content).toContain(JSON.stringify(schema.json))
  // Each way to ask is another call to who keeps answers by their key.
  const keys = asked.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys.slice(0, 3)).size).toBe(3)
  expect(keys[3]).toBe(keys[2])
})

test('a schema that cannot be kept to the letter is asked for all the same', async () => {
  const { url, asked } = await provider((response, { body }) => {
    const { json_schema } = body.response_format as { json_schema: { strict: boolean } }
    return json_schema.strict
      ? json(response, { error: { message: "Invalid schema for response_format 'outline'" } }, 400)
      : json(response, completion({ content: '{}' }))
  })
  await writer(url, { options: { structured: 'schema' } }).write({ ...question, schema }, context())
  expect(asked).toHaveLength(2)
})

test('what the settings say of JSON is not found out again', async () => {
  const { url, asked } = await provider((response) =>
    json(response, { error: { message: 'response_format is not supported' } }, 400),
  )
  const one = writer(url, { options: { structured: 'json' } })
  expect(await failure(one.write({ ...question, schema }, context()))).toMatchObject({ of: 'job' })
  expect(asked.map(({ body }) => body.response_format)).toEqual([{ type: 'json_object' }])
})

test('a newer model is asked with the newer name of the bound', async () => {
  const { url, asked } = await provider((response, { body }) =>
    'max_tokens' in body
      ? json(
          response,
          { error: { message: "Use 'max_completion_tokens' instead.", code: 'unsupported_parameter' } },
          400,
        )
      : json(response, completion({ content: 'x' })),
  )
  await writer(url).write({ ...question, maxOutputTokens: 9 }, context())
  expect(asked[1]?.body).toMatchObject({ max_completion_tokens: 9 })
})

test.each([
  ['length', { content: 'Half a' }, { text: 'Half a', finish: 'length' }],
  ['content_filter', { content: '' }, { text: '', finish: 'refused' }],
  ['stop', { content: null, refusal: 'I cannot.' }, { text: 'I cannot.', finish: 'refused' }],
  [
    'stop',
    {
      content: [
        { type: 'text', text: 'In ' },
        { type: 'text', text: 'parts' },
      ],
    },
    { text: 'In parts', finish: 'stop' },
  ],
  [
    'stop',
    {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
        { type: 'text', text: 'R' },
      ],
    },
    { text: 'R', finish: 'stop' },
  ],
  [
    'stop',
    {
      content: [
        { type: 'text', text: null },
        { type: 'refusal', refusal: 'I cannot.' },
      ],
    },
    { text: 'I cannot.', finish: 'refused' },
  ],
  ['stop', { content: '<think>Hm.\n</think>\n\nRivers' }, { text: 'Rivers', finish: 'stop' }],
  ['stop', { content: 'Hm, {"title":"draft"}.\n</think>\n\nRivers' }, { text: 'Rivers', finish: 'stop' }],
  [
    'stop',
    { content: '{"text":"Close it with </think>."}' },
    { text: '{"text":"Close it with </think>."}', finish: 'stop' },
  ],
  ['length', { content: '<think>Hm' }, { text: '', finish: 'length' }],
  ['something_new', { content: 'x' }, { text: 'x', finish: 'stop' }],
])('an answer that ended by %s, %o, is read as %o', async (reason, message, expected) => {
  const { writer } = await answering(completion(message, reason))
  expect(writer.read(await writer.write(question, context()))).toEqual(expected)
})

test.each([
  [{ prompt_tokens: -1, completion_tokens: 5 }, { output_tokens: 5 }],
  [{ prompt_tokens: '12', completion_tokens: 1e300 }, undefined],
  [{ prompt_tokens: 1.5, completion_tokens: null }, undefined],
  ['many', undefined],
  [null, undefined],
])('usage of %o is believed as %o, and costs no answer', async (claimed, believed) => {
  const { writer } = await answering(completion({ content: 'x' }, 'stop', claimed))
  const answer = await writer.write(question, context())
  expect(answer.usage).toEqual(believed)
  expect(writer.read(answer).text).toBe('x')
})

test('a stream that nobody asked for is read, and one that was cut is none', async () => {
  const chunk = (content: string, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason }] })}\n\n`
  const stream = (body: string) =>
    provider((response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body))
  const whole = await stream(`${chunk('Rivers ')}: still here\n\n${chunk('flow.', 'stop')}data: [DONE]\n\n`)
  const one = writer(whole.url)
  expect(one.read(await one.write(question, context()))).toEqual({ text: 'Rivers flow.', finish: 'stop' })
  const cut = await stream(chunk('Rivers '))
  expect(await failure(writer(cut.url).write(question, context()))).toMatchObject({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    made: true,
  })
})

test.each([
  ['with CRLF', (lines: string[]) => lines.map((line) => `${line}\r\n\r\n`).join('')],
  ['with a byte order mark', (lines: string[]) => `\ufeff${lines.join('\n\n')}`],
  ['that begins with an id', (lines: string[]) => `id: 1\n${lines.join('\n\n')}`],
  ['that begins with how long to wait', (lines: string[]) => `retry: 500\n\n${lines.join('\n\n')}`],
  ['with pieces of nothing', (lines: string[]) => lines.join('\n\ndata:\n\n')],
  ['that says by [DONE] alone that it has ended', (lines: string[]) => `${lines[0]}\n\ndata: [DONE]\n\n`],
])('a stream %s is read', async (_, streamed) => {
  const piece = { choices: [{ delta: { content: 'Rivers flow.' } }] }
  const last = { choices: [{ delta: {}, finish_reason: 'stop' }] }
  const body = streamed([piece, last].map((one) => `data: ${JSON.stringify(one)}`))
  const { url } = await provider((response) => response.end(body))
  const one = writer(url)
  expect(one.read(await one.write(question, context()))).toEqual({ text: 'Rivers flow.', finish: 'stop' })
})

test('an answer behind a byte order mark is read', async () => {
  const { url } = await provider((response) =>
    response.end(`\ufeff${JSON.stringify(completion({ content: 'Rivers.' }))}`),
  )
  const one = writer(url)
  expect(one.read(await one.write(question, context())).text).toBe('Rivers.')
})

test.each([
  ['in one piece', JSON.stringify(completion({ content: 'Rivers fl' }, 'error'))],
  [
    'in a stream',
    `data: ${JSON.stringify({ choices: [{ delta: { content: 'R' }, finish_reason: 'error' }] })}\n`,
  ],
])('a text that broke off at the model, %s, is no whole one', async (_, body) => {
  const { url } = await provider((response) => response.end(body))
  expect(await failure(writer(url).write(question, context()))).toMatchObject({ of: 'provider', made: true })
})

test('a failure amid a stream is told in the provider’s words', async () => {
  const piece = { choices: [{ delta: { content: 'Rivers' } }] }
  const failed = { error: { code: 403, message: 'Input was flagged by moderation' }, choices: [] }
  const body = [piece, failed].map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
  const { url } = await provider((response) => response.end(body))
  expect(await failure(writer(url).write(question, context()))).toMatchObject({
    reason: 'CONTENT_MODERATION',
    message: expect.stringContaining('Input was flagged'),
  })
})

test.each([
  [{ prompt_tokens: 1000, completion_tokens: 2000, cost: 0.5 }, { input: 1, output: 4 }, 9000],
  [{ prompt_tokens: 1000, completion_tokens: 2000, cost: 0.0123456 }, {}, 12_346],
  [{ cost: -1 }, {}, undefined],
  [{ cost: '3' }, {}, undefined],
  [{ cost: 1e9 }, {}, undefined],
  [{ prompt_tokens: -5 }, { input: 1 }, undefined],
])('%o at prices of %o costs %s millionths', async (usage, prices, micros) => {
  const { url } = await provider((response) => json(response, completion({ content: 'x' }, 'stop', usage)))
  const { costMicros } = await writer(url, { options: { prices } }).write(question, context())
  expect(costMicros).toBe(micros)
})
