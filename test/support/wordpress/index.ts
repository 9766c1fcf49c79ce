import type { Role } from '../../../demo/wordpress/index.ts'
import type { SiteConnection } from '../../../src/wordpress/types.ts'
import { wordpress } from './current.ts'

export type { Role } from '../../../demo/wordpress/index.ts'
export { wordpress } from './current.ts'
export * from './rest.ts'

/** What Galley needs to speak to it as a user of that role. */
export function connectionAs(role: Role): SiteConnection {
  const { url, users } = wordpress()
  const { login, applicationPassword } = users[role]
  return { name: new URL(url).host, restRoot: `${url}/wp-json/`, username: login, applicationPassword }
}
