import { inject } from 'vitest'
import type { WordPress } from '../../../demo/wordpress/index.ts'
import { claim } from './claim.ts'
// with the declaration of what is provided
import type {} from './global-setup.ts'

/** The real WordPress of this worker. Its other test files use it too: name what you make, and remove it. */
export function wordpress(): WordPress {
  const provided = inject('wordpresses') as ReturnType<typeof inject<'wordpresses'>> | undefined
  if (provided === undefined)
    throw new Error('There is no WordPress for a file whose name names none: call it x.wordpress.test.ts')
  const { running, claims } = provided
  const own = claim(running, claims)
  if (own === undefined)
    throw new Error(`Each WordPress is a worker's already; process ${process.pid} has none`)
  return own
}
