import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startWordPress, type WordPress } from '../../../demo/wordpress/index.ts'
import { startOnce } from '../start-once.ts'
import { configuredWordPresses } from './configured.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A real WordPress for each worker, shared by all the test files that it runs, and where the claims to them lie. */
    wordpresses: { running: WordPress[]; claims: string }
  }
}

/** The WordPresses that the environment names, or a new one in WASM for each worker. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const claims = await mkdtemp(join(tmpdir(), 'galley-test-claims-'))
  const ends = [() => rm(claims, { recursive: true, force: true })]
  const running = configuredWordPresses()
  if (running.length === 0) {
    const numbers = Array.from({ length: Number(project.config.maxWorkers) }, (_, number) => number)
    for (const [{ stop, ...wordpress }, isFirst] of await Promise.all(numbers.map(inWasm))) {
      running.push(wordpress)
      if (isFirst) ends.push(stop)
    }
  }
  project.provide('wordpresses', { running, claims })
  return async () => {
    await Promise.all(ends.map((end) => end()))
  }
}

const inWasm = (number: number) =>
  startOnce(`WordPress ${number}`, () => startWordPress({ log: console.log }))
