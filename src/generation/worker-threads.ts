import { once } from 'node:events'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** The programs of worker threads, by the name that they have in the bundle (scripts/bundle.ts). */
export const workerPrograms = {
  'encode-speech': './pipeline/speech/encode/worker.ts',
  espeak: './providers/espeak/worker.ts',
  'read-page': './pipeline/research/read-page.worker.ts',
  'draw-card': './providers/cards/draw-card.worker.ts',
} as const

/**
 * Starts a worker thread: the built program beside the bundle, or the TypeScript source, which not
 * every Node reads by itself.
 */
export function startWorker(name: keyof typeof workerPrograms, options: WorkerOptions = {}): Worker {
  const here = import.meta.url
  if (!here.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, here), options)
  const tsx = new URL(
    'dist/esm/api/index.mjs',
    pathToFileURL(createRequire(here).resolve('tsx/package.json')),
  )
  const program = new URL(workerPrograms[name], here).href
  const load = `import('${tsx.href}').then(({ register }) => (register(), import('${program}')))`
  return new Worker(load, { ...options, eval: true, execArgv: [] })
}

interface WorkerThreadOptions {
  /** Milliseconds for one task, beyond which its thread is ended. */
  timeoutMs: number
  /** Megabytes of JavaScript's memory; a thread that needs more ends, and nothing else does. */
  heapMb: number
  workerData?: unknown
}

/** A thread that carries out one task after another. It is started by the first, and ends when none comes for a while. */
export interface WorkerThread<Task, Reply> {
  /** @throws Error where the program failed, took too long or ran out of memory; the signal's reason when it is aborted */
  run(task: Task, signal: AbortSignal): Promise<Reply>
}

/** Milliseconds: a document's pages come within some seconds, and starting again takes half of one. */
const IDLE_MS = 20_000

export function createWorkerThread<Task, Reply>(
  name: keyof typeof workerPrograms,
  { timeoutMs, heapMb, workerData }: WorkerThreadOptions,
): WorkerThread<Task, Reply> {
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()

  const start = () => {
    const started = startWorker(name, { workerData, resourceLimits: { maxOldGenerationSizeMb: heapMb } })
    // Whoever waits is told by `once`; of a thread that waits for work nobody needs to hear.
    started.on('error', () => undefined)
    started.once('exit', () => {
      if (worker === started) worker = undefined
    })
    return started
  }
  const end = async () => {
    const ended = worker
    worker = undefined
    await ended?.terminate()
  }
  const carryOut = async (task: Task, signal: AbortSignal): Promise<Reply> => {
    signal.throwIfAborted()
    clearTimeout(idle)
    worker ??= start()
    const over = new AbortController()
    const exited = () => over.abort(new Error('The thread ended'))
    const late = setTimeout(
      () => over.abort(new Error(`It took longer than ${timeoutMs / 1000} s`)),
      timeoutMs,
    )
    worker.ref()
    worker.once('exit', exited)
    try {
      worker.postMessage(task)
      const [reply] = await once(worker, 'message', { signal: AbortSignal.any([signal, over.signal]) })
      return reply as Reply
    } catch (error) {
      const failure = over.signal.aborted ? over.signal.reason : error
      await end()
      signal.throwIfAborted()
      throw failure
    } finally {
      clearTimeout(late)
      worker?.off('exit', exited)
      worker?.unref()
      idle = setTimeout(end, IDLE_MS).unref()
    }
  }
  return {
    run(task, signal) {
      const asked = last.then(() => carryOut(task, signal))
      last = asked.catch(() => undefined)
      return asked
    },
  }
}
