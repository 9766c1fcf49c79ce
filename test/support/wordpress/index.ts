import { inject } from 'vitest'
import type { Role, WordPress } from '../../../demo/wordpress/index.ts'
import type { SiteConnection } from '../../../src/wordpress/types.ts'
// with the declaration of what is provided
import type {} from '../global-setup-wordpress.ts'

export type { Role, WordPress } from '../../../demo/wordpress/index.ts'
export * from './rest.ts'

/** The real WordPress of this run. Other tests use it too: name what you make, and remove it. */
export function wordpress(): WordPress {
  return inject('wordpress')
}

/** What Galley needs to speak to it as a user of that role. */
export function connectionAs(role: Role): SiteConnection {
  const { url, users } = wordpress()
  const { login, applicationPassword } = users[role]
  return { name: new URL(url).host, restRoot: `${url}/wp-json/`, username: login, applicationPassword }
}
