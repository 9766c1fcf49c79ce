import type { Site } from '../database/generated/client.ts'
import type { Queryable } from '../database/transaction.ts'
import { withoutTrailingSlash } from '../lib/text.ts'
import type { SealedColumn } from '../secrets/check-keys.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { WordPressClient } from '../wordpress/client/client.ts'
import type { SiteConnection } from '../wordpress/types.ts'
import type { SiteSettings } from './settings.ts'

const passwordIdentity = (accountId: string, id: string): string =>
  `site:${accountId}:${id}:application_password`

export type ConnectionColumns = Pick<
  Site,
  'accountId' | 'id' | 'url' | 'restRoot' | 'username' | 'applicationPassword'
>

/** The connection of a site's row, with the password decrypted. */
export function connectionOf(keyring: Keyring, row: ConnectionColumns): SiteConnection {
  const { url, restRoot, username } = row
  return { name: nameInMessages(url), restRoot, username, applicationPassword: passwordOf(keyring, row) }
}

/** Seals a password for this row and the origin of this REST root. It does not decrypt beside another origin. */
export const sealedPassword = (
  keyring: Keyring,
  { accountId, id }: SiteId,
  { applicationPassword, restRoot }: Pick<SiteConnection, 'applicationPassword' | 'restRoot'>,
): string => keyring.encrypt(applicationPassword, passwordIdentity(accountId, id), new URL(restRoot).origin)

/** @throws GalleyError `secret_key_missing`, `secret_unreadable` */
export const passwordOf = (keyring: Keyring, row: Omit<ConnectionColumns, 'url' | 'username'>): string =>
  keyring.decrypt(
    row.applicationPassword,
    passwordIdentity(row.accountId, row.id),
    new URL(row.restRoot).origin,
  )

/** `https://example.com/blog` becomes `example.com/blog`. */
export const nameInMessages = (url: string): string => withoutTrailingSlash(url.replace(/^https?:\/\//, ''))

export interface SiteId {
  accountId: string
  id: string
}

/** The connection in use. Another user or password means that the site was connected anew; settings may change the rest. */
export interface ConnectedCredentials {
  username: string
  sealedPassword: string
  /** The WordPress user that `settings.author` names. */
  authorId: number | null
  /** `settings.language`, as stored. */
  language: string | null
}

/** A site as its deliveries need it. The site worker reloads it every few seconds. */
export interface DeliverySite {
  id: string
  accountId: string
  name: string
  url: string
  /** Where its WordPress lies, below which posts are edited; as last checked, else {@link url}. */
  installedAt: string
  /** Addresses whose hosts its posts may be on: where it is reached, and what it calls itself. */
  addresses: readonly string[]
  settings: SiteSettings
  /** The WordPress user that `settings.author` names. */
  authorId: number | null
  /** `meta` key of the description for search engines; null where the site has none. */
  seoField: string | null
  /** Required fields of Advanced Custom Fields, as last checked. */
  requiredFields: readonly string[]
  /** As last checked; null where hidden or unchecked. */
  wordpressVersion: string | null
  connectedAs: ConnectedCredentials
  client: WordPressClient
}

/** Application passwords of sites, each sealed for its row and the origin of its REST root. */
export const sitePassword: SealedColumn = {
  table: 'site',
  column: 'application_password',
  key: ['account_id', 'id'],
  address: 'rest_root',
  of: 'site',
  identity: passwordIdentity,
}

/** Sites stopped for an unreadable password that is now readable. */
export async function sitesReadableAgain(database: Queryable, keyring: Keyring): Promise<SiteId[]> {
  // SQL, because the start waits for this: Prisma's compiler takes longer to load than PostgreSQL to start.
  const { rows } = await database.query<ConnectionColumns>(
    `SELECT account_id AS "accountId", id, url, rest_root AS "restRoot", username,
       application_password AS "applicationPassword"
     FROM site WHERE trouble ->> 'code' IN ('secret_key_missing', 'secret_unreadable')`,
  )
  return rows.flatMap((row) => {
    try {
      connectionOf(keyring, row)
      return [{ accountId: row.accountId, id: row.id }]
    } catch {
      // Still unreadable: it keeps waiting with the same trouble.
      return []
    }
  })
}
