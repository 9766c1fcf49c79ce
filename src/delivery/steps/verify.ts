import { fieldOfMember, nameOfMember, postFields } from '../../contract/post-fields.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import { pluralize, trimEndOf } from '../../lib/text.ts'
import type { DeliverySite } from '../../sites/connection.ts'
import type { WarningCode } from '../../warnings.ts'
import { failureTextOf, wordPressMessage } from '../../wordpress/failures/classify.ts'
import { truncateLine } from '../../wordpress/fields.ts'
import { visibleWords } from '../../wordpress/html.ts'
import { getPost } from '../../wordpress/posts/find.ts'
import { statusChangedWarning, verifyFill } from '../../wordpress/posts/verify.ts'
import { fetchTermNames, type Taxonomy } from '../../wordpress/terms/find-or-create.ts'
import { isSameTermName } from '../../wordpress/terms/names.ts'
import type { PostFields, PostRecord } from '../../wordpress/types.ts'
import { heldError, heldForRemoval } from '../holds.ts'
import { type FillResult, isSameMember, mergeSnapshot } from '../post-snapshot.ts'
import { type Delivering, foreignUrlWarning, postUrl } from './context.ts'
import { isBeyondReview } from './fields.ts'

export interface FilledPost extends FillResult {
  /** Why it is not published though that was asked for, in a plugin's words. */
  refusal?: GalleyError
}

/**
 * Compares what WordPress stored with what was sent: what it dropped becomes a warning. What stands is remembered first, so that a
 * person’s changes are told from it. @throws GalleyError held where little or nothing of it stands, or the post is gone
 */
export async function verifyStored(delivering: Delivering, filled: FilledPost): Promise<void> {
  const { before, sent, post: answer } = filled
  const { row, document, site, ledger, warnings } = delivering
  delivering.progress.step = 'verify'
  const post = await readStoredPost(delivering, answer, sent)
  if (post === null) throw heldForRemoval(site.name, answer.id, post)
  if (post.status === 'trash') {
    ledger.defer('verify', 'removed', `post ${post.id} is in the trash`, { post_status: post.status })
    throw heldForRemoval(site.name, post.id, post)
  }
  ledger.defer('verify', 'done', `post ${post.id} is ${post.status}`, {
    post_status: post.status,
    post_url: postUrl(site, post),
    answered: mergeSnapshot(row.answered, { sent, before, post }),
  })
  const { slug, ...others } = sent
  // A slug that the sender left out is as good in WordPress's way of writing it.
  const asked = document.slug === undefined && !post.slug.startsWith('galley-') ? others : sent
  const stored = { ...filled, post }
  requireStored(site.name, stored, ledger.now())
  warnings.push(
    ...droppedMembers(site.name, sent, post),
    ...(await nameReplacedTerms(site, { sent, post, warnings: verifyFill(asked, post) })),
    ...(sent.content === undefined ? [] : partialLossWarnings(site.name, sent.content, post.content)),
    ...contentAlteredWarning(site.name, stored),
    ...foreignUrlWarning(site, post),
    ...emptyRequiredFields(site, post),
  )
}

/** The code of what is said of a field that WordPress did not store. */
export const droppedCode = (member: string): WarningCode => `${fieldOfMember(member)}_dropped`

const droppedMembers = (site: string, { members = {} }: PostFields, post: PostRecord): Warning[] =>
  Object.entries(members)
    .filter(([name, asked]) => !isSameMember(name, asked, post.members[name]))
    .map(([name]) => droppedWarning(name, `WordPress on ${site} did not store`))

export function droppedWarning(member: string, happened: string): Warning {
  const { dropped = 'A plugin there decides about it.' } = postFields[fieldOfMember(member)]
  return {
    code: droppedCode(member),
    message: `${happened} the “${nameOfMember(member)}” of the document. ${dropped}`,
  }
}

/** The answer, or a fresh look where it lacks something or shows two statuses, as a cache does. Null where deleted. */
async function readStoredPost({ site, postType }: Delivering, answer: PostRecord, sent: PostFields) {
  if (
    !answer.movedOn &&
    missingText(sent.content ?? '', answer.content) === null &&
    (sent.status ?? answer.status) === answer.status
  )
    return answer
  return getPost(site.client, { postType, id: answer.id, members: Object.keys(sent.members ?? {}) })
}

/** Of the words that were sent, at least this share must stand: kses takes tags away, and plugins a sentence or two. */
const MIN_WORD_SHARE = 0.5

/**
 * Proves that a filled post is what was asked for: its text, its pictures and its status.
 * @throws GalleyError held: `text_missing`, `pictures_missing`, `not_published`, `published_early`
 */
function requireStored(site: string, { sent, before, post, refusal }: FilledPost, now: Date): void {
  const missing = missingText(sent.content ?? '', post.content)
  if (missing !== null && post.lacks.includes('content'))
    throw heldError(
      'text_missing',
      `WordPress on ${site} saved post ${post.id}, and shows no text of it over the REST API, so Galley cannot tell whether it is there. Either a plugin hides it: let that plugin show the texts of posts to users who may edit them. Or posts of this type have no text: choose another post_type in the site's settings. Then retry this delivery.`,
    )
  if (missing !== null && arrivedEmpty({ sent, before, post }))
    throw heldError(
      'text_missing',
      `WordPress on ${site} says that it saved post ${post.id}, but the post is as it was: nothing of what was sent reached it. Its server, or something in front of it, lets requests through without their body. Ask the host why, and name the size of the document: a limit for requests is the usual reason. Then retry this delivery.`,
    )
  if (missing !== null)
    throw heldError(
      missing,
      missing === 'text_missing'
        ? `WordPress on ${site} saved post ${post.id}, but little or nothing of its text is there. A plugin that filters or caches posts usually causes that: turn it off for posts written over the REST API, then retry this delivery.`
        : `WordPress on ${site} saved post ${post.id}, but none of the pictures in its text are there. A plugin that filters posts usually causes that: turn it off for posts written over the REST API, then retry this delivery.`,
    )
  const unpublished = isBeyondReview(sent.status ?? 'draft') && !isBeyondReview(post.status)
  if (unpublished && refusal !== undefined)
    throw heldError(
      'not_published',
      `Post ${post.id} on ${site} stays “${post.status}” though it was to be published. ${refusalText(refusal)} See to that in WordPress and publish the post there, or retry this delivery.`,
    )
  if (unpublished)
    throw heldError(
      'not_published',
      `WordPress on ${site} saved post ${post.id} as “${post.status}” though it was asked to publish it. A plugin there that checks posts before they are published is the usual reason${post.featuredMedia === 0 ? '; the post has no featured image, which such plugins often ask for' : ''}. Open the post in WordPress to see what it asks for, then publish it there, or retry this delivery.`,
    )
  const kept = sent.status ?? before.status
  const at = sent.members?.date_gmt
  if (
    kept === 'future' &&
    post.status === 'publish' &&
    at !== undefined &&
    Date.parse(`${at}Z`) > now.getTime()
  )
    throw heldError(
      'published_early',
      `WordPress on ${site} published post ${post.id} at once, though it was scheduled for ${at} (UTC). Its clock may be wrong, or a plugin there publishes posts by itself: make the post a draft again in WordPress if it must not be public yet.`,
    )
  if (isUnpublished(kept) && (post.status === 'publish' || post.status === 'future'))
    throw heldError(
      'published_early',
      `WordPress on ${site} ${post.status === 'future' ? 'scheduled' : 'published'} post ${post.id} though it was to stay “${kept}”. A plugin there publishes posts by itself: make the post a draft again in WordPress if it must not be public, and exclude Galley’s posts from that plugin.`,
    )
}

/** Whether a post that should have changed in text and slug has neither: a plugin that filters texts leaves slugs alone. */
const arrivedEmpty = ({ sent, before, post }: FilledPost): boolean =>
  sent.slug !== undefined &&
  sent.slug !== before.slug &&
  post.slug === before.slug &&
  post.content === before.content

/** Whoever reads a plugin's own words needs none about rights, which many plugins answer as though they lacked. */
function refusalText(refusal: GalleyError): string {
  const said = wordPressMessage(refusal)
  return said === undefined
    ? failureTextOf(refusal).happened
    : `A plugin there refuses that: “${trimEndOf(said, '. ')}”.`
}

const isUnpublished = (status: PostRecord['status']): boolean =>
  ['draft', 'pending', 'private'].includes(status)

function missingText(sent: string, stored: string): 'text_missing' | 'pictures_missing' | null {
  if (sent === stored) return null
  const wanted = visibleWords(sent)
  if (wanted.length > 0 && commonWords(wanted, visibleWords(stored)) < wanted.length * MIN_WORD_SHARE)
    return 'text_missing'
  return sent.includes('<img ') && !stored.includes('<img') ? 'pictures_missing' : null
}

/** Share of the words that may go without a warning, and how many at least: filters write `&` as a word, or make one of two. */
const TOLERATED_LOSS = { share: 0.02, words: 3 }

function partialLossWarnings(site: string, sent: string, stored: string): Warning[] {
  if (sent === stored) return []
  const wanted = visibleWords(sent)
  const lost = wanted.length - commonWords(wanted, visibleWords(stored))
  const pictures = countImages(sent) - countImages(stored)
  const parts = [
    ...(lost >= Math.max(TOLERATED_LOSS.words, wanted.length * TOLERATED_LOSS.share)
      ? [`${lost} of its ${pluralize(wanted.length, 'word')}`]
      : []),
    ...(pictures > 0 ? [`${pictures} of its ${pluralize(countImages(sent), 'picture')}`] : []),
  ]
  if (parts.length === 0) return []
  const message = `The post on ${site} lacks ${parts.join(' and ')}: a plugin or a filter there changed its text as it was saved. Look at the post, and exclude Galley’s posts from that plugin.`
  return [{ code: 'text_incomplete', message }]
}

/** What is said of a post that stands, and that readers or the editor see otherwise than was asked. */
function contentAlteredWarning(site: string, { sent, before, post }: FilledPost): Warning[] {
  const warnings: Warning[] = []
  // A status that stood already was not sent.
  if (sent.status === undefined && post.status !== before.status)
    warnings.push(statusChangedWarning(before.status, post.status))
  if (post.hasPassword && !before.hasPassword && sent.members?.password === undefined)
    warnings.push({
      code: 'password_set',
      message: `A plugin on ${site} has put a password on the post as it was saved: readers see nothing of it without that. Take it off in WordPress if the post is for everybody, and exclude Galley’s posts from that plugin.`,
    })
  if (sent.content?.includes(BLOCK) && post.content !== '' && !post.content.includes(BLOCK))
    warnings.push({
      code: 'blocks_stripped',
      message: `A plugin or a filter on ${site} removes the comments that mark blocks, so the post opens in the editor as one classic block. Switch that filter off for posts over the REST API, or set the site’s format to classic.`,
    })
  return warnings
}

const BLOCK = '<!-- wp:'

const countImages = (markup: string): number => markup.split('<img ').length - 1

function commonWords(wanted: readonly string[], stored: readonly string[]): number {
  const left = new Map<string, number>()
  for (const word of stored) left.set(word, (left.get(word) ?? 0) + 1)
  let found = 0
  for (const word of wanted) {
    const count = left.get(word) ?? 0
    if (count === 0) continue
    left.set(word, count - 1)
    found += 1
  }
  return found
}

/** The warnings of a fill, with what a plugin for languages put in the place of a term. One of the same name is what was asked for. */
async function nameReplacedTerms(
  site: DeliverySite,
  { sent, post, warnings }: { sent: PostFields; post: PostRecord; warnings: readonly Warning[] },
): Promise<Warning[]> {
  const named: Warning[] = []
  for (const warning of warnings) {
    const taxonomy = DROPPED_TERM_CODES[warning.code]
    const found = taxonomy && (await findReplacedTerms(site, taxonomy, sent[taxonomy], post[taxonomy]))
    if (found !== 'same') named.push(found ?? warning)
  }
  return named
}

const DROPPED_TERM_CODES: Readonly<Record<string, Taxonomy>> = {
  categories_dropped: 'categories',
  tags_dropped: 'tags',
}

const MAX_NAMED_TERMS = 20

async function findReplacedTerms(
  { name, client }: DeliverySite,
  taxonomy: Taxonomy,
  asked: readonly number[] = [],
  stands: readonly number[] = [],
): Promise<Warning | 'same' | null> {
  const missing = asked.filter((id) => !stands.includes(id)).slice(0, MAX_NAMED_TERMS)
  const instead = stands.filter((id) => !asked.includes(id)).slice(0, MAX_NAMED_TERMS)
  if (instead.length === 0) return null
  try {
    const names = await fetchTermNames(client, { taxonomy, ids: [...missing, ...instead] })
    const nameOf = (id: number) => names.get(id) ?? String(id)
    const stand = instead.map(nameOf)
    if (missing.every((id) => stand.some((name) => isSameTermName(name, nameOf(id))))) return 'same'
    const list = (ids: readonly number[]) => ids.map((id) => `“${truncateLine(nameOf(id), 200)}”`).join(', ')
    return {
      code: `${taxonomy}_replaced`,
      message: `The post has the ${taxonomy} ${list(instead)} instead of ${list(missing)}: a plugin on ${name} exchanged them, as Polylang does with terms of another language than the post’s. If the site has several languages, name that of the documents in its settings (language).`,
    }
  } catch (error) {
    // The post stands, and what it lacks is said by number.
    if (error instanceof GalleyError) return null
    throw error
  }
}

/** Fields that WordPress makes an editor fill in before saving. It asks that of nobody who writes over the REST API. */
function emptyRequiredFields(
  { name, requiredFields }: Pick<DeliverySite, 'name' | 'requiredFields'>,
  { id, emptyFields }: PostRecord,
): Warning[] {
  const empty = requiredFields.filter((field) => emptyFields.includes(field))
  if (empty.length === 0) return []
  return [
    {
      code: 'required_fields_empty',
      message: `Post ${id} on ${name} has nothing in ${empty.join(', ')}, which Advanced Custom Fields requires of editors: a document has nothing to put there. Fill that in in WordPress, or give the field a default value.`,
    },
  ]
}
