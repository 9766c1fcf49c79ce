import type { Site } from '../database/generated/client.ts'
import type { Keyring } from '../secrets/index.ts'
import { withoutSlash } from '../text.ts'
import type { SiteConnection } from '../wordpress/types.ts'
import type { SiteId } from './site-id.ts'

/** What a site's application password is bound to in the database. */
const passwordIdentity = ({ accountId, id }: SiteId): string => `site:${accountId}:${id}:application_password`

export type ConnectionColumns = Pick<
  Site,
  'accountId' | 'id' | 'url' | 'restRoot' | 'username' | 'applicationPassword'
>

/** What is needed to speak to a connected site: its row, with the password decrypted. */
export function connectionOf(keyring: Keyring, row: ConnectionColumns): SiteConnection {
  const { url, restRoot, username } = row
  return {
    name: nameInMessages(url),
    restRoot,
    username,
    applicationPassword: passwordOf(keyring, row),
  }
}

/**
 * The password as it is stored: for this row, and for the origin of this REST root. With another address beside it, it
 * will not decrypt, whoever put it there.
 */
export const sealedPassword = (
  keyring: Keyring,
  site: SiteId,
  { applicationPassword, restRoot }: Pick<SiteConnection, 'applicationPassword' | 'restRoot'>,
): string => keyring.encrypt(applicationPassword, passwordIdentity(site), new URL(restRoot).origin)

/** @throws GalleyError `secret_key_missing`, `secret_unreadable` */
export const passwordOf = (keyring: Keyring, row: Omit<ConnectionColumns, 'url' | 'username'>): string =>
  keyring.decrypt(row.applicationPassword, passwordIdentity(row), new URL(row.restRoot).origin)

/** `https://example.com/blog` is called `example.com/blog`. */
export const nameInMessages = (url: string): string => withoutSlash(url.replace(/^https?:\/\//, ''))
