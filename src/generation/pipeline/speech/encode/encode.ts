import { Semaphore } from '../../../../bytes/budget.ts'
import type { AudioFormat } from '../../../../contract/generation/requests.ts'
import { createWorkerThread } from '../../../../lib/worker-threads.ts'
import { jobFailure } from '../../../failure.ts'
import type { Speech } from '../../../providers/types.ts'

export interface Encoding {
  format: AudioFormat
  sampleRate: number
  samples: number
}

export type EncodeTask = { samples: Int16Array; sampleRate: number } | 'finish'

export interface EncodeReply {
  bytes: Uint8Array[]
  /** With the last one: the length of what was encoded, in seconds. */
  seconds?: number
}

/** Encodes samples of one channel as they come. */
export interface Encoder {
  /** @returns what is ready to be kept, perhaps nothing, in buffers of its own */
  encode(samples: Int16Array): Promise<Uint8Array[]>
  finish(): Promise<{ bytes: Uint8Array[]; seconds: number }>
}

/** Memory of an encoder and its thread, which has a processor of its own: a process has room for two. */
const ENCODER_BYTES = 50 * 1024 * 1024
const DAY_MS = 24 * 60 * 60 * 1000
const encoderMemory = new Semaphore(2 * ENCODER_BYTES)

interface EncodedSpeech {
  /** Its bytes, as they come; to be read to the end, once. */
  bytes: AsyncGenerator<Buffer, void>
  /** How long it is; known once the bytes have been read. */
  seconds(): number
}

/** Encodes pieces of speech as one file in a thread, reading one at a time. @param pieces of `encoding.samples` in all */
export function encodeSpeech(
  encoding: Encoding,
  pieces: AsyncIterable<Speech>,
  signal: AbortSignal,
): EncodedSpeech {
  let length: number | undefined
  async function* encoded(): AsyncGenerator<Buffer, void> {
    const memory = await encoderMemory.take(ENCODER_BYTES, { signal })
    // The encoder is in the thread, which must outlive a slow store.
    const patience = { timeoutMs: DAY_MS, idleMs: DAY_MS, heapMb: 64 }
    const thread = createWorkerThread<EncodeTask, EncodeReply>('encode-speech', {
      ...patience,
      workerData: encoding,
    })
    const ask = (task: EncodeTask, transfer: ArrayBuffer[] = []) =>
      thread.run(task, signal, transfer).catch((cause: unknown) => {
        signal.throwIfAborted()
        throw jobFailure('INVALID_OUTPUT', `The speech could not be encoded as ${encoding.format}.`, {
          cause,
        })
      })
    try {
      for await (const { samples, sampleRate } of pieces) {
        const { buffer } = new Uint8Array(samples)
        yield* asBuffers(await ask({ samples: new Int16Array(buffer), sampleRate }, [buffer]))
      }
      const last = await ask('finish')
      yield* asBuffers(last)
      length = last.seconds
    } finally {
      await thread.end()
      memory.release()
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

const asBuffers = ({ bytes }: EncodeReply) =>
  bytes.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))
