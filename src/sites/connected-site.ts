import type { WordPressClient } from '../wordpress/client/index.ts'
import type { SiteSettings } from './settings.ts'

/** With what a site is spoken to. Another user or password means that it was connected anew; the rest its settings may change. */
export interface ConnectedAs {
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
  connectedAs: ConnectedAs
  client: WordPressClient
}
