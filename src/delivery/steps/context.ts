import type { Share } from '../../bytes/index.ts'
import type { Document } from '../../contract/tree.ts'
import type { DeliveryRequest } from '../../contract/webhook.ts'
import type { Warning } from '../../errors.ts'
import type { Outbound } from '../../outbound/index.ts'
import { withoutTags } from '../../render/escape.ts'
import type { SiteSettings } from '../../sites/settings.ts'
import type { WordPressClient } from '../../wordpress/client/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DeliveryRow } from '../ledger/row.ts'

/** With what a site is spoken to: another pair means that it was connected anew. */
export interface ConnectedAs {
  username: string
  /** The application password as it is stored, encrypted. */
  sealedPassword: string
}

/** A site as its deliveries need it; the pump reads it anew every few seconds. */
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

/** One claimed delivery and all its steps need. */
export interface Delivering {
  /** As claimed, and kept up with what the ledger writes. */
  row: DeliveryRow
  ledger: Ledger
  site: DeliverySite
  /** For what makes or changes the post and its media: sends nothing once the claim may have passed on. */
  writer: WordPressClient
  outbound: Outbound
  /** REST base of the post's type: as reserved, or as the site says. */
  postType: string
  document: Document
  wanted: DeliveryRequest
  /** Gathered on the way, stored when the delivery ends. */
  warnings: Warning[]
  /** Attachments that were gone right after the post was filled, and are put back. */
  lostMedia: ReadonlySet<number>
  /** What the document holds of the budget of bytes. */
  room: Share
  /** The step under way, for whoever has to say where it failed. */
  step: string
}

/** The slug that marks a post as this document's until it is filled (docs/architecture.md, "Invariants"). */
export const postMarker = (documentId: string): string => `galley-${documentId}`

/** The title under which a post is reserved: without markup, as a reader sees it. */
export const reservedTitle = ({ title }: Delivering['document']): string => withoutTags(title)
