import { inject } from 'vitest'
import type { WordPress } from '../../../demo/wordpress/index.ts'
// with the declaration of what is provided
import type {} from '../global-setup-wordpress.ts'

/** The real WordPress of this worker. Its other test files use it too: name what you make, and remove it. */
export function wordpress(): WordPress {
  const worker = Number(process.env.VITEST_POOL_ID)
  const own = inject('wordpresses')[worker - 1]
  if (own === undefined) throw new Error(`There is no WordPress for test worker ${worker}`)
  return own
}
