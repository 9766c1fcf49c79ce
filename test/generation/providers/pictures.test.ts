import { LLMock } from '@copilotkit/aimock'
import { expect, onTestFinished, test } from 'vitest'
import type { PictureRequest } from '../../../src/generation/providers/types.ts'
import { context, failure, json, painter, provider } from './stage.ts'

const request: PictureRequest = {
  prompt: 'A river at dawn, as a photograph',
  subject: 'A river at dawn',
  size: 'landscape',
  quality: 'high',
  background: 'auto',
  format: 'webp',
}

const PIXEL = Buffer.from('a picture').toString('base64')

test('a picture is asked for as GPT image models take it, and comes back as it was made', async () => {
  const mock = new LLMock({ port: 0 })
  mock.onImage(/river/, { image: { b64Json: PIXEL } })
  await mock.start()
  onTestFinished(() => mock.stop())
  const one = painter(`${mock.url}/v1`, { model: 'gpt-image-1' })
  const answer = await one.draw(request, context())
  expect((await one.read(answer, context())).toString()).toBe('a picture')
  const [asked] = mock.getRequests()
  expect(asked?.path).toBe('/v1/images/generations')
})

test.each([
  ['landscape', '1536x1024'],
  ['square', '1024x1024'],
  ['portrait', '1024x1536'],
  ['auto', '1536x1024'],
] as const)('the size %s is %s, and no response_format is sent', async (size, expected) => {
  const { url, asked } = await provider((response) => json(response, { data: [{ b64_json: PIXEL }] }))
  await painter(url).draw({ ...request, size }, context())
  expect(asked[0]?.body).toEqual({
    model: 'some-model',
    prompt: request.prompt,
    n: 1,
    size: expected,
    quality: 'high',
    background: 'auto',
    output_format: 'webp',
  })
})

const older = {
  sizes: ['1024x1024', '1792x1024', '1024x1792'],
  quality: { low: 'standard', medium: 'standard', high: 'hd' },
  background: false,
  output_format: false,
}

test.each([
  ['landscape', '1792x1024'],
  ['portrait', '1024x1792'],
  ['square', '1024x1024'],
] as const)('an older model is asked for %s in its own words', async (size, expected) => {
  const { url, asked } = await provider((response) => json(response, { data: [{ b64_json: PIXEL }] }))
  await painter(url, { options: older }).draw({ ...request, size }, context())
  expect(asked[0]?.body).toEqual({
    model: 'some-model',
    prompt: request.prompt,
    n: 1,
    size: expected,
    quality: 'hd',
  })
})

test('an answer says whether the quality had an effect: not where the settings or the server refuse it', async () => {
  const { url } = await provider((response, { body }) =>
    'quality' in (body as object)
      ? json(response, { error: { message: 'Unknown parameter: quality' } }, 400)
      : json(response, { data: [{ b64_json: PIXEL }] }),
  )
  const drawn = [{}, { quality: false } as const].map((options) =>
    painter(url, { options }).draw(request, context()),
  )
  for (const answer of await Promise.all(drawn)) expect(answer.withoutQuality).toBe(true)
})

test('what a model can never do is said by name before anybody is asked', async () => {
  const { url, asked } = await provider(() => undefined)
  const transparent = { ...request, background: 'transparent' } as const
  expect(painter(url, { options: older }).cannot(transparent)).toBe(
    'ai (some-model) does not make transparent backgrounds',
  )
  expect(painter(url).cannot(transparent)).toBeUndefined()
  expect(painter(url, { options: older }).cannot(request)).toBeUndefined()
  expect(asked).toEqual([])
})

test('a picture costs what the settings say, for itself or for its tokens', async () => {
  const usage = { input_tokens: 100, output_tokens: 4000 }
  const { url } = await provider((response) => json(response, { data: [{ b64_json: PIXEL }], usage }))
  const drawn = (prices: object) => painter(url, { options: { prices } }).draw(request, context())
  expect((await drawn({ image: 0.04 })).costMicros).toBe(40_000)
  expect((await drawn({ input: 5, output: 40 })).costMicros).toBe(160_500)
  expect((await drawn({})).costMicros).toBeUndefined()
  expect((await drawn({})).usage).toEqual({ ...usage, images: 1 })
})

test.each([{}, { data: [] }, { data: [{}] }, { data: [{ b64_json: '' }] }, { data: 'x' }])(
  'an answer of %o has no picture in it, and may have been paid for',
  async (body) => {
    const { url } = await provider((response) => json(response, body))
    expect(await failure(painter(url).draw(request, context()))).toMatchObject({
      of: 'provider',
      made: true,
    })
  },
)

test.each([
  { url: `data:image/png;base64,${PIXEL}` },
  { b64_json: `data:image/png;base64,${PIXEL}` },
  { b64_json: `data:;base64,${PIXEL}`, url: '' },
  { b64_json: '', url: `data:image/png;base64,${PIXEL}` },
  { b64_json: PIXEL.replace(/.{4}/g, '$&\r\n'), url: null },
])('a picture is read that is given as %o', async (picture) => {
  const { url } = await provider((response) => json(response, { data: [picture] }))
  const one = painter(url)
  expect((await one.read(await one.draw(request, context()), context())).toString()).toBe('a picture')
})

test('moderation of a picture ends the job', async () => {
  const { url } = await provider((response) =>
    json(response, { error: { code: 'moderation_blocked', message: 'no' } }, 400),
  )
  expect(await failure(painter(url).draw(request, context()))).toMatchObject({ reason: 'CONTENT_MODERATION' })
})
