import type { TestProject } from 'vitest/node'
import { startWordPress, type WordPress } from '../../demo/wordpress/index.ts'
import { namedWordPress } from './wordpress/named.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A real WordPress for each worker, shared by all the test files that it runs. */
    wordpresses: WordPress[]
  }
}

/** The one WordPress that the environment names, or a new one in WASM for each worker. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const named = namedWordPress()
  if (named) {
    project.provide('wordpresses', [named])
    return undefined
  }
  const started = await Promise.all(
    Array.from({ length: Number(project.config.maxWorkers) }, () => startWordPress({ log: console.log })),
  )
  project.provide(
    'wordpresses',
    started.map(({ stop: _, ...wordpress }) => wordpress),
  )
  return async () => {
    await Promise.all(started.map(({ stop }) => stop()))
  }
}
