import type { OnLoss } from '../../contract/delivery.ts'
import { pluralize, truncate } from '../../lib/text.ts'
import { lossesOf, type Warning } from '../../warnings.ts'
import type { PostFields, PostRecord } from '../../wordpress/types.ts'
import { heldError } from '../holds.ts'
import type { Delivering } from './context.ts'
import { isBeyondReview } from './fields.ts'

/** What to do about the losses of a document: of the delivery and its warnings so far, what this needs. */
type Lossy = Pick<Delivering, 'onLoss' | 'warnings'> & { site: { name: string } }

/** What is known of the post: it is not written yet, readers see an earlier version of it, or this one. */
type Stands = 'nothing' | 'earlier' | 'written'

/** A document that may have to wait is published by a person’s word only: `decided`. @throws GalleyError held */
export function holdForEmbargo({
  decided,
  warnings,
  site,
}: Omit<Lossy, 'onLoss'> & { decided: OnLoss | null }): void {
  const found = warnings.find(({ code }) => code === 'embargo_unread')
  if (found === undefined || decided !== null) return
  throw heldError(
    'embargo_unread',
    `Nothing was published on ${site.name}. ${found.message} Send the document again, or retry this delivery with "on_loss": "publish" to publish it now, or "draft" for a draft.`,
  )
}

/** Where losses hold the delivery: always, or a public post that becomes no draft. @throws GalleyError held */
export function holdForLosses(
  { onLoss, warnings, site }: Lossy,
  post?: Pick<PostRecord, 'status'>,
  isWritten = false,
): void {
  const losses = lossesOf(warnings)
  const isPublic = post !== undefined && isBeyondReview(post.status)
  if (losses.length === 0 || onLoss === 'publish' || (onLoss === 'draft' && !isPublic)) return
  throw contentLost(site.name, losses, isWritten ? 'written' : isPublic ? 'earlier' : 'nothing')
}

/** A fill's fields, without the status where losses decide it: they are known once saved. Public posts stay as they are. */
export const withheldFields = (
  { onLoss }: Pick<Delivering, 'onLoss'>,
  { status }: Pick<PostRecord, 'status'>,
  fields: PostFields,
): PostFields =>
  onLoss === 'publish' || fields.status === undefined || isBeyondReview(status)
    ? fields
    : { ...fields, status: 'draft' }

export const draftForLoss = (asked: string, losses: readonly Warning[]): Warning => ({
  code: 'draft_for_loss',
  message: `The post is a draft, and not “${asked}”: ${thingsOf(losses)} of the document ${isAre(losses)} missing, and on_loss asks for a draft then. Publish it in WordPress, or retry this delivery with "on_loss": "publish".`,
})

const MAX_NAMED = 5

function contentLost(site: string, losses: readonly Warning[], stands: Stands) {
  const named = losses.slice(0, MAX_NAMED).map(({ message }) => `“${truncate(message, 200)}”`)
  const more = losses.length - named.length
  const list = `${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`
  const happened = {
    nothing: `${thingsOf(losses)} of this document would be missing on ${site}, so nothing was published.`,
    earlier: `${thingsOf(losses)} of this version would be missing on ${site}. Readers see the post already, so it is made no draft, and its text is left as it is.`,
    written: `${thingsOf(losses)} of this document ${isAre(losses)} missing in the post on ${site}, as WordPress saved it.`,
  }
  return heldError(
    'content_lost',
    `${happened[stands]} ${list}. Retry this delivery with "on_loss": "publish" to have the post without them, or "draft" for a draft, or send the document again in another form. The delivery, its source or the site asks for this (on_loss).`,
  )
}

const thingsOf = (losses: readonly Warning[]): string => pluralize(losses.length, 'part')
const isAre = (losses: readonly Warning[]): string => (losses.length === 1 ? 'is' : 'are')
