import { decodeHTML } from 'entities'
import type { GalleyError, Warning } from '../../errors.ts'
import { counted, withoutEnd } from '../../text.ts'
import { failureTextOf, saidIn } from '../../wordpress/failures/index.ts'
import { statusChanged } from '../../wordpress/posts/index.ts'
import type { PostFields, PostRecord } from '../../wordpress/types.ts'
import { held } from '../conflicts/holds.ts'

/** Of the words that were sent, at least this share must stand: kses takes tags away, and plugins a sentence or two. */
const LEAST_WORDS = 0.5

/**
 * Proves that a filled post is what was asked for: its text, its pictures and its status. What WordPress dropped in the
 * small is a warning (`verifyFill`); where little or nothing stands, the post is not delivered.
 *
 * @throws GalleyError held: `text_missing`, `pictures_missing`, `not_published`, `published_early`
 */
export function requireStored(
  site: string,
  {
    sent,
    before,
    post,
    refusal,
  }: { sent: PostFields; before: PostRecord; post: PostRecord; refusal?: GalleyError | undefined },
): void {
  const missing = missingText(sent.content ?? '', post.content)
  if (missing !== null && post.lacks.includes('content'))
    throw held(
      'text_missing',
      `WordPress on ${site} saved post ${post.id}, and shows no text of it over the REST API, so Galley cannot tell whether it is there. Either a plugin hides it: let that plugin show the texts of posts to users who may edit them. Or posts of this type have no text: choose another post_type in the site's settings. Then retry this delivery.`,
    )
  if (missing !== null && arrivedEmpty({ sent, before, post }))
    throw held(
      'text_missing',
      `WordPress on ${site} says that it saved post ${post.id}, but the post is as it was: nothing of what was sent reached it. Its server, or something in front of it, lets requests through without their body. Ask the host why, and name the size of the document: a limit for requests is the usual reason. Then retry this delivery.`,
    )
  if (missing !== null)
    throw held(
      missing,
      missing === 'text_missing'
        ? `WordPress on ${site} saved post ${post.id}, but little or nothing of its text is there. A plugin that filters or caches posts usually causes that: turn it off for posts written over the REST API, then retry this delivery.`
        : `WordPress on ${site} saved post ${post.id}, but none of the pictures in its text are there. A plugin that filters posts usually causes that: turn it off for posts written over the REST API, then retry this delivery.`,
    )
  const unpublished = sent.status === 'publish' && post.status !== 'publish' && post.status !== 'future'
  if (unpublished && refusal !== undefined)
    throw held(
      'not_published',
      `Post ${post.id} on ${site} stays “${post.status}” though it was to be published. ${refusedBy(refusal)} See to that in WordPress and publish the post there, or retry this delivery.`,
    )
  if (unpublished)
    throw held(
      'not_published',
      `WordPress on ${site} saved post ${post.id} as “${post.status}” though it was asked to publish it. A plugin there that checks posts before they are published is the usual reason${post.featuredMedia === 0 ? '; the post has no featured image, which such plugins often ask for' : ''}. Open the post in WordPress to see what it asks for, then publish it there, or retry this delivery.`,
    )
  const kept = sent.status ?? before.status
  if (isKept(kept) && (post.status === 'publish' || post.status === 'future'))
    throw held(
      'published_early',
      `WordPress on ${site} ${post.status === 'future' ? 'scheduled' : 'published'} post ${post.id} though it was to stay “${kept}”. A plugin there publishes posts by itself: make the post a draft again in WordPress if it must not be public, and exclude Galley’s posts from that plugin.`,
    )
}

/** Whether a post that should have changed in text and slug has neither: a plugin that filters texts leaves slugs alone. */
const arrivedEmpty = ({
  sent,
  before,
  post,
}: {
  sent: PostFields
  before: PostRecord
  post: PostRecord
}): boolean =>
  sent.slug !== undefined &&
  sent.slug !== before.slug &&
  post.slug === before.slug &&
  post.content === before.content

/** Whoever reads a plugin's own words needs none about rights, which many plugins answer as though they lacked. */
function refusedBy(refusal: GalleyError): string {
  const said = saidIn(refusal)
  return said === undefined
    ? failureTextOf(refusal).happened
    : `A plugin there refuses that: “${withoutEnd(said, '. ')}”.`
}

/** Whether a post of this status is to be shown to nobody yet. */
const isKept = (status: PostRecord['status']): boolean => status === 'draft' || status === 'pending'

/** What is missing of a text: most of its words, or every one of its pictures. Null where it stands. */
export function missingText(sent: string, stored: string): 'text_missing' | 'pictures_missing' | null {
  if (sent === stored) return null
  const wanted = wordsOf(sent)
  if (wanted.length > 0 && shared(wanted, wordsOf(stored)) < wanted.length * LEAST_WORDS)
    return 'text_missing'
  return sent.includes('<img ') && !stored.includes('<img') ? 'pictures_missing' : null
}

/** Share of the words that may go without a warning, and how many at least: filters write `&` as a word, or make one of two. */
const LOST = { share: 0.02, words: 3 }

/** What is said of a post whose text stands, though not all of it. */
export function lostInPart(site: string, sent: string, stored: string): Warning[] {
  if (sent === stored) return []
  const wanted = wordsOf(sent)
  const lost = wanted.length - shared(wanted, wordsOf(stored))
  const pictures = picturesIn(sent) - picturesIn(stored)
  const parts = [
    ...(lost >= Math.max(LOST.words, wanted.length * LOST.share)
      ? [`${lost} of its ${counted(wanted.length, 'word')}`]
      : []),
    ...(pictures > 0 ? [`${pictures} of its ${counted(picturesIn(sent), 'picture')}`] : []),
  ]
  if (parts.length === 0) return []
  const message = `The post on ${site} lacks ${parts.join(' and ')}: a plugin or a filter there changed its text as it was saved. Look at the post, and exclude Galley’s posts from that plugin.`
  return [{ code: 'text_incomplete', message }]
}

/** What is said of a post that stands, and that readers or the editor see otherwise than was asked. */
export function seenOtherwise(
  site: string,
  { sent, before, post }: { sent: PostFields; before: PostRecord; post: PostRecord },
): Warning[] {
  const warnings: Warning[] = []
  // A status that stood already was not sent.
  if (sent.status === undefined && post.status !== before.status)
    warnings.push(statusChanged(before.status, post.status))
  if (post.hasPassword && !before.hasPassword)
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

/** As every block begins. */
const BLOCK = '<!-- wp:'

const picturesIn = (markup: string): number => markup.split('<img ').length - 1

/** How many of `wanted` are among `stored`, each counted as often as it stands in both. */
function shared(wanted: readonly string[], stored: readonly string[]): number {
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

/** Words of the text that a reader sees. Each part after a `<` begins with a tag, up to its `>`. */
const wordsOf = (markup: string): string[] =>
  decodeHTML(
    markup
      .split('<')
      .map((part, index) => (index === 0 ? part : part.slice(part.indexOf('>') + 1)))
      .join(' '),
  ).match(/[\p{L}\p{N}]+/gu) ?? []
