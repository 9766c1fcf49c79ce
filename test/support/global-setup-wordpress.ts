import type { TestProject } from 'vitest/node'
import { startWordPress, type WordPress } from '../../demo/wordpress/index.ts'
import { namedWordPress } from './wordpress/named.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The real WordPress of this run, shared by all its test files. */
    wordpress: WordPress
  }
}

/** One WordPress a run: the one that the environment names, or a new one in WASM. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const named = namedWordPress()
  if (named) {
    project.provide('wordpress', named)
    return undefined
  }
  const { stop, ...wordpress } = await startWordPress({ log: console.log })
  project.provide('wordpress', wordpress)
  return stop
}
