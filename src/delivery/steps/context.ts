import type { Share } from '../../bytes/index.ts'
import type { Document } from '../../contract/tree.ts'
import type { DeliveryRequest } from '../../contract/webhook.ts'
import type { Warning } from '../../errors.ts'
import type { Timing } from '../../jobs/timing.ts'
import type { Outbound } from '../../outbound/index.ts'
import { withoutTags } from '../../render/escape.ts'
import type { DeliverySite } from '../../sites/connected-site.ts'
import type { WordPressClient } from '../../wordpress/client/index.ts'
import type { FindStoredFile } from '../../wordpress/media/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Progress } from '../ledger/phase.ts'
import type { DeliveryRow } from '../ledger/row.ts'
import type { EventSource } from '../ledger/wanted-event.ts'

/** One claimed delivery and all its steps need. */
export interface Delivering {
  /** As claimed, and kept up with what the ledger writes. */
  readonly row: DeliveryRow
  readonly ledger: Ledger
  readonly site: DeliverySite
  /** For what makes or changes the post and its media: sends nothing once the claim may have passed on. */
  readonly writer: WordPressClient
  readonly outbound: Outbound
  /** The files that Galley itself keeps. */
  readonly findStored: FindStoredFile
  /** REST base of the post's type: as reserved, or as the site says. The one thing that a step settles, reserve. */
  postType: string
  readonly document: Document
  /** With its source's defaults, and within its limits. */
  readonly wanted: DeliveryRequest
  readonly source: EventSource
  /** Gathered on the way, stored when the delivery ends. */
  readonly warnings: Warning[]
  /** Attachments that were gone right after the post was filled, and are put back. */
  readonly lostMedia: ReadonlySet<number>
  readonly untouchedMs: Timing['untouchedMs']
  readonly fillWithinMs: Timing['fillWithinMs']
  /** What the document holds of the budget of bytes. */
  readonly room: Share
  /** For whoever has to say where it failed. */
  readonly progress: Progress
}

/** The title under which a post is reserved: without markup, as a reader sees it. */
export const reservedTitle = ({ title }: Delivering['document']): string => withoutTags(title)
