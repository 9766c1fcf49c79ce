import { encodeSpeech } from '../../../src/generation/pipeline/speech/encode/encode.ts'
import { espeakSpeech } from '../../../src/generation/providers/espeak/espeak.ts'
import { tone } from './rehearsal.ts'

/** A program that is bundled as Galley is: says how much it encoded in each format, and whether eSpeak NG is there. */
async function* piece() {
  yield tone(1, 24_000)
}

async function main() {
  const told: Record<string, unknown> = {}
  for (const format of ['mp3', 'opus', 'wav'] as const) {
    const { signal } = new AbortController()
    const { bytes, seconds } = encodeSpeech({ format, sampleRate: 24_000, samples: 24_000 }, piece(), signal)
    let length = 0
    for await (const part of bytes) length += part.length
    told[format] = { length, seconds: seconds() }
  }
  const provider = espeakSpeech({ name: 'espeak', concurrency: undefined })
  const request = { text: 'Hello there.', voice: 'Kore', language: 'en-US', style: null } as const
  const answer = await provider?.speak(request, { idempotencyKey: 'a', signal: new AbortController().signal })
  told.espeak = answer && provider ? provider.read(answer).samples.length : null
  console.log(JSON.stringify(told))
}

void main()
