import type { Site } from '../database/generated/client.ts'
import type { Keyring } from '../secrets/index.ts'
import type { SiteConnection } from '../wordpress/types.ts'

/** What a site's application password is bound to in the database. */
export const passwordIdentity = (siteId: string): string => `site:${siteId}:application_password`

type ConnectionColumns = Pick<Site, 'id' | 'url' | 'restRoot' | 'username' | 'applicationPassword'>

/** What is needed to speak to a connected site: its row, with the password decrypted. */
export function connectionOf(keyring: Keyring, row: ConnectionColumns): SiteConnection {
  const { id, url, restRoot, username, applicationPassword } = row
  return {
    name: nameInMessages(url),
    restRoot,
    username,
    applicationPassword: keyring.decrypt(applicationPassword, passwordIdentity(id)),
  }
}

/** `https://example.com/blog` is called `example.com/blog`. */
export const nameInMessages = (url: string): string => url.replace(/^https?:\/\//, '').replace(/\/+$/, '')
