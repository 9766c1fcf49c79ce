import type { Worker } from 'node:worker_threads'
import { startWorker } from '../../worker.ts'
import type { Heard, Utterance } from './protocol.ts'

/** Milliseconds for which a thread with nothing to say is kept: it holds some 80 MB, and takes 0.2 s to start. */
const IDLE_MS = 10_000

export type Sound = Extract<Heard, { samples: unknown }>

interface Waiting {
  resolve(sound: Sound): void
  reject(reason: Error): void
}

interface Thread {
  worker: Worker
  waiting: Map<number, Waiting>
  idle: NodeJS.Timeout | undefined
}

/** The thread in which this process speaks: started when there is something to say, gone a while after. */
let thread: Thread | undefined
let last = 0

/** It could not say this; another voice, or text, it could. */
export class Unspoken extends Error {}

/** Speaks a text, after those that came before it. */
export function synthesise(utterance: Omit<Utterance, 'id'>): Promise<Sound> {
  const { worker, waiting, idle } = started()
  clearTimeout(idle)
  last += 1
  const id = last
  worker.ref()
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject })
    worker.postMessage({ ...utterance, id } satisfies Utterance)
  })
}

function started(): Thread {
  if (thread) return thread
  const [worker, waiting] = [startWorker('espeak'), new Map<number, Waiting>()]
  const begun: Thread = { worker, waiting, idle: undefined }
  worker.on('message', (heard: Heard) => {
    const { resolve, reject } = waiting.get(heard.id) ?? {}
    waiting.delete(heard.id)
    if ('failure' in heard) reject?.(new Unspoken(heard.failure))
    else resolve?.(heard)
    if (waiting.size > 0) return
    // A process that ends does not wait for it.
    worker.unref()
    begun.idle = setTimeout(() => void worker.terminate(), IDLE_MS).unref()
  })
  const end = (reason: Error) => {
    if (thread === begun) thread = undefined
    clearTimeout(begun.idle)
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
  }
  worker.on('error', (error) => end(error as Error))
  worker.on('exit', () => end(new Error('the thread that speaks has ended')))
  thread = begun
  return begun
}
