import type { Site } from '../database/generated/client.ts'
import type { Queryable } from '../database/transaction.ts'
import { withoutTrailingSlash } from '../lib/text.ts'
import type { Keyring, SealedColumn, SealedRow } from '../secrets/index.ts'
import type { WordPressClient } from '../wordpress/client/index.ts'
import type { SiteConnection } from '../wordpress/types.ts'
import type { SiteSettings } from './settings.ts'

/** What a site's application password is bound to in the database. */
const passwordIdentity = ({ accountId, id }: SiteId): string => `site:${accountId}:${id}:application_password`

type ConnectionColumns = Pick<
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
export const nameInMessages = (url: string): string => withoutTrailingSlash(url.replace(/^https?:\/\//, ''))

/** Names one site of one account. */
export interface SiteId {
  accountId: string
  id: string
}

/** With what a site is spoken to. Another user or password means that it was connected anew; the rest its settings may change. */
export interface ConnectedCredentials {
  username: string
  /** The application password as it is stored, encrypted. */
  sealedPassword: string
  /** The WordPress user whom `settings.author` names. */
  authorId: number | null
  /** `settings.language`, as it is stored. */
  language: string | null
}

/** A site as its deliveries need it; the site worker reads it anew every few seconds. */
export interface DeliverySite {
  id: string
  accountId: string
  name: string
  /** Without a trailing slash. */
  url: string
  /** On whose hosts its posts may be: where it is reached, and what it was seen to call itself. */
  addresses: readonly string[]
  settings: SiteSettings
  /** The WordPress user whom `settings.author` names. */
  authorId: number | null
  /** Key of `meta` that takes the description for search engines; null where the site offers none. */
  seoField: string | null
  /** Fields of Advanced Custom Fields that an editor must fill in, as the doctor last saw them. */
  requiredFields: readonly string[]
  /** As the doctor last saw it; null where the site hides it, or nobody has looked. */
  wordpressVersion: string | null
  connectedAs: ConnectedCredentials
  client: WordPressClient
}

// SQL, as all that a start waits for: Prisma's compiler, which nothing else needs until somebody asks something, takes
// longer to load than PostgreSQL to start.
const SELECT_PASSWORDS = `SELECT account_id AS "accountId", id, url, rest_root AS "restRoot", username,
    application_password AS "applicationPassword" FROM site`

/** The application passwords of sites, each bound to its row and to the origin of its REST root. */
export const sitePassword: SealedColumn = {
  table: 'site',
  column: 'application_password',
  key: ['account_id', 'id'],
  beside: ['rest_root'],
  of: 'sites',
  read: (keyring, row, applicationPassword) =>
    passwordOf(keyring, { ...connectionOfRow(row), applicationPassword }),
  seal: (keyring, row, applicationPassword) =>
    sealedPassword(keyring, connectionOfRow(row), {
      restRoot: connectionOfRow(row).restRoot,
      applicationPassword,
    }),
}

const connectionOfRow = (row: SealedRow) => ({
  accountId: row.account_id as string,
  id: row.id as string,
  restRoot: row.rest_root as string,
})

/** The sites that were stopped because their password could not be read, and now can. */
export async function sitesReadableAgain(database: Queryable, keyring: Keyring): Promise<SiteId[]> {
  const { rows } = await database.query<ConnectionColumns>(
    `${SELECT_PASSWORDS} WHERE trouble ->> 'code' IN ('secret_key_missing', 'secret_unreadable')`,
  )
  return rows.flatMap((row) => {
    try {
      connectionOf(keyring, row)
      return [{ accountId: row.accountId, id: row.id }]
    } catch {
      // It waits on, with the words that its trouble has.
      return []
    }
  })
}
