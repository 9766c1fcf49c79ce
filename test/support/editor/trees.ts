import { inject } from 'vitest'
// with the declaration of what is provided
import type {} from '../global-setup-tree.ts'

/** A WordPress tree on disk whose editor may judge markup. */
export interface WordpressTree {
  version: string
  root: string
}

/**
 * The WordPress trees to judge with: those named in `GALLEY_TEST_WORDPRESS_TREES`
 * (`7.1=/path,6.8=/path`), otherwise the one that the test run itself unpacked.
 */
export function wordpressTrees(): WordpressTree[] {
  const named = process.env.GALLEY_TEST_WORDPRESS_TREES
  if (named) {
    return named.split(',').map((pair) => {
      const [version, root] = pair.split('=')
      if (!version || !root) throw new Error(`GALLEY_TEST_WORDPRESS_TREES: "${pair}" is not VERSION=PATH`)
      return { version, root }
    })
  }
  const { version, root } = inject('wordpressTree')
  return [{ version, root }]
}
