import { parentPort } from 'node:worker_threads'
import type { EspeakReply, Utterance } from './espeak.ts'

/** A thread that speaks one text after the other: it is all computing, and would keep everybody else waiting. */

// Only here, where it is known to be installed: 24 MB of languages.
const loaded = import('@echogarden/espeak-ng-emscripten').then(async ({ default: load }) => {
  const { eSpeakNGWorker } = await load()
  return new eSpeakNGWorker()
})

async function speak({ voice, rate, pitch, ssml }: Utterance): Promise<EspeakReply> {
  const synthesiser = await loaded
  if (synthesiser.set_voice(voice) !== 0) return { failure: `it has no voice "${voice}"` }
  synthesiser.set_rate(rate)
  synthesiser.set_pitch(pitch)
  const bits: Int16Array[] = []
  synthesiser.synthesize(ssml, (samples) => {
    if (samples) bits.push(samples)
    return false
  })
  const samples = new Int16Array(bits.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const bit of bits) {
    samples.set(bit, at)
    at += bit.length
  }
  return { samples, sampleRate: synthesiser.get_samplerate() }
}

parentPort?.on('message', async (utterance: Utterance) => {
  const heard = await speak(utterance)
  parentPort?.postMessage(heard, 'samples' in heard ? [heard.samples.buffer] : [])
})
