import { z } from 'zod'
import { blockExamples } from '../../../blocks/index.ts'
import { Reading } from '../../../blocks/read.ts'
import { GalleyError, recoverWith } from '../../../errors.ts'
import { type RenderOptions, renderSettingsSchema } from '../../../render/options.ts'
import { renderDocument } from '../../../render/render.ts'
import { requestParsed, type WordPressClient } from '../../client/client.ts'
import {
  boundedArray,
  idOrZeroSchema,
  idSchema,
  keywordSchema,
  longTextSchema,
  rawTextSchema,
} from '../../fields.ts'
import { deleteMedia } from '../../media/library.ts'
import {
  deletePost,
  findPostsByMarker,
  getPost,
  isDerivedTitle,
  unfinishedStatuses,
} from '../../posts/find.ts'
import { fillPost, isPlaceholderContent, reservePost } from '../../posts/write.ts'
import { type PostSchema, readPostTypes } from '../../schema.ts'
import type { PostRecord } from '../../types.ts'
import { type Leftover, removeOrReport, unrecognisedLeftover } from './leftovers.ts'

/** Without block comments: tells a firewall that dislikes those from one that dislikes all writing. */
export const plainSampleText = '<p>A connection check.</p>'

/** What firewalls dislike of a text, beside the example of each block. */
const disliked = {
  link: { text: 'A link', url: 'https://example.com/?a=1&b=2' },
  code: { type: 'code_block', value: 'SELECT name FROM users WHERE id = 1; <script>alert(1)</script>' },
}

/** The text of a probe's draft, in the markup of the site's deliveries. */
export interface SampleText {
  format: RenderOptions['format']
  /** The markup of each block's example, by the words for it. */
  blocks: ReadonlyMap<string, string>
  /** Leftovers are searched for by the words of its first paragraph. */
  whole: string
}

function sampleTextIn(format: SampleText['format']): SampleText {
  // As every WordPress takes it: what is newer has another form there.
  const options = {
    format,
    media: new Map(),
    settings: renderSettingsSchema.parse({}),
    wordpressVersion: '6.1',
  }
  const markupOf = (wire: unknown): string =>
    renderDocument({ title: '', blocks: new Reading().document([wire]) }, options).markup
  const blocks = new Map(
    [...blockExamples, ...Object.entries(disliked)].map(([type, example]) => [
      type.replaceAll('_', ' '),
      markupOf(example),
    ]),
  )
  return { format, blocks, whole: [markupOf('A connection check.'), ...blocks.values()].join('\n\n') }
}

export const sampleTexts = { block: sampleTextIn('block'), classic: sampleTextIn('classic') }

const isProbeContent = (content: string): boolean =>
  isPlaceholderContent(content) ||
  [
    plainSampleText,
    ...Object.values(sampleTexts).flatMap(({ blocks, whole }) => [whole, ...blocks.values()]),
  ].includes(content.trim())

/** How the marker of everything begins that a probe makes; the id of the check follows. */
export const PROBE_MARKER = 'galley-check-'

export const PROBE_TITLE = 'Galley connection check'

/** Of one of them: some plugins refuse two posts with one title. */
export const probeTitle = (marker: string): string => `${PROBE_TITLE} ${marker.slice(PROBE_MARKER.length)}`

interface DraftIdentity {
  postType: string
  marker: string
  /** Where it is known; a failed answer may hide a draft that was made. */
  id: number | undefined
}

/** Also where a plugin changed its type, or answered with another: deletes only what is proven to be it. */
export function removeDraft(
  client: WordPressClient,
  { postType, marker, id }: DraftIdentity,
): Promise<Leftover[]> {
  return removeOrReport(`a draft with the slug ${marker}`, async () => {
    const known = id === undefined ? null : await getPost(client, { postType, id })
    if (known !== null && (await removeIfProbe(client, postType, marker, known))) return []
    // An answer that names somebody else's may hide that ours was made.
    const found = await findPostsByMarker(client, { postType, marker })
    for (const post of found) await deletePost(client, { postType, id: post.id })
    if (id === undefined || found.length > 0) return []
    if (known !== null) return [unrecognisedLeftover(nameOf(known))]
    const type = await findChangedType(client, { postType, id })
    const moved = type === null ? null : await getPost(client, { postType: type, id })
    if (type === null || moved === null || (await removeIfProbe(client, type, marker, moved))) return []
    return [unrecognisedLeftover(nameOf(moved))]
  })
}

async function removeIfProbe(
  client: WordPressClient,
  postType: string,
  marker: string,
  { id, slug, title }: PostRecord,
): Promise<boolean> {
  if (!isProbeDraft({ slug, title }, marker)) return false
  await deletePost(client, { postType, id })
  return true
}

const nameOf = ({ id, title }: PostRecord): string => `post ${id} (“${title}”)`

const isProbeDraft = ({ slug, title }: Pick<PostRecord, 'slug' | 'title'>, marker: string): boolean =>
  slug.startsWith(marker) || isDerivedTitle(title, probeTitle(marker))

/** Ours by slug or title; `hidden` where plugins may have rewritten both: a draft without a text; else somebody’s, as from a cache. */
export async function draftOwner(
  client: WordPressClient,
  { postType, marker, draft }: { postType: string; marker: string; draft: PostRecord },
): Promise<'ours' | 'hidden' | 'another'> {
  if (isProbeDraft(draft, marker)) return 'ours'
  const look = await getPost(client, { postType, id: draft.id })
  if (look !== null && isProbeDraft(look, marker)) return 'ours'
  return look !== null && look.status === 'draft' && isPlaceholderContent(look.content) ? 'hidden' : 'another'
}

/** Each is a request. */
const MAX_TYPES = 20

/** The type in which a post stands that is none of its own type any more; null where there is none. */
export async function findChangedType(
  client: WordPressClient,
  { postType, id }: { postType: string; id: number },
): Promise<string | null> {
  for (const { restBase } of (await readPostTypes(client)).slice(0, MAX_TYPES)) {
    if (restBase === postType) continue
    // Types of plugins answer in ways of their own.
    const found = await getPost(client, { postType: restBase, id }).catch(
      recoverWith(null, ({ fault }) => fault !== 'galley'),
    )
    if (found !== null) return restBase
  }
  return null
}

/** A draft of a probe, and whether a plugin crashes over one that is made with a slug. */
export interface ProbeDraft {
  draft: PostRecord
  crashesOnSlugs: boolean
}

/** Makes a draft as a delivery does: where a plugin crashes over a new one with a slug, the slug comes later. */
export async function createProbeDraft(
  client: WordPressClient,
  { postType, marker }: { postType: string; marker: string },
  leftBehind: Leftover[],
): Promise<ProbeDraft> {
  const wanted = { postType, title: probeTitle(marker), withActions: true }
  try {
    return { draft: await reservePost(client, { ...wanted, marker }), crashesOnSlugs: false }
  } catch (error) {
    if (!(error instanceof GalleyError && error.code === 'php_fatal_error')) throw error
    if ((await findPostsByMarker(client, { postType, marker })).length > 0) throw error
    const { id, actions, title } = await reservePost(client, { ...wanted, marker: null })
    // Nothing else tells that the answer is not a cache's, about somebody's post.
    if (!isDerivedTitle(title, wanted.title)) throw error
    try {
      const draft = await fillPost(client, { postType, id, fields: { slug: marker } })
      return { draft: { ...draft, actions }, crashesOnSlugs: true }
    } catch (failed) {
      // Nobody would find it by its slug.
      const left = await removeOrReport(`a draft with the title “${wanted.title}”`, async () => {
        await deletePost(client, { postType, id })
      })
      leftBehind.push(...left)
      throw failed
    }
  }
}

/** A draft or a file of some check, as its names show. */
export interface ProbeItem {
  kind: 'draft' | 'file'
  id: number
  /** Of the user who made it; 0 where the site does not say. */
  author: number
  checkId: string
}

const CHECK_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/

/** The id of a check stands in the slug, the title, the name of the file and its alternative text. */
const checkIdIn = (...names: string[]): string | undefined =>
  names
    .flatMap((name) => [PROBE_MARKER, `${PROBE_TITLE} `].map((before) => afterWords(name, before)))
    .map((words) => CHECK_ID.exec(words)?.[0])
    .find((id) => id !== undefined)

const afterWords = (name: string, before: string): string =>
  name.toLowerCase().split(before.toLowerCase())[1] ?? ''

const itemsSchema = boundedArray(
  z.object({
    id: idSchema,
    author: idOrZeroSchema.default(0),
    slug: keywordSchema(600),
    title: rawTextSchema.default(''),
    content: rawTextSchema.default(''),
    source_url: longTextSchema.default(''),
    alt_text: longTextSchema.default(''),
  }),
)

/** Sorted: the newest. More are found by the next check. */
const LISTED = { context: 'edit', orderby: 'id', order: 'desc', per_page: 100 } as const

/** Files of checks in the media library. @throws GalleyError where this user may not list it */
export async function findProbeFiles(client: WordPressClient): Promise<ProbeItem[]> {
  const { value } = await requestParsed(client, itemsSchema, {
    path: '/wp/v2/media',
    query: {
      ...LISTED,
      _fields: 'id,author,slug,title.raw,source_url,alt_text',
      search: PROBE_MARKER,
      status: 'inherit,private,trash',
    },
    doing: 'looking for a file in the media library',
    subject: 'media',
  })
  return value.flatMap(({ id, author, slug, title, source_url, alt_text }) => {
    const checkId = checkIdIn(slug, title, source_url, alt_text)
    return checkId === undefined ? [] : [{ kind: 'file', id, author, checkId }]
  })
}

/** Drafts of checks by this user; none where the site does not list drafts. A person may have made one theirs: left out. */
export async function findProbeDrafts(
  client: WordPressClient,
  { postType, statuses, userId }: { postType: string; userId: number } & Pick<PostSchema, 'statuses'>,
): Promise<ProbeItem[]> {
  const answer = await requestParsed(client, itemsSchema, {
    path: `/wp/v2/${postType}`,
    query: {
      ...LISTED,
      _fields: 'id,author,slug,title.raw,content.raw',
      author: userId,
      // Words of the title, and of the text where a plugin has changed the title.
      search: 'connection check',
      status: unfinishedStatuses(statuses).join() || 'draft',
    },
    doing: 'looking for drafts of earlier checks',
    subject: 'post',
  }).catch(recoverWith(null, ({ fault }) => fault !== 'galley'))
  return (answer?.value ?? []).flatMap(({ id, author, slug, title, content }) => {
    const checkId = checkIdIn(title) ?? (isProbeContent(content) ? checkIdIn(slug) : undefined)
    return checkId === undefined ? [] : [{ kind: 'draft', id, author, checkId }]
  })
}

/** Removes what checks have left that were interrupted by an outage or by the end of their process. */
export async function removeEarlier(client: WordPressClient, postType: string, items: readonly ProbeItem[]) {
  const removed = { drafts: 0, files: 0 }
  const leftBehind: Leftover[] = []
  for (const { kind, id } of items) {
    const left = await removeOrReport(`${kind} ${id} of an earlier check`, async () => {
      if (kind === 'draft') await deletePost(client, { postType, id })
      else await deleteMedia(client, { id })
    })
    if (left.length === 0) removed[kind === 'draft' ? 'drafts' : 'files'] += 1
    leftBehind.push(...left)
  }
  return { removed, leftBehind }
}
