import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startWordPress, type WordPress } from '../../demo/wordpress/index.ts'
import { namedWordPresses } from './wordpress/named.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A real WordPress for each worker, shared by all the test files that it runs, and where the claims to them lie. */
    wordpresses: { running: WordPress[]; claims: string }
  }
}

/** The WordPresses that the environment names, or a new one in WASM for each worker. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const claims = await mkdtemp(join(tmpdir(), 'galley-test-claims-'))
  const named = namedWordPresses()
  const started = named.length > 0 ? [] : await startEach(Number(project.config.maxWorkers))
  const running = named.length > 0 ? named : started.map(({ stop: _, ...wordpress }) => wordpress)
  project.provide('wordpresses', { running, claims })
  return async () => {
    await Promise.all(started.map(({ stop }) => stop()))
    await rm(claims, { recursive: true, force: true })
  }
}

const startEach = (count: number) =>
  Promise.all(Array.from({ length: count }, () => startWordPress({ log: console.log })))
