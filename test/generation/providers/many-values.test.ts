import { expect, it } from 'vitest'
import { parseGeminiAnswer } from '../../../src/generation/providers/gemini.ts'
import { parseCompletion } from '../../../src/generation/providers/openai/text.ts'
import { parseProviderFailure } from '../../../src/generation/providers/provider-errors.ts'
import { decodeWav, wavHeader } from '../../../src/generation/providers/wav.ts'
import { searchAt } from './search-at.ts'
import { context, failure, json, painter, provider } from './stage.ts'

/** Values of a wrong shape: what is wrong with each of a million would take seconds, and all memory, to say. */
const wrong = Array.from({ length: 20_000 }, () => 1)

const choice = { message: { content: 'Rivers.' }, finish_reason: 'stop' }
const candidate = { content: { parts: [{ inlineData: { mimeType: 'audio/L16', data: 'AAAA' } }] } }
const picture = { b64_json: Buffer.from('a picture').toString('base64') }
const request = {
  prompt: 'A river',
  subject: 'A river',
  size: 'square',
  quality: 'low',
  background: 'auto',
  format: 'png',
} as const

it('of the choices of a language model the first is looked at', () => {
  const text = { text: 'Rivers.', finish: 'stop' }
  expect(parseCompletion(JSON.stringify({ choices: [choice, ...wrong] }))).toMatchObject(text)
})

it('a text of more pieces than any has is none', () => {
  const parts = Array.from({ length: 2_000 }, () => ({ type: 'text', text: 'a' }))
  const body = JSON.stringify({ choices: [{ ...choice, message: { content: parts } }] })
  expect(parseCompletion(body)).toBe('it has no text in it')
})

it('of the candidates of Gemini the first is looked at, in an answer that is speech and little else', () => {
  expect(parseGeminiAnswer(JSON.stringify({ candidates: [candidate, 1, 1] }))).toMatchObject({
    type: 'audio/L16',
  })
  const far = 'it is not JSON, only the beginning of it, or has far more in it than speech'
  expect(parseGeminiAnswer(JSON.stringify({ candidates: [candidate], more: wrong }))).toBe(far)
})

it('of the pictures in an answer the first is looked at, in one that is a picture and little else', async () => {
  const answers = [{ data: [picture, 1, 1] }, { data: [picture], more: wrong }]
  const { url } = await provider((response) => json(response, answers.shift()))
  const one = painter(url)
  const answer = await one.draw(request, context())
  expect((await one.read(answer, context())).toString()).toBe('a picture')
  expect((await failure(one.draw(request, context()))).message).toContain('far more in it than a picture')
})

it('a failure of many words says nothing', () => {
  expect(parseProviderFailure(JSON.stringify({ message: 'Too many requests' })).message).toBe(
    'Too many requests',
  )
  expect(
    parseProviderFailure(JSON.stringify({ message: 'Too many ', details: wrong.concat(wrong) })).message,
  ).toBe('')
})

it('of the results of a search a hundred are looked at', async () => {
  const results = Array.from({ length: 200 }, (_, index) => ({ url: `https://a.example/${index}` }))
  const { url } = await provider((response) => json(response, { results }))
  const search = searchAt('searxng', url)
  const answer = await search.search({ query: 'rivers', limit: 8, news: false }, context())
  expect(search.read(answer)).toHaveLength(100)
})

it('speech after more chunks than any file has is none', () => {
  const header = wavHeader(24_000, 2)
  const chunk = Buffer.from('note\0\0\0\0', 'latin1')
  const wav = (chunks: number) =>
    Buffer.concat([
      header.subarray(0, 36),
      ...Array.from({ length: chunks }, () => chunk),
      header.subarray(36),
      Buffer.alloc(4),
    ])
  expect(decodeWav(wav(10)).samples).toHaveLength(4)
  expect(() => decodeWav(wav(2_000))).toThrow('it has no samples')
})
