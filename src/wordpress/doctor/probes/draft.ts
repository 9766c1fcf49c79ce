import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { fillPost, getPost } from '../../posts/index.ts'
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
    others.push(...second.leftBehind)
    const empty = await lookOrNothing(client, { postType, id })
    let answered: PostRecord | undefined
    const refused = await writeBlocks(async (content) => {
      answered = await fillPost(client, { postType, id, fields: { content } })
      return answered
    })
    const filled = await lookOrNothing(client, { postType, id })
    const outdated = isOutdated(filled, { empty, answered })
    findings.push(
      outdated ? looksCached() : second.finding,
      checkSlug(made, marker),
      checkStatus(draft, filled),
      refused ?? checkMarkup((outdated ? answered : (filled ?? answered))?.content ?? ''),
    )
    if (seoField !== null) metaRefusal = await refusalOf(client, { postType, id, seoField })
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    findings.push(fromFailure('block_markup', error, 'Nothing can be delivered.'))
  }
  const leftBehind = await removeDraft(client, { postType, marker, id: draft?.id })
  return { findings, draft, metaRefusal, leftBehind: [...others, ...leftBehind] }
}

/** What a new request shows of the draft; null where it is gone, undefined where nobody can tell. */
async function lookOrNothing(
  client: WordPressClient,
  post: { postType: string; id: number },
): Promise<PostRecord | null | undefined> {
  const look = await attempt(() => getPost(client, post), '')
  return look instanceof GalleyError ? undefined : look
}

/** Whether a look shows what stood before the last write, and not what that was answered with. */
const isOutdated = (
  look: PostRecord | null | undefined,
  { empty, answered }: { empty: PostRecord | null | undefined; answered: PostRecord | undefined },
): boolean =>
  Boolean(look && empty && answered) &&
  look?.content === empty?.content &&
  look?.modifiedGmt === empty?.modifiedGmt &&
  look?.content !== answered?.content

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

const looksCached = (): Finding =>
  problem(
    'own_answers',
    'A draft that was changed is shown as it was before: something on the site caches answers of the REST API.',
    'Galley cannot see what people have changed of a post, and may write over it; or it takes its own newer text for theirs, and holds the document.',
    'Exclude /wp-json/ from what the caching plugin, the web server or the CDN keeps, then check again.',
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

/**
 * Plugins for editorial workflows let posts begin in statuses of their own; others take away what they do not want.
 *
 * @param filled the same draft once it had a text; null where it was gone, undefined where nobody can tell
 */
function checkStatus(draft: PostRecord, filled: PostRecord | null | undefined): Finding {
  if (filled === null || filled?.status === 'trash')
    return problem(
      'statuses',
      filled === null
        ? 'A draft was gone as soon as it had a text: a plugin deletes it, or makes it a post of another type.'
        : 'A draft was in the trash as soon as it had a text: a plugin moves it there.',
      'Documents whose posts are removed like that are held.',
      'Find the plugin that removes posts (as duplicates, or for a word in them), and exclude Galley’s user from it.',
    )
  const { status } = filled ?? draft
  if (status === 'publish' || status === 'future')
    return problem(
      'statuses',
      `A plugin ${status === 'publish' ? 'publishes' : 'schedules'} drafts by itself; the draft of this check was removed at once.`,
      'Documents that should be drafts become public before anybody has looked at them. Galley then holds them and says so.',
      'Exclude Galley’s user from the plugin that publishes posts.',
    )
  return status === 'draft'
    ? ok('statuses', 'A draft stays a draft.', 'Posts arrive in the status that they are meant to have.')
    : warning(
        'statuses',
        `A plugin turns a draft into “${status}”.`,
        'Documents that are to be drafts arrive in that status, with a warning; those that are to be published are.',
        'Nothing needs to be done; Edit Flow, VIP Workflow and PublishPress Statuses are known to do this.',
      )
}

type Write = (content: string) => Promise<{ content: string }>

/** What the site has against the blocks; null where it takes them. */
async function writeBlocks(write: Write): Promise<Finding | null> {
  const written = await attempt(write, allBlocks)
  return written instanceof GalleyError ? dislike(written, write) : null
}

/** @param content as it stands in the end: a plugin may change it when the answer is made already */
function checkMarkup(content: string): Finding {
  const lost = lostOf(content)
  if (lost !== null) {
    return problem(
      'block_markup',
      `A draft with every kind of block was stored without ${lost}: a plugin or a filter removes it.`,
      'Documents whose text or pictures do not arrive are held.',
      'Find the plugin that changes what is saved, and let it leave posts over the REST API alone.',
    )
  }
  if (!content.includes('<!-- wp:paragraph -->')) {
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

async function attempt<Result>(
  write: (content: string) => Promise<Result>,
  content: string,
): Promise<Result | GalleyError> {
  try {
    return await write(content)
  } catch (error) {
    if (error instanceof GalleyError) return error
    throw error
  }
}
