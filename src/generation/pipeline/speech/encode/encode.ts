import { once } from 'node:events'
import { GenerationError } from '../../../failure.ts'
import type { Speech } from '../../../providers/types.ts'
import { startWorker } from '../../../worker-threads.ts'
import type { EncodeReply, EncodeTask, Encoding } from './protocol.ts'

/** Files that a process encodes at once: each has a thread, with some 50 MB and a processor of its own. */
export const MAX_CONCURRENT_ENCODERS = 2

let running = 0
const waiting = new Set<() => void>()

/**
 * Waits for a free encoder.
 *
 * @returns the release
 * @throws the signal's reason when aborted
 */
export async function acquireEncoder(signal: AbortSignal): Promise<() => void> {
  while (running >= MAX_CONCURRENT_ENCODERS && !signal.aborted) await woken(signal)
  if (signal.aborted) wakeNext()
  signal.throwIfAborted()
  running += 1
  return () => {
    running -= 1
    wakeNext()
  }
}

/** Whoever was woken and has no use for it wakes the next in turn. */
const wakeNext = () => {
  const [next] = waiting
  next?.()
}

const woken = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const wake = () => {
      waiting.delete(wake)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    waiting.add(wake)
    signal.addEventListener('abort', wake, { once: true })
  })

export type { Encoding } from './protocol.ts'
export { encodingRate } from './protocol.ts'
export { resampledLength } from './resample.ts'

/** Samples that go to the thread at once: so few that memory is taken and given back in pieces of usual size. */
const BLOCK_SAMPLES = 16_384

/** Memory that a thread may have for its JavaScript: an encoder has its own beside that. */
const THREAD_HEAP = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 }

interface EncodedSpeech {
  /** Its bytes, as they come; to be read to the end, once. */
  bytes: AsyncGenerator<Buffer, void>
  /** How long it is; known once the bytes have been read. */
  seconds(): number
}

/**
 * Encodes pieces of speech as one file in a thread: resamples, fades and joins them. Pieces are
 * read on demand, so only one is in memory.
 *
 * @param pieces whose samples add up to `encoding.samples`
 * @param signal ends it
 */
export function encodeSpeech(
  encoding: Encoding,
  pieces: AsyncIterable<Speech>,
  signal: AbortSignal,
): EncodedSpeech {
  let length: number | undefined
  async function* encoded(): AsyncGenerator<Buffer, void> {
    const ended = await acquireEncoder(signal)
    try {
      yield* inThread()
    } finally {
      ended()
    }
  }
  async function* inThread(): AsyncGenerator<Buffer, void> {
    const worker = startWorker('encode-speech', { workerData: encoding, resourceLimits: THREAD_HEAP })
    const over = new AbortController()
    worker.on('error', (error) => over.abort(error))
    worker.on('exit', () => over.abort(new Error('The thread that encodes has ended')))
    const either = AbortSignal.any([signal, over.signal])
    const ask = async (task: EncodeTask, own: ArrayBuffer[] = []): Promise<EncodeReply> => {
      worker.postMessage(task, own)
      const [reply] = await once(worker, 'message', { signal: either }).catch(() => {
        signal.throwIfAborted()
        throw encodingFailed(encoding, over.signal.reason)
      })
      return reply as EncodeReply
    }
    try {
      for await (const { samples, sampleRate } of pieces) {
        await ask({ kind: 'begin', sampleRate, samples: samples.length / 2 })
        for (const block of blocks(samples))
          yield* asBuffers(await ask({ kind: 'samples', samples: block }, [block.buffer]))
      }
      const { bytes, seconds } = await ask({ kind: 'finish' })
      yield* asBuffers({ bytes })
      length = seconds
    } finally {
      await worker.terminate()
    }
  }
  return {
    bytes: encoded(),
    seconds: () => {
      if (length === undefined) throw new Error('the speech is not encoded yet')
      return length
    },
  }
}

const encodingFailed = ({ format }: Encoding, cause: unknown) =>
  new GenerationError({
    reason: 'INVALID_OUTPUT',
    of: 'job',
    message: `The speech could not be encoded as ${format}.`,
    cause,
  })

/** Copies: the thread takes them over. */
function* blocks(samples: Buffer): Generator<Int16Array<ArrayBuffer>> {
  for (let at = 0; at < samples.length; at += BLOCK_SAMPLES * 2) {
    const bytes = Uint8Array.from(samples.subarray(at, at + BLOCK_SAMPLES * 2))
    yield new Int16Array(bytes.buffer)
  }
}

const asBuffers = ({ bytes }: EncodeReply) =>
  bytes.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))
