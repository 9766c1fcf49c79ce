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
  const answer = await river.write(question, context())
  expect(answer).toMatchObject({ provider: 'ai', model: 'some-model' })
  expect(answer.usage).toEqual({ input_tokens: 12, output_tokens: 4 })
  expect(JSON.parse(String(answer.body))).toMatchObject({ object: 'chat.completion' })
  expect(river.read(answer)).toEqual({ text: 'Rivers flow.', finish: 'stop' })
  const [asked, ...more] = mock.getRequests()
  expect(more).toEqual([])
  expect(asked?.body).toMatchObject({
    model: 'some-model',
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

test.each(['Failed to parse grammar', 'Internal server error'])(
  'a server that fails over a schema is asked for any JSON: 500 %s',
  async (message) => {
    const { url, asked } = await provider((response, { body }) => {
      const { type } = body.response_format as { type?: string }
      return type === 'json_schema'
        ? json(response, { error: { message } }, 500)
        : json(response, completion({ content: '{}' }))
    })
    const one = writer(url)
    await one.write({ ...question, schema }, context())
    await one.write({ ...question, schema }, context())
    expect(asked.map(({ body }) => (body.response_format as { type?: string }).type)).toEqual([
      'json_schema',
      'json_object',
      'json_object',
    ])
  },
)

test('a server that took a schema once is not asked otherwise when it fails', async () => {
  let healthy = true
  const { url, asked } = await provider((response) =>
    healthy
      ? json(response, completion({ content: '{}' }))
      : json(response, { error: { message: 'Internal server error' } }, 500),
  )
  const one = writer(url)
  await one.write({ ...question, schema }, context())
  healthy = false
  expect(await failure(one.write({ ...question, schema }, context()))).toMatchObject({ action: 'retry' })
  expect(asked).toHaveLength(2)
})

test('where the settings insist on a schema, the operator is told which setting to change', async () => {
  const { url } = await provider((response) =>
    json(response, { error: { message: 'Failed to parse grammar' } }, 500),
  )
  const one = writer(url, { options: { structured: 'schema' } })
  const refused = await failure(one.write({ ...question, schema }, context()))
  expect(refused).toMatchObject({ of: 'provider', action: 'owner' })
  expect(refused.message).toContain('set structured of this model to json or text')
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

const draft = '{"title":"A draft"}'
const answer = '{"title":"Rivers"}'

test.each([
  ['tags', `<think>${draft}</think>${answer}`],
  ['tags in capitals', `<Thinking>\n${draft}\n</Thinking>\n\n${answer}`],
  ['tags with a name of their maker', `<seed:think>${draft}</seed:think>${answer}`],
  ['tags of MiniMax and of another', `<mm:think>${draft}</mm:think><thought>${draft}</thought>${answer}`],
  ['tags that the template began', `Hm, ${draft}</think>${answer}`],
  ['tags below a sentence', `Sure.\n<reasoning>${draft}</reasoning>\n${answer}`],
  ['tags within thoughts', `<think>I write </think> soon. ${draft}</think>\n${answer}`],
  ['brackets, as of Mistral', `[THINK]${draft}[/THINK]${answer}`],
  ['triangles, as of Kimi', `◁think▷${draft}◁/think▷${answer}`],
  [
    'tokens, as of Cohere',
    `<|START_THINKING|>${draft}<|END_THINKING|><|START_RESPONSE|>${answer}<|END_RESPONSE|>`,
  ],
  [
    'tokens, as of OpenThinker',
    `<|begin_of_thought|>${draft}<|end_of_thought|>\n\n<|begin_of_solution|>${answer}<|end_of_solution|>`,
  ],
  ['tokens, as of MedGemma', `<unused94>thought\n${draft}<unused95>${answer}`],
  ['channels, as of Gemma', `<|channel>thought\n${draft}<channel|>${answer}`],
  [
    'channels of harmony',
    `<|channel|>analysis<|message|>${draft}<|end|><|start|>assistant<|channel|>final<|message|>${answer}<|return|>`,
  ],
  [
    'channels with a call between them',
    `<|channel|>analysis<|message|>${draft}<|end|><|start|>assistant<|channel|>commentary<|message|>Hm<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>${answer}`,
  ],
  ['channels without their tokens', `analysisWe write ${draft}assistantfinal${answer}`],
  ['an answer in tags', `<think>${draft}</think>\n<answer>${answer}</answer>`],
  ['a token at the end', `${answer}<|im_end|>`],
  [
    'headings, as of Apriel',
    `Here are my reasoning steps:\n${draft}\n[BEGIN FINAL RESPONSE]\n${answer}\n[END FINAL RESPONSE]`,
  ],
])('thoughts in %s are no part of an answer', async (_, content) => {
  const { writer } = await answering(completion({ content }))
  expect(writer.read(await writer.write(question, context())).text).toBe(answer)
})

test.each([
  '{"text":"Write [THINK] and [/THINK], <|channel|>final<|message|> or </think> there."}',
  'What the tag <think> does, and how [THINK] differs.',
  'The analysis of the assistant is final.',
])('words about thoughts stay: %s', async (content) => {
  const { writer } = await answering(completion({ content }))
  expect(writer.read(await writer.write(question, context())).text).toBe(content)
})

test.each([
  ['a tag', `[THINK]I plan ${draft}`],
  ['a channel', `<|channel|>analysis<|message|>I plan ${draft}`],
])('an answer that ended amid its thoughts, in %s, is empty', async (_, content) => {
  const { writer } = await answering(completion({ content }, 'length'))
  expect(writer.read(await writer.write(question, context()))).toEqual({ text: '', finish: 'length' })
})

test('pieces of an answer that are thoughts are no part of it', async () => {
  const content = [
    { type: 'reasoning', text: draft },
    { type: 'text', text: answer },
  ]
  const { writer } = await answering(completion({ content }))
  expect(writer.read(await writer.write(question, context())).text).toBe(answer)
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

test('an answer behind a byte order mark is read', async () => {
  const { url } = await provider((response) =>
    response.end(`\ufeff${JSON.stringify(completion({ content: 'Rivers.' }))}`),
  )
  const one = writer(url)
  expect(one.read(await one.write(question, context())).text).toBe('Rivers.')
})

test('a text that broke off at the model is no whole one', async () => {
  const { url } = await provider((response) => json(response, completion({ content: 'Rivers fl' }, 'error')))
  expect(await failure(writer(url).write(question, context()))).toMatchObject({ of: 'provider', made: true })
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
