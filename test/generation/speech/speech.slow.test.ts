import { describe, expect, test } from 'vitest'
import type { AudioRequest, DocumentRequest } from '../../../src/contract/generation/requests.ts'
import { GenerationError } from '../../../src/generation/failure.ts'
import { makeAudio, makeNarration } from '../../../src/generation/pipeline/speech/speech.ts'
import type { Providers, SpeechProvider } from '../../../src/generation/providers/types.ts'
import { decodeWav } from '../../../src/generation/providers/wav.ts'
import { attempt, type Kept, memoryStorage, toneProvider } from './rehearsal.ts'

const none = () => []
const having = (...speech: SpeechProvider[]): Providers => ({
  text: none,
  research: none,
  search: none,
  pictures: none,
  speech: () => speech,
})

const asked = (changes: Partial<AudioRequest> = {}): AudioRequest => ({
  text: 'One is said. Two is said. Three is said. Four is said.',
  voice: 'Kore',
  language: 'en-US',
  format: 'wav',
  style: null,
  model: 'standard',
  webhook_url: null,
  ...changes,
})

const down = new GenerationError({ reason: 'PROVIDER_UNAVAILABLE', of: 'provider', message: 'It is away.' })

test('a text is spoken in chunks, and kept as one file whose length was measured', async () => {
  const provider = toneProvider({ longestText: 30 })
  const storage = memoryStorage()
  const run = attempt('audio', asked({ text: 'One is said. Two is said. Three is said. Four 👍.' }))
  expect(await makeAudio(run, { providers: having(provider), storage })).toEqual({
    url: 'https://galley.example/files/0.wav',
    // 25 and 22 characters of 10 ms
    duration: '0 min 1 sec',
    character_count: 48,
    format: 'wav',
  })
  expect(provider.spoken).toEqual(['One is said. Two is said.', 'Three is said. Four 👍.'])
  expect(run).toMatchObject({ steps: ['generating'], parts: { generating: 4 }, warnings: [] })
  expect(decodeWav(storage.files[0]?.bytes ?? Buffer.alloc(0)).samples.length / 2 / 24_000).toBe(0.48)
  expect(storage.files).toMatchObject([{ type: 'audio/wav', extension: 'wav' }])
})

describe('after a kill', () => {
  test('nothing is spoken or encoded twice, whatever the settings have become', async () => {
    const kept: Kept = new Map()
    const storage = memoryStorage()
    let left = 2
    const dying = toneProvider({
      longestText: 15,
      before: () => {
        left -= 1
        if (left < 0) throw down
      },
    })
    const first = makeAudio(attempt('audio', asked(), kept), { providers: having(dying), storage })
    await expect(first).rejects.toBe(down)
    expect(dying.spoken).toHaveLength(2)

    // Another limit, which would cut the text elsewhere.
    const back = toneProvider({ longestText: 100 })
    const made = await makeAudio(attempt('audio', asked(), kept), { providers: having(back), storage })
    expect([...dying.spoken, ...back.spoken].sort()).toEqual([
      'Four is said.',
      'One is said.',
      'Three is said.',
      'Two is said.',
    ])

    // Nor is the file made again.
    const again = makeAudio(attempt('audio', asked(), kept), { providers: having(back), storage })
    expect(await again).toEqual(made)
    expect(storage.files).toHaveLength(1)
  })
})

test('chunks are asked for several at a time, and stand in their order, whoever answers first', async () => {
  let [under, most] = [0, 0]
  const provider = toneProvider({
    longestText: 15,
    before: async ({ text }) => {
      under += 1
      most = Math.max(most, under)
      // The first one answers last.
      for (let turns = text.startsWith('One') ? 50 : 1; turns > 0; turns -= 1)
        await new Promise((resolve) => setImmediate(resolve))
      under -= 1
    },
  })
  const kept: Kept = new Map()
  await makeAudio(attempt('audio', asked(), kept), { providers: having(provider), storage: memoryStorage() })
  expect(most).toBe(3)
  expect(provider.spoken[0]).not.toBe('One is said.')
  expect(kept.get('generating/chunk-1')).toMatchObject({ body: { length: 'One is said.'.length * 240 * 2 } })
})

test('after a failure nothing more is asked', async () => {
  let calls = 0
  const provider = toneProvider({
    longestText: 15,
    before: async ({ text }) => {
      calls += 1
      // The first fails once all that may be under way are, and they end after it.
      if (text.startsWith('One')) while (calls < 3) await new Promise(setImmediate)
      else for (let turns = 20; turns > 0; turns -= 1) await new Promise(setImmediate)
      if (text.startsWith('One')) throw down
    },
  })
  const text = 'One is said. '.concat('Two is said. '.repeat(20))
  const needs = { providers: having(provider), storage: memoryStorage() }
  await expect(makeAudio(attempt('audio', asked({ text })), needs)).rejects.toBe(down)
  for (let turns = 40; turns > 0; turns -= 1) await new Promise(setImmediate)
  expect(calls).toBe(3)
})

test('where another provider takes over, its rate is made that of the first chunk, and the listener is told', async () => {
  const first = toneProvider({
    name: 'first',
    longestText: 15,
    sampleRate: 22_050,
    before: ({ text }) => {
      if (!text.startsWith('One')) throw down
    },
  })
  const second = toneProvider({
    name: 'second',
    longestText: 15,
    sampleRate: 48_000,
    exact: false,
    notice: 'It hums.',
  })
  const storage = memoryStorage()
  const run = attempt('audio', asked())
  await makeAudio(run, { providers: having(first, second), storage })
  const speech = decodeWav(storage.files[0]?.bytes ?? Buffer.alloc(0))
  expect(speech.sampleRate).toBe(22_050)
  expect(speech.samples.length / 2 / 22_050).toBeCloseTo(0.51, 3)
  expect(run.warnings).toEqual([
    { code: 'speech_notice', message: 'It hums.' },
    {
      code: 'voice_nearest',
      message: '"second" does not have the voice Kore; it spoke with its nearest, hum.',
    },
    {
      code: 'voices_mixed',
      message:
        'One provider failed on the way, and another one spoke the rest, so the voice changes: "first", "second".',
    },
  ])
})

test('a voice that takes no style is named where one was asked for, after a kill too', async () => {
  const plain = toneProvider({ longestText: 15 })
  const provider: SpeechProvider = {
    ...plain,
    speak: async (...asked) => ({ ...(await plain.speak(...asked)), withoutStyle: true }),
  }
  const kept: Kept = new Map()
  for (let times = 0; times < 2; times += 1) {
    const run = attempt('audio', asked({ style: 'calmly' }), kept)
    await makeAudio(run, { providers: having(provider), storage: memoryStorage() })
    expect(run.warnings[0]).toEqual({
      code: 'style_ignored',
      message: '"tones" takes no style; it spoke without the one that was asked for.',
    })
  }
  expect(plain.spoken).toHaveLength(4)
})

test('a text that needs more calls than its job may have is refused before any is made', async () => {
  const provider = toneProvider({ longestText: 15 })
  const speaking = makeAudio(attempt('audio', asked(), new Map(), 3), {
    providers: having(provider),
    storage: memoryStorage(),
  })
  await expect(speaking).rejects.toMatchObject({ reason: 'BUDGET_EXCEEDED', of: 'job' })
  await expect(speaking).rejects.toThrow(
    'at least 4 calls to providers, and the job may have 3 (GALLEY_JOB_CALLS)',
  )
  expect(provider.spoken).toEqual([])
})

test('and is not, where another provider takes longer texts: that one speaks all of it', async () => {
  const [short, long] = [toneProvider({ name: 'short', longestText: 15 }), toneProvider({ name: 'long' })]
  await makeAudio(attempt('audio', asked(), new Map(), 3), {
    providers: having(short, long),
    storage: memoryStorage(),
  })
  expect(short.spoken).toEqual([])
  expect(long.spoken).toEqual([asked().text])
})

test('a text with nothing to say, and settings without a provider, are refused', async () => {
  const storage = memoryStorage()
  const silent = makeAudio(attempt('audio', asked({ text: ' … — … — … ' })), {
    providers: having(toneProvider()),
    storage,
  })
  await expect(silent).rejects.toMatchObject({ reason: 'INVALID_OUTPUT', of: 'job' })
  const nobody = makeAudio(attempt('audio', asked()), { providers: having(), storage })
  await expect(nobody).rejects.toMatchObject({ reason: 'PROVIDER_UNAVAILABLE' })
})

test('a document is narrated in its step, with its own voice', async () => {
  const audio = {
    enabled: true,
    model: 'basic',
    voice: 'Puck',
    language: 'en-US',
    format: 'wav',
    style: 'calm',
  } as const
  const heard: unknown[] = []
  const provider = toneProvider({
    before: (request) => {
      heard.push(request)
    },
  })
  const run = attempt('document', { audio } as DocumentRequest)
  const document = {
    title: 'Harbours',
    content: {
      type: 'document',
      version: '1.0',
      meta: {
        title: 'Harbours',
        slug: 'harbours',
        description: '',
        word_count: 2,
        reading_time: '1 min read',
      },
      content: [{ type: 'paragraph', content: [{ type: 'text', text: 'They are deep.' }] }],
    },
  } as const
  const result = await makeNarration(
    run,
    { providers: having(provider), storage: memoryStorage() },
    structuredClone(document) as never,
  )
  expect(result).toMatchObject({ character_count: 'Harbours.\n\nThey are deep.'.length, format: 'wav' })
  expect(heard).toEqual([
    { text: 'Harbours.\n\nThey are deep.', voice: 'Puck', language: 'en-US', style: 'calm' },
  ])
  expect(run.steps).toEqual(['audio'])
})
