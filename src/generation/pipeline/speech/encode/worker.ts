import { parentPort, workerData } from 'node:worker_threads'
import { createFade, mp3Encoder, opusEncoder, wavEncoder } from './encoders.ts'
import type { EncodeReply, Encoder, EncodeTask, Encoding } from './protocol.ts'
import { createResampler, resampledLength } from './resample.ts'

/** A thread for one file: samples in, piece after piece, and its bytes out, never the whole of either. */

const encoding = workerData as Encoding

const encoders = { mp3: mp3Encoder, opus: opusEncoder, wav: wavEncoder } satisfies Record<
  Encoding['format'],
  (sampleRate: number, samples: number) => Promise<Encoder> | Encoder
>

/** Samples of one piece, as they are wanted; good until the next are asked for. */
type Piece = (samples: Int16Array) => Float32Array

/** Used again and again: what is let go of at this pace is not collected soon enough. */
let taken = new Float32Array()

function begin(sampleRate: number, samples: number): Piece {
  const resampler = createResampler(sampleRate, encoding.sampleRate, samples)
  const fade = createFade(encoding.sampleRate, resampledLength(samples, sampleRate, encoding.sampleRate))
  return (block) => {
    if (taken.length < block.length) taken = new Float32Array(block.length)
    for (let index = 0; index < block.length; index += 1) taken[index] = (block[index] ?? 0) / 32_768
    const levels = resampler.push(taken.subarray(0, block.length))
    fade(levels)
    return levels
  }
}

const encoder = Promise.resolve(encoders[encoding.format](encoding.sampleRate, encoding.samples))
let piece: Piece | undefined

async function carryOut(task: EncodeTask): Promise<EncodeReply> {
  if (task.kind === 'begin') {
    piece = begin(task.sampleRate, task.samples)
    return { bytes: [] }
  }
  if (task.kind === 'finish') return (await encoder).finish()
  if (piece === undefined) throw new Error('samples of no piece')
  return { bytes: await (await encoder).encode(piece(task.samples)) }
}

// Tasks come one at a time; a rejection ends the thread, and whoever waits for the reply is told.
parentPort?.on('message', async (task: EncodeTask) => {
  const reply = await carryOut(task)
  parentPort?.postMessage(
    reply,
    reply.bytes.map(({ buffer }) => buffer as ArrayBuffer),
  )
})
