import { isWire } from '../../contract/normalise/fields.ts'
import type { DeliveryRequest } from '../../contract/webhook.ts'
import type { GalleyError, Warning } from '../../errors.ts'
import type { PostRecord } from '../../wordpress/types.ts'
import { held } from '../conflicts/holds.ts'
import { mayOverwrite } from '../conflicts/snapshot.ts'
import type { EventSource } from '../ledger/wanted-event.ts'
import type { Delivering } from './context.ts'

/**
 * How near to the public a status is. A document asks for one of the first, the second or the last; the others are those
 * that a post may have got on its site.
 */
const NEARNESS: Readonly<Record<string, number>> = {
  'auto-draft': 0,
  draft: 0,
  pending: 1,
  private: 2,
  future: 2,
  publish: 3,
}

/** A status that a plugin has made may be anything short of public. */
const nearness = (status: string): number => NEARNESS[status] ?? 2

/**
 * What a document asks for, with its source's defaults for what it leaves out, and no further than its source may go.
 *
 * @param json the webhook as it was read: what is left out in it is not what is empty
 */
export function wantedWithin(
  { highestStatus, defaults, name }: EventSource,
  asked: DeliveryRequest,
  json: unknown,
): { wanted: DeliveryRequest; limited: Warning[] } {
  const delivery = isWire(json) && isWire(json.delivery) ? json.delivery : {}
  const metadata = isWire(delivery.metadata) ? delivery.metadata : {}
  const filled = {
    ...asked,
    ...(isMissing(delivery.post_status) && defaults.post_status && { postStatus: defaults.post_status }),
    ...(isMissing(metadata.categories) && defaults.categories && { categories: named(defaults.categories) }),
    ...(isMissing(metadata.tags) && defaults.tags && { tags: named(defaults.tags) }),
  }
  if (highestStatus === null || nearness(filled.postStatus) <= nearness(highestStatus))
    return { wanted: filled, limited: [] }
  const limited = [{ code: 'status_limited', message: statusLimited(name, filled.postStatus, highestStatus) }]
  return { wanted: { ...filled, postStatus: highestStatus }, limited }
}

const isMissing = (value: unknown): boolean => value === undefined || value === null

const named = (names: readonly string[]): string[] =>
  names.map((name) => name.trim()).filter((name) => name !== '')

const statusLimited = (source: string, asked: string, highest: string): string =>
  `The document is to be “${asked}”, and documents of “${source}” may be “${highest}” at most, so that is what the post is. The limit is in the limits of the source.`

/**
 * A post that is nearer to the public than its source may bring one was brought there by a person, or by Galley before
 * there was the limit: a new text would be seen that nobody has looked at.
 *
 * @throws GalleyError held, unless a person has said that it may be written over
 */
export function requireWithin({ row, source, site }: Delivering, post: PostRecord): void {
  const { highestStatus, name } = source
  if (highestStatus === null || nearness(post.status) <= nearness(highestStatus) || mayOverwrite(row)) return
  throw aboveLimit(post, { name, highestStatus, site: site.name })
}

const aboveLimit = (
  { id, status }: PostRecord,
  { name, highestStatus, site }: { name: string; highestStatus: string; site: string },
): GalleyError =>
  held(
    'post_above_limit',
    `Post ${id} on ${site} is “${status}”, and documents of “${name}” may be “${highestStatus}” at most, so its text is left as it is. Retry this delivery with "overwrite" to have the new text there, or change the limits of the source.`,
  )
