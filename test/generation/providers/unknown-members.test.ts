import { expect, test } from 'vitest'
import { context, failure, json, painter, provider, speaker } from './stage.ts'

const PIXEL = Buffer.from('a picture').toString('base64')

const request = {
  prompt: 'A river at dawn, as a photograph',
  subject: 'A river at dawn',
  size: 'landscape',
  quality: 'high',
  background: 'auto',
  format: 'webp',
} as const

const refusals = {
  openai: (name: string) => [
    400,
    { error: { message: `Unknown parameter: '${name}'.`, param: name, code: 'unknown_parameter' } },
  ],
  fastapi: (name: string) => [
    422,
    { detail: [{ type: 'extra_forbidden', loc: ['body', name], msg: 'Extra inputs are not permitted' }] },
  ],
  python: (name: string) => [
    500,
    { error: { message: `generate() got an unexpected keyword argument '${name}'` } },
  ],
  'with HTTP 200': (name: string) => [200, { error: { message: `${name} is not supported by this model` } }],
} satisfies Record<string, (name: string) => [number, object] | (number | object)[]>

test.each(
  Object.entries(refusals).flatMap(([kind, refuse]) =>
    ['background', 'quality', 'output_format'].map((name) => [kind, name, refuse] as const),
  ),
)('a picture is asked for again without what its server does not know: %s, %s', async (_, name, refuse) => {
  const { url, asked } = await provider((response, { body }) => {
    const [status, answer] = name in (body as object) ? refuse(name) : [200, { data: [{ b64_json: PIXEL }] }]
    json(response, answer, Number(status))
  })
  const one = painter(url)
  await one.draw(request, context())
  await one.draw(request, context())
  expect(asked.map(({ body }) => name in (body as object))).toEqual([true, false, false])
  expect(asked[1]?.headers['idempotency-key']).not.toBe(asked[0]?.headers['idempotency-key'])
})

test('a transparent background is not left out: the server is not asked for one again', async () => {
  const { url, asked } = await provider((response) => json(response, refusals.openai('background')[1], 400))
  const one = painter(url)
  const transparent = { ...request, background: 'transparent' } as const
  expect(await failure(one.draw(transparent, context()))).toMatchObject({ reason: 'PROVIDER_REJECTED' })
  expect(asked.every(({ body }) => 'background' in (body as object))).toBe(true)
  expect(one.cannot(transparent)).toContain('does not make transparent backgrounds')
})

test('what moderation declines is not asked for again, whatever it names', async () => {
  const { url, asked } = await provider((response) =>
    json(response, { error: { message: 'background declined', code: 'content_policy_violation' } }, 400),
  )
  expect(await failure(painter(url).draw(request, context()))).toMatchObject({ reason: 'CONTENT_MODERATION' })
  expect(asked).toHaveLength(1)
})

test('speech is asked for again without instructions that its server does not know', async () => {
  const { url, asked } = await provider((response, { body }) => {
    const isKnown = !('instructions' in body)
    if (!isKnown) return json(response, refusals.openai('instructions')[1], 400)
    return response.setHeader('content-type', 'audio/pcm').end(Buffer.alloc(4_800))
  })
  const one = speaker(url)
  const request = { text: 'The sea.', voice: 'Kore', language: 'en-US' } as const
  expect(await one.speak({ ...request, style: 'calm' }, context())).toMatchObject({ withoutStyle: true })
  expect(await one.speak({ ...request, style: null }, context())).toMatchObject({ withoutStyle: false })
  expect(asked.map(({ body }) => 'instructions' in (body as object))).toEqual([true, false, false])
})

test('a refusal that has the name of a member amid its words is about something else', async () => {
  const { url, asked } = await provider((response) =>
    json(response, { error: { message: 'The size of the prompt exceeds 1,000 characters.' } }, 400),
  )
  expect(await failure(painter(url).draw(request, context()))).toMatchObject({ reason: 'PROVIDER_REJECTED' })
  expect(asked).toHaveLength(1)
})
