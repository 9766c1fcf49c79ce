import type { PostFields, PostStatus } from '../../wordpress/types.ts'

/** What a delivery may be. `queued` and `delivering` move by themselves; `held` waits for a person; the others are ends. */
export const deliveryStatuses = ['queued', 'delivering', 'delivered', 'held', 'failed', 'cancelled'] as const

export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** What stopped a delivery, and at which step. */
export interface DeliveryError {
  code: string
  message: string
  step: string
  /** Structured facts, where there are some: both sides of a difference. */
  details?: unknown
}

/**
 * What WordPress last answered about the post, as far as a person may change it. The next write compares the
 * post with this: what differs was done by somebody else.
 */
export interface Snapshot {
  title: string
  content: string
  excerpt: string
  categories: number[]
  tags: number[]
  featuredMedia: number
  slug: string
  /** As Galley left it; null where a person has decided since. */
  status: PostStatus | null
  modifiedGmt: string
  /** What the last fill sent besides the text (`sent_hash`); gone with its answer. */
  asked?: Requested
  /** The number of a second post of this document, which this delivery has made and is about to remove. */
  duplicate?: number
  /**
   * A person asked to write over whatever was changed of this post, or to set its status alone; gone when the delivery has
   * come to rest.
   */
  overwrite?: { siteId: string; postId: number; statusOnly?: boolean }
}

/** All of a fill but its text. */
export type Requested = Pick<PostFields, 'status' | 'categories' | 'tags' | 'featuredMedia'>

/** A delivery as its claim reads it; names as in the table. */
export interface DeliveryRow {
  id: string
  account_id: string
  site_id: string
  document_id: string
  wanted_event_id: string
  delivered_event_id: string | null
  status: DeliveryStatus
  fence: number
  attempts: number
  site_failures: number
  site_failed_at: Date | null
  reserve_intent_at: Date | null
  ambiguous_at: Date | null
  post_id: number | null
  post_type: string | null
  post_status: PostStatus | null
  sent_hash: string | null
  answered: Snapshot | null
  /** By the database's clock. */
  claimed_at: Date
  /** Of the wanted event's body, as it was claimed; 0 where that was removed. */
  document_bytes: number
  /** Of the span in which its event arrived, where traces are made. */
  traceparent?: string | null
}

/** The columns a step may write; everything else belongs to the claim and to the settlement. */
export interface LedgerPatch {
  reserve_intent_at?: Date | null
  ambiguous_at?: Date | null
  post_id?: number | null
  post_type?: string
  post_url?: string
  post_edit_url?: string
  post_status?: PostStatus
  sent_hash?: string
  answered?: Snapshot
}
