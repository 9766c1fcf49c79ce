import { parentPort, workerData } from 'node:worker_threads'
import type { EncodeReply, Encoder, EncodeTask, Encoding } from './encode.ts'
import { fade, mp3Encoder, opusEncoder, wavEncoder } from './encoders.ts'
import { resample } from './resample.ts'

/** A thread for one file: samples in, piece after piece, and its bytes out. */

const { format, sampleRate, samples } = workerData as Encoding

const encoders: Record<Encoding['format'], () => Promise<Encoder> | Encoder> = {
  mp3: () => mp3Encoder(sampleRate),
  opus: () => opusEncoder(sampleRate),
  wav: () => wavEncoder(sampleRate, samples),
}
const encoder = Promise.resolve(encoders[format]())

/** Samples that an encoder gets at once: its memory grows with them. */
const BLOCK_SAMPLES = 65_536

async function carryOut(task: EncodeTask): Promise<EncodeReply> {
  const { encode, finish } = await encoder
  if (task === 'finish') return finish()
  const piece = resample(task.samples, task.sampleRate, sampleRate)
  fade(piece, sampleRate)
  const bytes: Uint8Array[] = []
  for (let at = 0; at < piece.length; at += BLOCK_SAMPLES)
    bytes.push(...(await encode(piece.subarray(at, at + BLOCK_SAMPLES))))
  return { bytes }
}

// Tasks come one at a time; a rejection ends the thread, and whoever waits for the reply is told.
parentPort?.on('message', async (task: EncodeTask) => {
  const reply = await carryOut(task)
  parentPort?.postMessage(
    reply,
    reply.bytes.map(({ buffer }) => buffer as ArrayBuffer),
  )
})
