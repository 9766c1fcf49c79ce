import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** The programs of worker threads, by the name that they have in the bundle (scripts/bundle-workers.ts). */
export const workers = {
  'encode-speech': './pipeline/speech/encode/worker.ts',
  espeak: './providers/espeak/worker.ts',
  'read-page': './pipeline/research/read-page.worker.ts',
  'draw-card': './providers/cards/draw-card.worker.ts',
} as const

/**
 * Starts a worker thread. Built, its program lies beside Galley's as one file; run from source it is TypeScript, which
 * not every version of Node reads by itself.
 */
export function startWorker(name: keyof typeof workers, options: WorkerOptions = {}): Worker {
  const here = import.meta.url
  if (!here.endsWith('.ts')) return new Worker(new URL(`./${name}.cjs`, here), options)
  const tsx = new URL(
    'dist/esm/api/index.mjs',
    pathToFileURL(createRequire(here).resolve('tsx/package.json')),
  )
  const program = new URL(workers[name], here).href
  const load = `import('${tsx.href}').then(({ register }) => (register(), import('${program}')))`
  return new Worker(load, { ...options, eval: true, execArgv: [] })
}
