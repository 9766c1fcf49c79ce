import { createHash } from 'node:crypto'
import { decodeHTML } from 'entities'
import { nameOfMember } from '../contract/post-fields.ts'
import { comparableText, excerpt, stripTags } from '../lib/text.ts'
import type { WordPressClient } from '../wordpress/client/client.ts'
import { getPost } from '../wordpress/posts/find.ts'
import { passwordFingerprint } from '../wordpress/records.ts'
import type { PostFields, PostMembers, PostRecord, PostStatus } from '../wordpress/types.ts'
import type { DeliveryRow, MergeDecision, PostText, RequestedFields, Snapshot } from './ledger/state.ts'

/** What a person has asked to do with what was changed of the very post that this delivery has. */
export function decisionOf({
  answered,
  site_id,
  post_id,
}: DeliveryRow): 'overwrite' | 'status_only' | MergeDecision | undefined {
  const decided = answered?.overwrite
  if (decided?.siteId !== site_id || decided.postId !== post_id || decided.undo) return undefined
  if (decided.merge) return decided.merge
  return decided.statusOnly ? 'status_only' : 'overwrite'
}

/** Whether a person has asked to write over it. */
export const overwriteAllowed = (row: DeliveryRow): boolean => decisionOf(row) === 'overwrite'

/** What of WordPress's answer is kept, to tell a person's change from our own. */
export const snapshotOf = (post: PostRecord): Snapshot => ({
  title: post.title,
  content: post.content,
  excerpt: post.excerpt,
  footnotes: post.footnotes,
  categories: post.categories,
  tags: post.tags,
  featuredMedia: post.featuredMedia,
  slug: post.slug,
  status: post.status,
  modifiedGmt: post.modifiedGmt,
})

/** A request that filled a post, or would have changed nothing of it. */
export interface FillResult {
  sent: PostFields
  before: PostRecord
  post: PostRecord
}

const TEXT = ['title', 'content', 'excerpt', 'footnotes'] as const
const IDS = ['categories', 'tags', 'featuredMedia'] as const

/** @param field of a post, or of a change */
export const isTextField = (field: string): boolean => TEXT.some((name) => name === field)

const FIELDS = [...TEXT, ...IDS, 'slug', 'status'] as const

/**
 * WordPress’s answer to a fill, but for what a person had changed and Galley did not: of that what Galley left there last stays, so that
 * it is a person’s for every later version too.
 */
export function mergeSnapshot(left: Snapshot | null, { sent, before, post }: FillResult): Snapshot {
  const now = withMembers(snapshotOf(post), { ...left?.members, ...pickMembers(post, sent.members) })
  if (left === null) return now
  const { base } = left.asked ?? left
  const theirs = FIELDS.filter(
    (field) => sent[field] === undefined && !isUnchanged(field, left[field], before),
  )
  const unchanged = theirs.map((field) => [field, field === 'status' ? null : left[field]])
  return { ...now, ...Object.fromEntries(unchanged), ...(base && { base }) }
}

/** What of the last fill stands though no answer came. */
interface Unacknowledged {
  /** Its text, and so all of it: it was one request. */
  text: boolean
  /** Nobody can have known the post before: what it has besides, WordPress and its plugins have made of it. */
  first: boolean
}

/** What WordPress would have answered to the last fill, as far as it stands, if at all; learned before anything is sent. */
export function snapshotUnacknowledged(
  left: Snapshot,
  post: PostRecord,
  { text, first }: Unacknowledged,
): Snapshot | null {
  const { asked: requested = {}, base: baseBefore, ...acknowledged } = left
  const certain: ReadonlySet<string> = new Set(text ? [...TEXT, 'slug', ...(first ? IDS : [])] : [])
  const members = Object.entries(requested.members ?? {}).filter(
    ([name, asked]) =>
      isSameMember(name, asked, post.members[name]) && acknowledged.members?.[name] !== post.members[name],
  )
  const learned = FIELDS.filter(
    (field) =>
      (certain.has(field) ||
        (field in requested &&
          isUnchanged(field, requested[field as keyof Omit<RequestedFields, 'members' | 'base'>], post))) &&
      !sameValue(acknowledged[field], post[field]),
  )
  if (learned.length + members.length === 0) return null
  const base = text ? requested.base : baseBefore
  return withMembers(
    {
      ...acknowledged,
      ...Object.fromEntries(learned.map((field) => [field, post[field]])),
      ...(base && { base }),
    },
    { ...acknowledged.members, ...pickMembers(post, Object.fromEntries(members)) },
  )
}

const withMembers = (snapshot: Snapshot, members: PostMembers): Snapshot =>
  Object.keys(members).length === 0 ? snapshot : { ...snapshot, members }

const pickMembers = ({ members }: PostRecord, named: PostMembers = {}): PostMembers =>
  Object.fromEntries(Object.keys(named).map((name) => [name, members[name] ?? null]))

/** The members that a look at a post has to show: what Galley left there, or sent without an answer. */
export const rememberedMembers = (answered: Snapshot | null): string[] =>
  Object.keys({ ...answered?.members, ...answered?.asked?.members })

/** Whether a member stands as it was asked for. Plugins write numbers as text, and ids in an order of their own. */
export function isSameMember(name: string, asked: unknown, stands: unknown): boolean {
  const isPassword = name === 'password'
  const a = isPassword && asked ? passwordFingerprint(String(asked)) : asked
  const b = stands ?? (isPassword ? '' : null)
  if (Array.isArray(a) && Array.isArray(b)) return sameIds(a, b)
  return comparableText(a) === comparableText(b)
}

type FieldValue = string | number | readonly number[] | null | undefined

/** Whether a field is as Galley left it, or as WordPress makes it of that by itself: a scheduled post is public one day. */
export const isUnchanged = (field: (typeof FIELDS)[number], ours: FieldValue, post: PostRecord): boolean =>
  sameValue(ours, post[field]) || (field === 'status' && ours === 'future' && post.status === 'publish')

const sameValue = (a: FieldValue, b: FieldValue): boolean =>
  Array.isArray(a) && Array.isArray(b) ? sameIds(a, b) : (a ?? null) === (b ?? null)

/** One field that a person has changed: an excerpt of what Galley left there and of what stands there now. */
export interface ChangedField {
  field: string
  galley: string
  site: string
}

/** What a person has changed of the text since `before`. */
export const changedText = (before: Snapshot, now: PostRecord): ChangedField[] =>
  TEXT.map((field) => ({ field, ours: before[field] ?? '', theirs: now[field] ?? '' }))
    .filter(({ ours, theirs }) => ours !== theirs)
    .map(({ field, ours, theirs }) => ({ field, ...difference(ours, theirs) }))

/**
 * What a person has changed since `before` besides the text, of that which `wanted` would set otherwise. Not status and slug: drafts
 * are there to be published. Nor sticky of a post that nobody saved: of two posts saved at once WordPress may lose that of one.
 */
export function changedTermsAndImage(before: Snapshot, now: PostRecord, wanted: PostFields): ChangedField[] {
  const members = Object.entries(before.members ?? {}).flatMap(([name, left]) => {
    const [asked, stands] = [wanted.members?.[name], now.members[name] ?? null]
    if (asked === undefined || isSameValue(left, stands) || isSameMember(name, asked, stands)) return []
    if (name === 'sticky' && before.modifiedGmt === now.modifiedGmt) return []
    return [{ field: nameOfMember(name), galley: shownMember(name, left), site: shownMember(name, stands) }]
  })
  const others = IDS.flatMap((name) => {
    const [asked, galley, site] = [wanted[name], [before[name]].flat(), [now[name]].flat()]
    if (asked === undefined || sameIds(galley, site)) return []
    const wantedIds = [asked].flat()
    if (sameIds(wantedIds, site) || hasOnlyGained(galley, site, wantedIds)) return []
    const field = name === 'featuredMedia' ? 'featured image' : name
    return [{ field, galley: galley.join(', '), site: site.join(', ') }]
  })
  return [...others, ...members]
}

/** Whether a site still has all that was left there, and has gained only what is wanted: WordPress adds terms one by one. */
const hasOnlyGained = (
  left: readonly unknown[],
  site: readonly unknown[],
  wanted: readonly unknown[],
): boolean =>
  left.every((id) => site.includes(id)) && site.every((id) => left.includes(id) || wanted.includes(id))

const isSameValue = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const shownMember = (name: string, value: unknown): string => {
  if (name === 'password') return value === null ? '' : '•••'
  return excerpt(typeof value === 'string' ? value : JSON.stringify(value ?? ''), EXCERPT_LENGTH)
}

export const sameIds = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && inOrder(a) === inOrder(b)

const inOrder = (ids: readonly unknown[]): string => ids.map(comparableText).sort().join()

/** Characters shown of each side, and how many of them lead up to the first one that differs. */
const EXCERPT_LENGTH = 120
const CONTEXT_LENGTH = 30

function difference(ours: string, theirs: string): Pick<ChangedField, 'galley' | 'site'> {
  let same = 0
  while (same < ours.length && ours[same] === theirs[same]) same += 1
  const around = (text: string) => {
    const from = Math.max(0, same - CONTEXT_LENGTH)
    const shown = text.slice(from, from + EXCERPT_LENGTH)
    return `${from > 0 ? '…' : ''}${shown}${from + EXCERPT_LENGTH < text.length ? '…' : ''}`
  }
  return { galley: around(ours), site: around(theirs) }
}

/**
 * Identifies the text of a post, sent or stored: kses rewrites without changing the meaning (docs/wordpress.md), so that stored bytes are
 * never compared with sent bytes.
 */
export function textHash({ title, content, excerpt, footnotes }: PostText): string {
  const neutral = [title, content, excerpt, ...(footnotes ? [footnotes] : [])].map(withoutKsesTraces)
  return createHash('sha256').update(JSON.stringify(neutral)).digest('hex')
}

/** Whether a text was stored as it was sent, but for what kses rewrites. */
export const isSameText = (stored: string, sent: string): boolean =>
  withoutKsesTraces(stored) === withoutKsesTraces(sent)

export const withoutKsesTraces = (text: string): string =>
  decodeHTML(text).replaceAll(' />', '/>').replaceAll('\r\n', '\n').trim()

/** Whether neither the title nor the address is what it was: a person wrote the post anew, or it is another one. */
export const isRenamed = (before: Snapshot, now: PostRecord): boolean =>
  (['title', 'slug'] as const).every((field) => before[field] === '' || before[field] !== now[field])

/** Characters of a line that two posts are not likely to share, as they do “Conclusion”. */
const MIN_LINE_LENGTH = 40

/** Whether of the text of `before` no telling line is left, nor half of all its lines. */
export function sharesNoLine(before: Snapshot, now: PostRecord): boolean {
  if (before.content !== '' && before.content === now.content) return false
  const is = new Set(longLines(now.content))
  const was = longLines(before.content)
  const left = was.filter((line) => is.has(line))
  return (
    !left.some(({ length }) => length >= MIN_LINE_LENGTH) &&
    (left.length === 0 || left.length * 2 < was.length)
  )
}

/** Whether most of the text of `before` is left: whoever has changed it has changed that very text. */
export function keepsMostLines(before: Pick<Snapshot, 'content'>, now: Pick<PostRecord, 'content'>): boolean {
  const is = new Set(longLines(now.content))
  const was = longLines(before.content)
  return was.filter((line) => is.has(line)).length * 2 > was.length
}

const longLines = (markup: string): string[] =>
  stripTags(markup)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The text of a post as it stands on its site now; null where it was deleted. */
export async function readCurrentText(
  client: WordPressClient,
  { postType, postId }: { postType: string; postId: number },
): Promise<(PostText & { status: PostStatus }) | null> {
  const post = await getPost(client, { postType, id: postId })
  if (post === null) return null
  const { title, content, excerpt, footnotes, status } = post
  return { title, content, excerpt, footnotes, status }
}
