import { inject } from 'vitest'
import type { WordPress } from '../../../demo/wordpress/index.ts'
// with the declaration of what is provided
import type {} from '../global-setup-wordpress.ts'
import { claim } from './claim.ts'

/** The real WordPress of this worker. Its other test files use it too: name what you make, and remove it. */
export function wordpress(): WordPress {
  const { running, claims } = inject('wordpresses')
  const own = claim(running, claims)
  if (own === undefined)
    throw new Error(`Each WordPress is a worker's already; process ${process.pid} has none`)
  return own
}
