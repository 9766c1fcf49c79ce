import { describe, expect, test } from 'vitest'
import { type Voice, voices } from '../../../src/contract/generation/requests.ts'
import { makeAudio } from '../../../src/generation/pipeline/speech/speech.ts'
import {
  espeakLanguages,
  espeakSpeech,
  espeakVoices,
  languageName,
  matchLanguage,
  synthesise,
} from '../../../src/generation/providers/espeak/espeak.ts'
import type { SpeechProvider, SpeechRequest } from '../../../src/generation/providers/types.ts'
import { attempt, memoryStorage } from './rehearsal.ts'

const provider = espeakSpeech({ name: 'espeak', concurrency: undefined }) as SpeechProvider
const { signal } = new AbortController()
const context = { idempotencyKey: 'a', signal }

const heard = async (text: string, changes: Partial<SpeechRequest> = {}) => {
  const request = { text, voice: 'Kore', language: 'en-US', style: null, ...changes } as const
  return provider.read(await provider.speak(request, context))
}
/** Seconds that a text takes. */
const seconds = async (text: string) => {
  const { samples, sampleRate } = await heard(text)
  return samples.length / 2 / sampleRate
}

test('a text becomes speech of 22,050 samples a second', async () => {
  const { samples, sampleRate } = await heard('Hello there, this is a test.')
  expect(sampleRate).toBe(22_050)
  expect(samples.length / 2 / sampleRate).toBeGreaterThan(1)
  expect(samples.length / 2 / sampleRate).toBeLessThan(3)
  const loudest = new Int16Array(Uint8Array.from(samples).buffer).reduce(
    (most, level) => Math.max(most, level),
    0,
  )
  expect(loudest).toBeGreaterThan(3_000)
})

describe('a text is a text, and no order', () => {
  test('what looks like SSML is read', async () => {
    expect(await seconds('<mark name="x"/>')).toBeGreaterThan(1)
    // A pause of a minute, were it obeyed.
    expect(await seconds('One <break time="60s"/> two')).toBeLessThan(20)
    expect(await seconds('&#x41;&#x41;&#x41;')).toBeGreaterThan(1)
  })
  test('double brackets begin no phonemes', async () => {
    // As phonemes it is shorter than as what it is: letters and signs.
    expect(await seconds("[[h@l'oU]]")).toBeGreaterThan((await seconds('hello')) * 1.5)
  })
  test('it does not end at a control character', async () => {
    expect(await seconds('Hi.\u0000 there everybody')).toBeGreaterThan((await seconds('Hi.')) * 1.5)
  })
})

test('every language that is offered is there', async () => {
  for (const name of espeakLanguages) {
    const { samples } = await synthesise({ voice: `${name}+f2`, rate: 200, pitch: 50, ssml: '1' }, signal)
    expect(samples.length, name).toBeGreaterThan(1_000)
  }
})

test('a voice that is not there is the failure of the job, and the next text is spoken', async () => {
  const missing = synthesise({ voice: 'nobody', rate: 200, pitch: 50, ssml: '1' }, signal)
  await expect(missing).rejects.toThrow('it has no voice "nobody"')
  expect((await heard('1')).samples.length).toBeGreaterThan(1_000)
})

test('no two of the thirty voices are one', () => {
  const names = Object.keys(voices) as Voice[]
  expect(Object.keys(espeakVoices)).toEqual(names)
  expect(new Set(names.map((voice) => JSON.stringify(espeakVoices[voice]))).size).toBe(30)
})

describe('a language is spoken by the nearest voice', () => {
  test.each([
    ['en-US', 'en-US'],
    ['en', 'en-US'],
    ['en-GB', 'en'],
    ['en-au', 'en'],
    ['pt-BR', 'pt-BR'],
    ['pt-PT', 'pt'],
    ['es-MX', 'es-419'],
    ['fr-CA', 'fr'],
    ['zh-CN', 'cmn'],
    ['zh-HK', 'yue'],
    ['no', 'nb'],
    ['iw', 'he'],
    ['sh', 'sr'],
    ['de-DE-u-co-phonebk', 'de'],
  ])('%s is %s, and itself', (tag, name) => {
    expect(matchLanguage(tag)).toEqual({ name, exact: true })
  })
  test.each([
    ['gl-ES', 'pt'],
    ['fil-PH', 'id'],
    ['ce-RU', 'ru'],
    ['wo-SN', 'en-US'],
    ['xx', 'en-US'],
  ])('%s is none of its own, and spoken as %s', (tag, name) => {
    expect(matchLanguage(tag)).toEqual({ name, exact: false })
  })
  test('which is told by name', () => {
    expect(provider.voice('Kore', 'gl-ES')).toEqual({ name: 'pt+f2', exact: false, language: 'Portuguese' })
    expect(provider.voice('Puck', 'de-DE')).toEqual({ name: 'de+m3', exact: false })
    for (const name of espeakLanguages) expect(languageName(name)).not.toBe('')
  })
})

test('an audio job is spoken without any service, and says by what', async () => {
  const storage = memoryStorage()
  const none = () => []
  const providers = { text: none, research: none, search: none, pictures: none, speech: () => [provider] }
  const text = 'Galley turns finished documents into posts. Dr. Smith, for one, likes that. '.repeat(4)
  const run = attempt('audio', {
    text,
    voice: 'Kore',
    language: 'gl-ES',
    format: 'mp3',
    style: null,
    model: 'standard',
    webhook_url: null,
  })
  const { duration } = await makeAudio(run, { providers, storage })
  expect(duration).toMatch(/^0 min [2-5]\d sec$/)
  expect(storage.files).toMatchObject([{ type: 'audio/mpeg', extension: 'mp3' }])
  expect(storage.files[0]?.bytes.length).toBeGreaterThan(20 * 8_000)
  expect(run.warnings.map(({ message }) => message)).toEqual([
    provider.notice,
    '"espeak" does not have the voice Kore; it spoke with its nearest, pt+f2.',
    '"espeak" does not know the language "gl-ES"; it spoke Portuguese.',
  ])
})
