import { z } from 'zod'
import { GalleyError, type Warning } from '../../errors.ts'
import type { FailureCode } from '../../wordpress/failures/index.ts'
import { fillPost, getPost, refusesStatus, unfinished } from '../../wordpress/posts/index.ts'
import { isNotSent } from '../../wordpress/traffic/index.ts'
import type { PostFields, PostRecord } from '../../wordpress/types.ts'
import { held } from '../conflicts/holds.ts'
import type { LedgerPatch, Requested } from '../ledger/row.ts'
import type { Delivering } from './context.ts'

/** Recorded before a fill leaves, beside the hash of its text. */
export function asking({ answered }: Delivering['row'], fields: PostFields): Pick<LedgerPatch, 'answered'> {
  if (answered === null) return {}
  const { status, categories, tags, featuredMedia } = fields
  const asked: Requested = {
    ...(status && { status }),
    ...(categories && { categories }),
    ...(tags && { tags }),
    ...(featuredMedia !== undefined && { featuredMedia }),
  }
  return { answered: { ...answered, asked } }
}

/** What a fill sent in the end, and what came of it. */
export interface Filled {
  post: PostRecord
  sent: PostFields
  /** Why it is not published though that was asked for, in a plugin's words. */
  refusal?: GalleyError
}

/**
 * WordPress may refuse a part of a fill though it has saved the rest: what it will not have is left out, with a warning.
 */
export async function fillAsAllowed(delivering: Delivering, id: number, fields: PostFields): Promise<Filled> {
  try {
    const filled = await fillOrLower(delivering, id, fields)
    const kept = filled.sent.status === 'publish' && unfinished([filled.post.status]).length > 0
    return kept && fields.featuredMedia ? publishAfterwards(delivering, id, filled) : filled
  } catch (error) {
    if (refusesStatus(error) && fields.status !== undefined)
      return withoutStatus(delivering, id, fields, error)
    if (!(error instanceof GalleyError) || isNotSent(error)) throw error
    const { meta, status, ...rest } = fields
    if (endsByItsOwnWord(error) && status === 'publish')
      return publishAlone(delivering, id, { ...rest, ...(meta && { meta }) })
    if (!REFUSALS.has(error.code)) throw error
    if (meta !== undefined) {
      const filled = await fillAsAllowed(delivering, id, { ...rest, ...(status && { status }) })
      delivering.warnings.push(metaRefused(delivering.site.name, Object.keys(meta), error))
      return filled
    }
    if (status !== 'publish' || error.code === 'not_logged_in') throw error
    return publishAlone(delivering, id, rest)
  }
}

/** Checklists look whether a post has its featured image before the request that sets both has set it. */
async function publishAfterwards(delivering: Delivering, id: number, first: Filled): Promise<Filled> {
  const second = await fillOrLower(delivering, id, { status: 'publish' })
  return { post: second.post, sent: { ...first.sent, ...second.sent } }
}

/**
 * Everything but the status, and then that alone. Where a plugin refuses it again, the post stands as it is, and why: that is
 * held. A refusal that is not about publishing comes for the first of the two already, and is thrown.
 */
async function publishAlone(delivering: Delivering, id: number, rest: PostFields): Promise<Filled> {
  const first = await fillAsAllowed(delivering, id, rest)
  try {
    return await publishAfterwards(delivering, id, first)
  } catch (error) {
    const said = error instanceof GalleyError && (REFUSALS.has(error.code) || endsByItsOwnWord(error))
    if (!said || isNotSent(error)) throw error
    const post = await getPost(delivering.site.client, { postType: delivering.postType, id })
    return { post: post ?? first.post, sent: { ...first.sent, status: 'publish' }, refusal: error }
  }
}

/** Whether a plugin has ended the request with a word of its own (`wp_die`), for which WordPress makes HTTP 500. */
const endsByItsOwnWord = ({ details }: GalleyError): boolean => ownWordSchema.safeParse(details).success

const ownWordSchema = z.object({ wordpress: z.object({ code: z.literal('wp_die') }) })

/** A site that lacks the status: the post keeps its own, which holds one that was to be published. */
async function withoutStatus(
  delivering: Delivering,
  id: number,
  { status, ...rest }: PostFields,
  { message }: GalleyError,
): Promise<Filled> {
  const { post, sent } = await fillAsAllowed(delivering, id, rest)
  if (status === 'publish') return { post, sent: { ...sent, status } }
  delivering.warnings.push({
    code: 'status_unavailable',
    message: `The post stays “${post.status}”: posts on ${delivering.site.name} cannot be “${status}”. ${message}`,
  })
  return { post, sent }
}

/**
 * As which WordPress answers a field of `meta` that this user may not set, after it has saved the post, and what plugins that
 * keep a post from being published choose among, with words of their own.
 */
const REFUSALS: ReadonlySet<string> = new Set<FailureCode>([
  'rights_missing',
  'field_refused',
  'request_refused',
  'not_logged_in',
])

const metaRefused = (site: string, keys: string[], { message }: GalleyError): Warning => ({
  code: 'meta_refused',
  message: `The post has no ${keys.join(', ')}, since WordPress on ${site} did not accept it: ${message}`,
})

/** A user who may not publish leaves the post for review instead, with a warning. */
async function fillOrLower(
  { row, site, writer, postType, warnings, ledger }: Delivering,
  id: number,
  fields: PostFields,
): Promise<Filled> {
  try {
    return { post: await fillPost(writer, { postType, id, fields }), sent: fields }
  } catch (error) {
    if (!(error instanceof GalleyError && error.code === 'cannot_publish' && fields.status === 'publish'))
      throw error
    if (site.settings.on_publish_refused === 'hold') throw held(error.code, error.message)
    const sent: PostFields = { ...fields, status: 'pending' }
    await ledger.record('fill', 'lowered', 'this user may not publish', asking(row, sent))
    warnings.push(statusLowered(site.name))
    return { post: await fillPost(writer, { postType, id, fields: sent }), sent }
  }
}

export const statusLowered = (site: string): Warning => ({
  code: 'status_lowered',
  message: `The user connected to ${site} may not publish, so the post waits for review as pending. Give that user the role of an author or editor, or ask for "pending".`,
})
