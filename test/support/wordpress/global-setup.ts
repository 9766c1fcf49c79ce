import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startWordPress, type WordPress } from '../../../demo/wordpress/index.ts'
import { onceARun } from '../once-a-run.ts'
import { namedWordPresses } from './named.ts'

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
  const running = namedWordPresses()
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

const inWasm = (number: number) => onceARun(`WordPress ${number}`, () => startWordPress({ log: console.log }))
