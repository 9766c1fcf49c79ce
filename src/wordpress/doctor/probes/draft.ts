import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { fillPost } from '../../posts/index.ts'
import type { SeoField } from '../../schema/index.ts'
import type { PostRecord } from '../../types.ts'
import { fromFailure, ok, problem, warning } from '../finding.ts'
import type { Finding } from '../types.ts'
import { type NewDraft, newDraft } from './new-draft.ts'
import { allBlocks, plainText, type SampleBlock, sampleBlocks } from './sample.ts'
import { type LeftBehind, PROBE_TITLE, removeDraft } from './temporary.ts'

interface Probe {
  postType: string
  marker: string
  /** A key of `meta` that is to take the description for search engines. */
  seoField?: SeoField | null
}

interface DraftResult {
  /** Of the markup, and of what the site makes of requests and slugs. */
  findings: Finding[]
  /** What the user may do with it (`publish`, `create-tags`, …), and its status; `null` where there was none to ask of. */
  draft: Pick<PostRecord, 'actions' | 'status'> | null
  /** What the site said to the field for search engines; `null` where it took it, or has none. */
  metaRefusal: GalleyError | null
  leftBehind: LeftBehind
}

/**
 * Writes a harmless draft with every kind of block, and removes it: proves the right to write, asks for the
 * others, and finds what a firewall dislikes.
 */
export async function probeDraft(
  client: WordPressClient,
  { postType, marker, seoField = null }: Probe,
): Promise<DraftResult> {
  let metaRefusal: GalleyError | null = null
  const findings: Finding[] = []
  const others: LeftBehind = []
  let draft: PostRecord | null = null
  try {
    const made = await newDraft(client, { postType, marker })
    draft = made.draft
    const { id } = draft
    const second = await probeSecond(client, { postType, marker: `${marker}-second` }, id)
    findings.push(second.finding, checkSlug(made, marker), checkStatus(draft))
    others.push(...second.leftBehind)
    findings.push(await writeBlocks((content) => fillPost(client, { postType, id, fields: { content } })))
    if (seoField !== null) metaRefusal = await refusalOf(client, { postType, id, seoField })
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    findings.push(fromFailure('block_markup', error, 'Nothing can be delivered.'))
  }
  const leftBehind = await removeDraft(client, { postType, marker, id: draft?.id })
  return { findings, draft, metaRefusal, leftBehind: [...others, ...leftBehind] }
}

/** WordPress saves a post and then refuses a field that was registered without `auth_callback`. */
async function refusalOf(
  client: WordPressClient,
  { postType, id, seoField }: { postType: string; id: number; seoField: SeoField },
): Promise<GalleyError | null> {
  const fields = { meta: { [seoField.key]: PROBE_TITLE } }
  const written = await attempt(() => fillPost(client, { postType, id, fields }), '')
  return written instanceof GalleyError ? written : null
}

/** Two creations must make two posts: a plugin that caches answers to POST gives the first one's for the second. */
async function probeSecond(
  client: WordPressClient,
  { postType, marker }: Probe,
  firstId: number,
): Promise<{ finding: Finding; leftBehind: LeftBehind }> {
  const { id } = (await newDraft(client, { postType, marker })).draft
  if (id === firstId) return { finding: answersCached(), leftBehind: [] }
  const finding = ok(
    'own_answers',
    'Two new drafts got two numbers.',
    'No cache answers in WordPress’s place.',
  )
  return { finding, leftBehind: await removeDraft(client, { postType, marker, id }) }
}

const answersCached = (): Finding =>
  problem(
    'own_answers',
    'Two requests for a new draft got the same answer: something on the site caches answers of the REST API.',
    'Documents would be mixed up, so Galley holds them instead of trusting such answers.',
    'Exclude /wp-json/ from what the caching plugin, the web server or the CDN keeps (WP REST API Cache: switch it off), then check again.',
  )

/** Slugs are how Galley finds a post again whose answer was lost. */
function checkSlug({ draft: { slug }, crashesOnSlugs }: NewDraft, marker: string): Finding {
  if (slug !== marker)
    return warning(
      'slugs',
      slug === ''
        ? 'A plugin takes the slug from a draft.'
        : `A plugin changes the slug that a draft is given (it became “${slug}”).`,
      'A post whose answer is lost is found again by its title and time only, which is less certain; and documents do not get the slug they ask for.',
      'Switch off the plugin that rewrites slugs on saving (such as Regenerate Post Slug), or let it leave drafts alone.',
    )
  if (crashesOnSlugs)
    return warning(
      'slugs',
      'A plugin crashes over a new draft that has a slug.',
      'Drafts are made without one, and get theirs once they are there: each takes the site a crash and two requests more.',
      'Nothing needs to be done. VIP Workflow is known to do this: switch it off where it is not used.',
    )
  return ok(
    'slugs',
    'A draft keeps the slug that it is given.',
    'A post whose answer is lost is found again by it.',
  )
}

/** Plugins for editorial workflows let posts begin in statuses of their own. */
const checkStatus = ({ status }: PostRecord): Finding =>
  status === 'draft'
    ? ok('statuses', 'A draft stays a draft.', 'Posts arrive in the status that they are meant to have.')
    : warning(
        'statuses',
        `A plugin turns a draft into “${status}”.`,
        'Documents that are to be drafts arrive in that status, with a warning; those that are to be published are.',
        'Nothing needs to be done; Edit Flow, VIP Workflow and PublishPress Statuses are known to do this.',
      )

type Write = (content: string) => Promise<{ content: string }>

async function writeBlocks(write: Write): Promise<Finding> {
  const written = await attempt(write, allBlocks)
  if (written instanceof GalleyError) return dislike(written, write)
  const lost = lostOf(written.content)
  if (lost !== null) {
    return problem(
      'block_markup',
      `A draft with every kind of block was stored without ${lost}: a plugin or a filter removes it.`,
      'Documents whose text or pictures do not arrive are held.',
      'Find the plugin that changes what is saved, and let it leave posts over the REST API alone.',
    )
  }
  if (!written.content.includes('<!-- wp:paragraph -->')) {
    return problem(
      'block_markup',
      'The site removes the comments that mark blocks.',
      'Posts open as one classic block, without headings and tables of their own.',
      'Find the plugin that strips comments from posts, or set this site to classic markup.',
    )
  }
  return ok(
    'block_markup',
    'A draft with every kind of block was stored, and removed again.',
    'Nothing on the way blocks post markup.',
  )
}

/** What of the sample a site has dropped, whatever it made of the markup around it. */
function lostOf(content: string): string | null {
  if (WORDS.some((word) => !content.includes(word))) return 'most of its text'
  return content.includes('<img') ? null : 'its picture'
}

/** Of the first block, of one in the middle, and of the last. */
const WORDS = ['connection', 'An item', 'SELECT name FROM users']

/** Looks for the smallest block that is refused. */
async function dislike(refusal: GalleyError, write: Write): Promise<Finding> {
  if ((await attempt(write, plainText)) instanceof GalleyError) {
    return fromFailure(
      'block_markup',
      refusal,
      'Nothing can be delivered: every text is refused, even a plain one.',
    )
  }
  const refused: SampleBlock[] = []
  for (const [name, markup] of Object.entries(sampleBlocks) as [SampleBlock, string][]) {
    if ((await attempt(write, markup)) instanceof GalleyError) refused.push(name)
  }
  const all = refused.length === Object.keys(sampleBlocks).length
  const which = all
    ? 'every block: the comment <!-- wp: itself is blocked'
    : `these blocks: ${refused.join(', ')}`
  return fromFailure(
    'block_markup',
    refusal,
    refused.length === 0
      ? 'Documents may be refused: each kind of block is accepted by itself, but not all of them together.'
      : `Documents with ${which} cannot be delivered. Plain text passes.`,
  )
}

async function attempt(write: Write, content: string): Promise<Awaited<ReturnType<Write>> | GalleyError> {
  try {
    return await write(content)
  } catch (error) {
    if (error instanceof GalleyError) return error
    throw error
  }
}
