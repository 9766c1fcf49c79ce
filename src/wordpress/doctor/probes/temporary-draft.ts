import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import {
  deletePost,
  fillPost,
  findPostsByMarker,
  getPost,
  isDerivedTitle,
  isPlaceholderContent,
  reservePost,
} from '../../posts/index.ts'
import { readPostTypes } from '../../schema.ts'
import type { PostRecord } from '../../types.ts'
import { type Leftover, removeOrReport, unrecognisedLeftover } from './leftovers.ts'

/**
 * One of each kind of block, with the things in them that firewalls dislike. What is shown here is markup as
 * the block editor saves it; the code is what a document about programming may well have in it.
 */
export const sampleBlocks = {
  paragraph:
    '<!-- wp:paragraph -->\n<p>A <strong>connection</strong> <em>check</em>.</p>\n<!-- /wp:paragraph -->',
  link: '<!-- wp:paragraph -->\n<p><a href="https://example.com/?a=1&amp;b=2">A link</a></p>\n<!-- /wp:paragraph -->',
  heading:
    '<!-- wp:heading {"level":3} -->\n<h3 class="wp-block-heading">A heading</h3>\n<!-- /wp:heading -->',
  list: '<!-- wp:list -->\n<ul class="wp-block-list"><!-- wp:list-item -->\n<li>An item</li>\n<!-- /wp:list-item --></ul>\n<!-- /wp:list -->',
  table:
    '<!-- wp:table -->\n<figure class="wp-block-table"><table class="has-fixed-layout"><tbody><tr><td>A cell</td></tr></tbody></table></figure>\n<!-- /wp:table -->',
  quote:
    '<!-- wp:quote -->\n<blockquote class="wp-block-quote"><!-- wp:paragraph -->\n<p>A quote</p>\n<!-- /wp:paragraph --></blockquote>\n<!-- /wp:quote -->',
  image:
    '<!-- wp:image -->\n<figure class="wp-block-image"><img src="https://example.com/picture.png" alt="A picture"/></figure>\n<!-- /wp:image -->',
  audio:
    '<!-- wp:audio -->\n<figure class="wp-block-audio"><audio controls src="https://example.com/audio.mp3"></audio></figure>\n<!-- /wp:audio -->',
  code: '<!-- wp:code -->\n<pre class="wp-block-code"><code>SELECT name FROM users WHERE id = 1; &lt;script&gt;alert(1)&lt;/script&gt;</code></pre>\n<!-- /wp:code -->',
}

export type SampleBlock = keyof typeof sampleBlocks

/** Without block comments: tells a firewall that dislikes those from one that dislikes all writing. */
export const plainSampleText = '<p>A connection check.</p>'

export const allSampleBlocks = Object.values(sampleBlocks).join('\n\n')

/** How the title of every draft begins that a probe makes. */
export const PROBE_TITLE = 'Galley connection check'

/** Of one of them: some plugins refuse two posts with one title. */
export const probeTitle = (marker: string): string => `${PROBE_TITLE} ${marker.slice(-16)}`

interface DraftIdentity {
  postType: string
  marker: string
  /** Where it is known; a failed answer may hide a draft that was made. */
  id: number | undefined
}

/**
 * Takes it away, also where a plugin has made it a post of another type, or answered with another one. Nothing is deleted
 * that is not proven to be that draft.
 */
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

/**
 * Whose the draft is that a creation was answered with: ours where it has our slug or our title; `hidden` where plugins may
 * have rewritten both, and it is a draft without a text; else somebody's, as a cache may answer with a finished post.
 */
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
    const isThere = restBase !== postType && (await postExists(client, { postType: restBase, id }))
    if (isThere) return restBase
  }
  return null
}

/** Types of plugins answer in ways of their own. */
async function postExists(client: WordPressClient, post: { postType: string; id: number }): Promise<boolean> {
  try {
    return (await getPost(client, post)) !== null
  } catch (error) {
    if (error instanceof GalleyError && error.fault !== 'galley') return false
    throw error
  }
}

/** A draft of a probe, and whether a plugin crashes over one that is made with a slug. */
export interface ProbeDraft {
  draft: PostRecord
  crashesOnSlugs: boolean
}

/**
 * Makes a draft as a delivery does: where a plugin crashes over a new draft that has a slug (VIP Workflow) and has left
 * none behind, it is made without, and gets its slug once it is there.
 *
 * @param leftBehind what this leaves when it fails is added to it
 */
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
      const remove = async () => {
        await deletePost(client, { postType, id })
        return []
      }
      leftBehind.push(...(await removeOrReport(`a draft with the title “${wanted.title}”`, remove)))
      throw failed
    }
  }
}
