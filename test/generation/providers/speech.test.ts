import { expect, test } from 'vitest'
import { type Voice, voices } from '../../../src/contract/generation/requests.ts'
import type { SpeechRequest } from '../../../src/generation/providers/types.ts'
import { context, failure, json, KEY, provider, speaker } from './stage.ts'

const request: SpeechRequest = { text: 'Rivers flow.', voice: 'Puck', language: 'en-US', style: 'calmly' }

const samples = Buffer.alloc(4800)
for (let at = 0; at < samples.length; at += 2) samples.writeInt16LE((at * 37) % 20_000, at)

const sound = (body: Buffer, type: string) =>
  provider((response) => response.writeHead(200, { 'content-type': type }).end(body))

test('an endpoint that speaks as OpenAI’s is asked for bare samples', async () => {
  const { url, asked } = await sound(samples, 'audio/pcm')
  const one = speaker(url, { options: { prices: { characters: 15 } } })
  const answer = await one.speak(request, context())
  expect(asked[0]).toMatchObject({
    path: '/audio/speech',
    headers: { authorization: `Bearer ${KEY}` },
    body: {
      model: 'some-model',
      input: 'Rivers flow.',
      voice: 'echo',
      response_format: 'pcm',
      instructions: 'calmly',
    },
  })
  expect(answer.costMicros).toBe(180)
  expect(one.read(answer)).toEqual({ samples, sampleRate: 24_000 })
})

test('it speaks with the nearest of its voices, or those of the settings, and says so', () => {
  for (const voice of Object.keys(voices) as Voice[])
    expect(speaker('http://127.0.0.1:1').voice(voice, 'en-US')).toEqual({
      name: expect.stringMatching(/^[a-z]+$/),
      exact: false,
    })
  const own = speaker('http://127.0.0.1:1', { options: { voices: { Kore: 'af_bella', other: 'am_adam' } } })
  expect(own.voice('Kore', 'en-US').name).toBe('af_bella')
  expect(own.voice('Puck', 'en-US').name).toBe('am_adam')
})

test('WAV is known by how it begins, whatever its lengths say', async () => {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(0xffffffff, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(16_000, 24)
  header.writeUInt32LE(32_000, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(0xffffffff, 40)
  const { url, asked } = await sound(Buffer.concat([header, samples]), 'audio/wav')
  const one = speaker(url, { options: { audio: 'wav', instructions: false } })
  const answer = await one.speak(request, context())
  expect(asked[0]?.body).toMatchObject({ response_format: 'wav' })
  expect(asked[0]?.body).not.toHaveProperty('instructions')
  const speech = one.read(answer)
  expect(speech.sampleRate).toBe(16_000)
  expect(speech.samples.equals(samples)).toBe(true)
})

test('the rate of bare samples is what they say, or else the settings', async () => {
  const { url } = await sound(samples, 'audio/L16; rate=22050')
  const one = speaker(url, { options: { sample_rate: 48_000 } })
  expect(one.read(await one.speak(request, context())).sampleRate).toBe(22_050)
  const silent = await sound(samples, 'application/octet-stream')
  const other = speaker(silent.url, { options: { sample_rate: 48_000 } })
  expect(other.read(await other.speak(request, context())).sampleRate).toBe(48_000)
})

/** Frames of MP3 without a tag before them, as most services send it: MPEG 2, 64 kbit/s, 24 kHz. */
const frames = Buffer.concat(
  Array.from({ length: 3 }, () => Buffer.concat([Buffer.from('fff384c4', 'hex'), Buffer.alloc(188)])),
)

test('bare samples of two channels, and a rate in quotation marks, are read as what they say', async () => {
  const both = Buffer.concat(
    Array.from({ length: samples.length / 2 }, (_, at) => {
      const sample = samples.subarray(at * 2, at * 2 + 2)
      return Buffer.concat([sample, sample])
    }),
  )
  const { url } = await sound(both, 'audio/L16; rate="22050"; channels=2')
  const one = speaker(url)
  expect(one.read(await one.speak(request, context()))).toEqual({ samples, sampleRate: 22_050 })
})

test.each([
  ['audio/mpeg', Buffer.from('whatever')],
  ['audio/pcm', Buffer.from('ID3 and so on')],
  ['application/json', Buffer.from('{"hello": 1}')],
  ['audio/pcm', Buffer.alloc(0)],
  ['audio/pcm', frames],
  ['audio/webm', Buffer.alloc(100)],
  ['audio/x-m4a', Buffer.alloc(100)],
  ['audio/pcm', Buffer.concat([Buffer.from('0000001c66747970', 'hex'), Buffer.from('M4A '), samples])],
  ['audio/pcm', Buffer.concat([Buffer.from('1a45dfa3', 'hex'), samples])],
  ['application/octet-stream', Buffer.from('Internal error: the worker that speaks is gone')],
])('%s that holds no samples is the provider’s trouble, while it can be asked again', async (type, body) => {
  const { url } = await sound(body, type)
  expect(await failure(speaker(url).speak(request, context()))).toMatchObject({ of: 'provider', made: true })
})

test('a failure in the place of speech is told in its own words', async () => {
  const { url } = await sound(Buffer.from('{"error": {"message": "The voice is gone"}}'), 'audio/pcm')
  expect(await failure(speaker(url).speak(request, context()))).toMatchObject({
    made: false,
    message: expect.stringContaining('The voice is gone'),
  })
})

const spoken = (candidate: object, more: object = {}) =>
  provider((response) => json(response, { candidates: [candidate], ...more }))

const inline = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: samples.toString('base64') }

test('Gemini is asked by its own API, for its own voices', async () => {
  const { url, asked } = await spoken(
    { content: { parts: [{ inlineData: inline }] }, finishReason: 'STOP' },
    { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 300 } },
  )
  const one = speaker(url, { kind: 'gemini', options: { prices: { input: 1, output: 20 } } })
  const answer = await one.speak(request, context())
  expect(asked[0]).toMatchObject({
    path: '/models/some-model:generateContent',
    headers: { 'x-goog-api-key': KEY },
    body: {
      contents: [{ parts: [{ text: expect.stringContaining('calmly\n\nRivers flow.') }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: {
          languageCode: 'en-US',
          voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Puck' } },
        },
      },
    },
  })
  expect(asked[0]?.headers).not.toHaveProperty('authorization')
  expect(answer).toMatchObject({ usage: { input_tokens: 5, output_tokens: 300 }, costMicros: 6005 })
  const speech = one.read(answer)
  expect(speech.sampleRate).toBe(24_000)
  expect(speech.samples.equals(samples)).toBe(true)
})

test('all of the voices are Gemini’s own; a language that it has no code for is left to it', async () => {
  const { url, asked } = await spoken({ content: { parts: [{ inlineData: inline }] } })
  const one = speaker(url, { kind: 'gemini' })
  for (const voice of Object.keys(voices) as Voice[])
    expect(one.voice(voice, 'en-US')).toEqual({ name: voice, exact: true })
  await one.speak({ ...request, language: 'sv-SE', style: null }, context())
  expect(asked[0]?.body).toMatchObject({ contents: [{ parts: [{ text: 'Rivers flow.' }] }] })
  expect(JSON.stringify(asked[0]?.body)).not.toContain('languageCode')
})

test.each([
  [{ finishReason: 'OTHER', content: {} }, {}, 'PROVIDER_UNAVAILABLE'],
  [{ finishReason: 'MAX_TOKENS', content: { parts: [{ inlineData: inline }] } }, {}, 'PROVIDER_UNAVAILABLE'],
  [{ finishReason: 'STOP', content: { parts: [{ text: 'I will read' }] } }, {}, 'PROVIDER_UNAVAILABLE'],
  [{ finishReason: 'PROHIBITED_CONTENT' }, {}, 'CONTENT_MODERATION'],
  [{}, { promptFeedback: { blockReason: 'SAFETY' } }, 'CONTENT_MODERATION'],
])('Gemini’s %o, %o means %s', async (candidate, more, reason) => {
  const { url } = await spoken(candidate, more)
  expect(await failure(speaker(url, { kind: 'gemini' }).speak(request, context()))).toMatchObject({
    reason,
    made: true,
  })
})
