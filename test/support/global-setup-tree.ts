import type { TestProject } from 'vitest/node'
import { wordPressTree } from '../../demo/wordpress/index.ts'
import { namedWordPresses } from './wordpress/named.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** WordPress's files, whose block editor judges markup; they need no running WordPress. */
    wordpressTree: { version: string; root: string }
  }
}

export async function setup(project: TestProject): Promise<void> {
  const { version, root } = namedWordPresses()[0] ?? (await wordPressTree({ log: console.log }))
  project.provide('wordpressTree', { version, root })
}
