import { fork } from 'node:child_process'
import { type EventEmitter, once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** The programs of worker threads, by the name that they have in the bundle (scripts/bundle.ts). */
export const workerPrograms = {
  'prepare-picture': '../wordpress/media/prepare-picture.worker.ts',
  'encode-speech': '../generation/pipeline/speech/encode/worker.ts',
  espeak: '../generation/providers/espeak/worker.ts',
  'translate-document': '../formats/translate.worker.ts',
  'read-page': '../generation/pipeline/research/read-page.worker.ts',
  'draw-card': '../generation/providers/cards/draw-card.worker.ts',
} as const

/** Starts a worker thread: the built program beside the bundle, or the source, which Node 20 cannot read by itself. */
function startWorker(name: keyof typeof workerPrograms, options: WorkerOptions = {}): Worker {
  const program = programOf(name)
  if (!needsTsx) return new Worker(program, options)
  const load = `import('${fileOfTsx('esm/api/index')}').then(({ register }) => (register(), import('${program.href}')))`
  return new Worker(load, { ...options, eval: true, execArgv: [] })
}

const isSource = import.meta.url.endsWith('.ts')
const needsTsx = isSource && !Reflect.get(process.features, 'typescript')

const programOf = (name: keyof typeof workerPrograms): URL =>
  new URL(isSource ? workerPrograms[name] : `./${name}.js`, import.meta.url)

const fileOfTsx = (file: string): string =>
  new URL(`dist/${file}.mjs`, pathToFileURL(createRequire(import.meta.url).resolve('tsx/package.json'))).href

/** The same in a process of its own, with the messages of a thread and none of this process's secrets. */
function startProcess(name: keyof typeof workerPrograms, heapMb: number): Runner {
  const child = fork(fileURLToPath(programOf(name)), {
    serialization: 'advanced',
    env: {},
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [`--max-old-space-size=${heapMb}`, ...(needsTsx ? ['--import', fileOfTsx('esm/index')] : [])],
  })
  // Of a message that cannot be sent, its end tells.
  const postMessage = (task: unknown) => child.send(task as object, () => undefined)
  child.unref()
  child.channel?.unref()
  return Object.assign(child, {
    postMessage,
    terminate: async () => child.kill('SIGKILL'),
    // The timer of a task keeps this process alive long enough.
    ref: () => undefined,
    unref: () => undefined,
  })
}

interface Runner extends EventEmitter {
  postMessage(task: unknown, transfer: ArrayBuffer[]): void
  terminate(): Promise<unknown>
  ref(): void
  unref(): void
}

interface WorkerThreadOptions {
  /** Milliseconds for one task, beyond which its thread is ended. */
  timeoutMs: number
  /** Milliseconds without a task, after which it ends. */
  idleMs?: number
  /** Megabytes of JavaScript's memory; a thread that needs more ends, and nothing else does. */
  heapMb: number
  workerData?: unknown
  /** A process instead, which native code may crash without ending anything else. */
  isProcess?: true
}

/** A thread that carries out one task after another. It is started by the first, and ends when none comes for a while. */
export interface WorkerThread<Task, Reply> {
  /** @throws Error where the program failed, took too long or ran out of memory; the signal's reason when it is aborted */
  run(task: Task, signal: AbortSignal, transfer?: ArrayBuffer[]): Promise<Reply>
  end(): Promise<void>
}

/** Milliseconds that a thread may take to load its program, on a busy machine. */
const START_MS = 10_000

/** Milliseconds: a document's pages come within some seconds, and starting again takes half of one. */
const IDLE_MS = 20_000

export function createWorkerThread<Task, Reply>(
  name: keyof typeof workerPrograms,
  { timeoutMs, idleMs = IDLE_MS, heapMb, workerData, isProcess }: WorkerThreadOptions,
): WorkerThread<Task, Reply> {
  let worker: Runner | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()

  const start = () => {
    const started: Runner = isProcess
      ? startProcess(name, heapMb)
      : startWorker(name, { workerData, resourceLimits: { maxOldGenerationSizeMb: heapMb } })
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
  const carryOut = async (task: Task, signal: AbortSignal, transfer: ArrayBuffer[]): Promise<Reply> => {
    signal.throwIfAborted()
    clearTimeout(idle)
    const mostMs = timeoutMs + (worker === undefined ? START_MS : 0)
    worker ??= start()
    const over = new AbortController()
    const exited = () => over.abort(new Error('The thread ended'))
    const late = setTimeout(() => over.abort(new Error(`It took longer than ${mostMs / 1000} s`)), mostMs)
    worker.ref()
    worker.once('exit', exited)
    try {
      worker.postMessage(task, transfer)
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
      idle = setTimeout(end, idleMs).unref()
    }
  }
  return {
    run(task, signal, transfer = []) {
      const asked = last.then(() => carryOut(task, signal, transfer))
      last = asked.catch(() => undefined)
      return asked
    },
    end,
  }
}
