import { z } from 'zod'
import { nameOfMember } from '../../contract/post-fields.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import { monotonicNow } from '../../lib/monotonic-clock.ts'
import { comparableText, scalarText } from '../../lib/text.ts'
import { bylinePlugins, findByline } from '../../wordpress/authors.ts'
import { isStaleObservation, type WordPressClient } from '../../wordpress/client/client.ts'
import type { FailureCode } from '../../wordpress/failures/catalogue.ts'
import { getPost, refusesStatus, unfinishedStatuses } from '../../wordpress/posts/find.ts'
import { scheduleMissed } from '../../wordpress/posts/standing.ts'
import { fillPost } from '../../wordpress/posts/write.ts'
import { isUnsent } from '../../wordpress/traffic/concurrency.ts'
import type { BylineField, PostFields, PostMembers, PostRecord } from '../../wordpress/types.ts'
import { heldError, preserveEdits } from '../holds.ts'
import type { LedgerPatch, PostText, RequestedFields, Snapshot } from '../ledger/state.ts'
import {
  isSameMember,
  isSameText,
  mergeSnapshot,
  sameIds,
  snapshotUnacknowledged,
  textHash,
} from '../post-snapshot.ts'
import { currentPost, type Delivering, type ObservedPost, postUrl, stale } from './context.ts'
import { awaitTime, isBeyondReview, requireWithinSource } from './fields.ts'
import { holdForLosses, withheldFields } from './losses.ts'
import { rememberReplaced } from './replaced.ts'
import { droppedCode, type FilledPost } from './verify.ts'

/**
 * Sets everything of the post in one request, its status last. An unanswered fill is simply made again, unless a person has changed the
 * post meanwhile. @returns what is to be verified; null where the post said all of it already
 * @throws GalleyError held where a person trashed, deleted or changed the post before
 */
export async function fill(
  delivering: Delivering,
  seen: ObservedPost,
  wanted: PostFields,
): Promise<FilledPost | null> {
  const { writer, warnings } = delivering
  delivering.progress.step = 'fill'
  const noticed = warnings.length
  let last = seen
  for (let withinMs = delivering.fillWithinMs; ; withinMs *= 2) {
    const before = await currentPost(delivering, last)
    const inTime = { ...delivering, writer: clientUntil(monotonicNow() + withinMs, writer) }
    try {
      return await fillObserved(inTime, before, wanted)
    } catch (error) {
      if (!isStaleObservation(error)) throw error
      // A slow site is given more time after each look, or it would be looked at for ever.
      warnings.splice(noticed)
      last = stale(before)
    }
  }
}

/**
 * What is decided by a look has to leave until then. What follows its answer goes on: another look would find our own words, as a plugin
 * rewrote them, and take them for somebody’s.
 */
function clientUntil(until: number, writer: WordPressClient): WordPressClient {
  let ended = false
  const first = writer.with({ holds: () => ended || monotonicNow() < until })
  const request: WordPressClient['request'] = (asked) =>
    first.request(asked).finally(() => {
      ended = true
    })
  return { ...first, request }
}

async function fillObserved(delivering: Delivering, before: PostRecord, wanted: PostFields) {
  const { row, site, ledger, warnings } = delivering
  const postId = before.id
  recordStatus(delivering, before)
  const publishAt = new Date(`${scalarText(before.members.date_gmt)}Z`)
  warnings.push(...scheduleMissed(site.name, { ...before, publishAt }, ledger.now()))
  recordUnacknowledged(delivering, before)
  const desired = withheldFields(delivering, before, withoutLackingFields(before, wanted))
  const { fields, statusOnly, base, replaces } = preserveEdits(delivering, before, desired)
  if (!statusOnly) holdForLosses(delivering, before)

  const sentHash = statusOnly ? row.sent_hash : textHash({ ...before, ...fields })
  const stands = statusOnly || sentHash === textHash(before)
  // After two failures the description is given up: they may be of a save that never gets as far as that.
  const hasDescription = row.attempts + row.site_failures > 1 || !changesDescription(before, fields)
  const allStands = stands && hasDescription && !changesMore(before, fields)
  const intent = fillIntent(row, fields, base)
  if (row.delivered_event_id !== null && allStands) {
    ledger.defer('fill', 'unchanged', `post ${postId} says this already`, {
      post_status: before.status,
      post_url: postUrl(site, before),
      answered: mergeSnapshot(intent.answered ?? null, { sent: fields, before, post: before }),
    })
    return null
  }
  // An earlier fill has set all of it, and failed afterwards, as it would again: a plugin ends every save with an error.
  if (row.sent_hash !== null && row.sent_hash === sentHash && allStands) {
    ledger.defer('fill', 'found', `post ${postId} has all that was sent`)
    return { before, sent: fields, post: before }
  }
  awaitTime(delivering.wanted, fields.status, ledger.now())
  requireWithinSource(delivering, before)
  await ledger.record('fill', 'intended', null, {
    ...(sentHash !== null && { sent_hash: sentHash }),
    ...intent,
    ...(await rememberReplaced(delivering, { before, fields, replaces })),
  })
  const byline = await setByline(delivering, before, fields)
  const { post, sent, refusal } = await fillWithFallbacks(delivering, postId, fields)
  return { before, sent: byline === null ? sent : { ...sent, byline }, post, ...(refusal && { refusal }) }
}

/** A fill that WordPress crashed over may have published the post, and whatever becomes of this one, it is shown as it is. */
function recordStatus({ row, ledger }: Delivering, { id, status }: PostRecord): void {
  if (row.post_status === status) return
  ledger.defer('fill', 'found', `post ${id} is ${status}`, { post_status: status })
}

/** What an earlier fill sent and nobody heard of is ours, before a person's changes are looked for. */
function recordUnacknowledged({ row, ledger }: Delivering, post: PostRecord): void {
  const unacknowledged = learnUnacknowledged(row, post)
  if (unacknowledged === null) return
  ledger.defer('fill', 'found', `post ${post.id} has the content of a request that got no answer`, {
    answered: unacknowledged,
  })
}

/** What of a request that got no answer stands in the post; null for nothing. */
export function learnUnacknowledged(
  { answered, sent_hash, delivered_event_id }: Delivering['row'],
  post: PostRecord,
): Snapshot | null {
  if (answered === null) return null
  const text = textHash(post) === sent_hash && textHash(answered) !== sent_hash
  return snapshotUnacknowledged(answered, post, { text, first: delivered_event_id === null })
}

/** What the post can hold; its text is sent whatever the answers show, since a plugin may only hide it. */
function withoutLackingFields({ lacks, footnotes }: PostRecord, wanted: PostFields): PostFields {
  const fields = { ...wanted }
  for (const field of lacks) if (field !== 'content') delete fields[field]
  if (!fields.footnotes && !footnotes) delete fields.footnotes
  return fields
}

/** Whether it changes more of a post than its text. */
export function changesMore(
  before: PostRecord,
  { status, categories, tags, featuredMedia, members = {} }: PostFields,
): boolean {
  return (
    Object.entries(members).some(([name, asked]) => !isSameMember(name, asked, before.members[name])) ||
    (status ?? before.status) !== before.status ||
    (featuredMedia ?? before.featuredMedia) !== before.featuredMedia ||
    !sameIds(categories ?? before.categories, before.categories) ||
    !sameIds(tags ?? before.tags, before.tags)
  )
}

/** Whether it would change a search description where the post shows no other: what differs from its excerpt is a person's. */
function changesDescription({ lacks, meta }: PostRecord, fields: PostFields): boolean {
  if (!lacks.includes('excerpt')) return false
  return Object.entries(fields.meta ?? {}).some(
    ([key, wanted]) =>
      Object.hasOwn(meta, key) && !isSameText(comparableText(meta[key]), comparableText(wanted)),
  )
}

/** Recorded before a fill leaves, beside the hash of its text. */
function fillIntent(
  { answered }: Delivering['row'],
  fields: PostFields,
  base: PostText | null,
): Pick<LedgerPatch, 'answered'> {
  if (answered === null) return {}
  const { status, categories, tags, featuredMedia, members } = fields
  const asked: RequestedFields = {
    ...(status && { status }),
    ...(categories && { categories }),
    ...(tags && { tags }),
    ...(featuredMedia !== undefined && { featuredMedia }),
    ...(members && { members: withoutPassword(members) }),
    ...(base && { base }),
  }
  return { answered: { ...answered, asked } }
}

/** What is remembered of it is its fingerprint, once the site has it. */
const withoutPassword = ({ password: _, ...members }: PostMembers): PostMembers => members

type FilledFields = Omit<FilledPost, 'before'>

/** WordPress may refuse a part of a fill though it saved the rest: what it will not have is left out, with a warning. */
async function fillWithFallbacks(
  delivering: Delivering,
  id: number,
  fields: PostFields,
): Promise<FilledFields> {
  try {
    const filled = await fillOrLowerStatus(delivering, id, fields)
    const kept = isPublishing(filled.sent) && unfinishedStatuses([filled.post.status]).length > 0
    return kept && fields.featuredMedia ? publishSeparately(delivering, id, filled, fields.status) : filled
  } catch (error) {
    if (refusesStatus(error) && fields.status !== undefined)
      return withoutStatus(delivering, id, fields, error)
    if (!(error instanceof GalleyError) || isUnsent(error)) throw error
    const { meta, status, ...rest } = fields
    const refused = refusedMembers(fields.members, error)
    if (refused.length > 0) {
      const filled = await fillWithFallbacks(delivering, id, withoutMembers(fields, refused))
      delivering.warnings.push(...refused.map((name) => memberRefused(delivering.site.name, name, error)))
      return filled
    }
    if (isWpDie(error) && isPublishing(fields))
      return publishAlone(delivering, id, { ...rest, ...(meta && { meta }) }, status)
    const { footnotes, ...others } = rest
    const hasMeta = meta !== undefined || Boolean(footnotes)
    if (!REFUSALS.has(error.code) && !(error.code === 'value_refused' && hasMeta)) throw error
    if (meta !== undefined) {
      const filled = await fillWithFallbacks(delivering, id, { ...rest, ...(status && { status }) })
      delivering.warnings.push(metaRefused(delivering.site.name, Object.keys(meta), error))
      return filled
    }
    // The next fill has the notes in the text.
    if (footnotes) return fillWithFallbacks(delivering, id, { ...others, ...(status && { status }) })
    if (!isPublishing(fields) || error.code === 'not_logged_in') throw error
    return publishAlone(delivering, id, rest, status)
  }
}

/** Whether it shows the post to anybody without a review, or will; what WordPress asks the right to publish for. */
const isPublishing = ({ status }: PostFields): boolean => status !== undefined && isBeyondReview(status)

const refusalSchema = z.object({
  wordpress: z.object({
    code: z.string(),
    data: z
      .object({ params: z.record(z.string(), z.unknown()).optional().catch(undefined) })
      .optional()
      .catch(undefined),
  }),
})

const refusalOf = ({ details }: GalleyError) =>
  refusalSchema.safeParse(details).data?.wordpress ?? { code: '' }

/** The members that WordPress refuses, by name or by the code of its refusal. */
function refusedMembers(members: PostMembers = {}, error: GalleyError): string[] {
  const { code, data } = refusalOf(error)
  const params = Object.keys(data?.params ?? {})
  return Object.keys(members)
    .filter((name) => !KEEP_BACK.has(name))
    .filter((name) => params.includes(name.split('.')[0] ?? name) || MEMBERS_BY_REFUSAL.get(code)?.test(name))
}

/** What keeps readers away is not left out: without it the post would be public. */
const KEEP_BACK: ReadonlySet<string> = new Set(['date_gmt', 'password'])

/** What WordPress refuses without naming it. */
const MEMBERS_BY_REFUSAL: ReadonlyMap<string, RegExp> = new Map([
  ['rest_invalid_field', /^sticky$/],
  ['rest_cannot_assign_sticky', /^sticky$/],
  ['rest_cannot_edit_others', /^author$/],
  ['rest_cannot_update', /^meta\./],
  ['rest_meta_database_error', /^meta\./],
])

function withoutMembers({ members, ...fields }: PostFields, refused: readonly string[]): PostFields {
  const left = Object.entries(members ?? {}).filter(([name]) => !refused.includes(name))
  return left.length === 0 ? fields : { ...fields, members: Object.fromEntries(left) }
}

const memberRefused = (site: string, member: string, { message }: GalleyError): Warning => ({
  code: droppedCode(member),
  message: `The post on ${site} has no “${nameOfMember(member)}” of the document: WordPress did not accept it. ${message}`,
})

/** Checklists look whether a post has its featured image before the request that sets both has set it. */
async function publishSeparately(
  delivering: Delivering,
  id: number,
  first: FilledFields,
  status: PostFields['status'],
): Promise<FilledFields> {
  const second = await fillOrLowerStatus(delivering, id, { status })
  return { post: second.post, sent: { ...first.sent, ...second.sent } }
}

/** Everything but the status, and then that alone. Where a plugin refuses it again, the post stands as it is, and is held. */
async function publishAlone(
  delivering: Delivering,
  id: number,
  rest: PostFields,
  status: PostFields['status'],
): Promise<FilledFields> {
  const first = await fillWithFallbacks(delivering, id, rest)
  try {
    return await publishSeparately(delivering, id, first, status)
  } catch (error) {
    const said = error instanceof GalleyError && (REFUSALS.has(error.code) || isWpDie(error))
    if (!said || isUnsent(error)) throw error
    const post = await getPost(delivering.site.client, { postType: delivering.postType, id })
    return { post: post ?? first.post, sent: { ...first.sent, status }, refusal: error }
  }
}

/** Whether a plugin has ended the request with a word of its own (`wp_die`), for which WordPress makes HTTP 500. */
const isWpDie = (error: GalleyError): boolean => refusalOf(error).code === 'wp_die'

/** A site that lacks the status: the post keeps its own, which holds one that was to be published. */
async function withoutStatus(
  delivering: Delivering,
  id: number,
  { status, ...rest }: PostFields,
  { message }: GalleyError,
): Promise<FilledFields> {
  const { post, sent } = await fillWithFallbacks(delivering, id, rest)
  if (isPublishing({ status })) return { post, sent: { ...sent, status } }
  delivering.warnings.push({
    code: 'status_unavailable',
    message: `The post stays “${post.status}”: posts on ${delivering.site.name} cannot be “${status}”. ${message}`,
  })
  return { post, sent }
}

/** Codes for a field of `meta` that this user may not set, after the post was saved; plugins that hold posts choose them, too. */
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
async function fillOrLowerStatus(
  { row, site, writer, postType, warnings, ledger }: Delivering,
  id: number,
  fields: PostFields,
): Promise<FilledFields> {
  try {
    return { post: await fillPost(writer, { postType, id, fields }), sent: fields }
  } catch (error) {
    if (!(error instanceof GalleyError && error.code === 'cannot_publish' && isPublishing(fields)))
      throw error
    if (site.settings.on_publish_refused === 'hold') throw heldError(error.code, error.message)
    const sent: PostFields = { ...fields, status: 'pending' }
    await ledger.record(
      'fill',
      'lowered',
      'this user may not publish',
      fillIntent(row, sent, row.answered?.asked?.base ?? null),
    )
    warnings.push(statusLowered(site.name))
    return { post: await fillPost(writer, { postType, id, fields: sent }), sent }
  }
}

export const statusLowered = (site: string): Warning => ({
  code: 'status_lowered',
  message: `The user connected to ${site} may not publish, so the post waits for review as pending. Give that user the role of an author or editor, or ask for "pending".`,
})

/**
 * Has readers see the author where a plugin keeps the byline: in a request of its own, so that a refusal costs nothing else, and once,
 * since a person may have set what a later version finds. @returns what was asked for; null where nothing was
 */
async function setByline(delivering: Delivering, before: PostRecord, { members }: PostFields) {
  const { row, site, writer, postType, warnings, ledger } = delivering
  const asked = members?.author
  const userId = typeof asked === 'number' ? asked : site.authorId
  if (userId === null || before.byline === null || row.delivered_event_id !== null) return null
  const { field } = before.byline
  try {
    const byline = await findByline(site.client, { field, userId })
    if (byline === null) {
      warnings.push(unknownAuthorWarning(delivering, field))
      return null
    }
    if (before.byline.ids.join() !== byline.ids.join()) {
      await fillPost(writer, { postType, id: before.id, fields: { byline } })
      ledger.defer('fill', 'signed', `${bylinePlugins[field].name} names the author`, {})
    }
    return byline
  } catch (error) {
    if (!(error instanceof GalleyError && PERMANENT_FAULTS.has(error.fault))) throw error
    warnings.push(bylineRefusedWarning(delivering, field, error))
    return null
  }
}

/** Whose failures leave the rest of the post possible. */
const PERMANENT_FAULTS: ReadonlySet<string> = new Set<GalleyError['fault']>(['owner', 'delivery'])

const unknownAuthorWarning = ({ site, wanted }: Delivering, field: BylineField): Warning => ({
  code: 'byline_unset',
  message: `Readers on ${site.name} do not see “${wanted.fields.author ?? site.settings.author}” as the author: ${bylinePlugins[field].name} keeps the byline there, and has no author for that user. Create one there for the user, and set the byline of this post in WordPress.`,
})

const bylineRefusedWarning = (
  { site, wanted }: Delivering,
  field: BylineField,
  { message }: GalleyError,
): Warning => ({
  code: 'byline_unset',
  message: `Readers on ${site.name} may not see “${wanted.fields.author ?? site.settings.author}” as the author: ${bylinePlugins[field].name} keeps the byline there, and it could not be set. ${message}`,
})
