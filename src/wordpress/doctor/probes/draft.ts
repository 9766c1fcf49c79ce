import { setTimeout as wait } from 'node:timers/promises'
import { asFailure, type GalleyError, recoverWith } from '../../../errors.ts'
import type { WordPressClient } from '../../client/client.ts'
import { visibleWords } from '../../html.ts'
import { getPost, isSameTitle } from '../../posts/find.ts'
import { fillPost } from '../../posts/write.ts'
import type { SeoField } from '../../schema.ts'
import type { PostRecord } from '../../types.ts'
import { type Finding, line } from '../report.ts'
import type { Leftover } from './leftovers.ts'
import {
  createProbeDraft,
  draftOwner,
  findChangedType,
  PROBE_TITLE,
  type ProbeDraft,
  plainSampleText,
  probeTitle,
  removeDraft,
  type SampleText,
  sampleTexts,
} from './temporary-draft.ts'

interface DraftProbe {
  postType: string
  marker: string
  /** A key of `meta` that is to take the description for search engines. */
  seoField?: SeoField | null
  /** Default: that of blocks. */
  sample?: SampleText
}

interface ProbedDraft {
  /** Of the markup, and of what the site makes of requests and slugs. */
  findings: Finding[]
  /** What the user may do with it (`publish`, `create-tags`, …), and its status; `null` where there was none to ask of. */
  draft: Pick<PostRecord, 'actions' | 'status'> | null
  /** What the site said to the field for search engines; `null` where it took it, or has none. */
  metaRefusal: GalleyError | null
  leftBehind: Leftover[]
}

/** Milliseconds after which the draft is looked at once more: what plugins do when the answer is out takes a moment. */
const LATER_MS = 1_500

/**
 * Writes a harmless draft with every kind of block, and removes it.
 * @param meanwhile done once: while the draft stands, or, where something is wrong with it, once it is gone
 */
export async function probeDraft<Meanwhile>(
  client: WordPressClient,
  probe: DraftProbe,
  meanwhile: (found: readonly Finding[], standing: PostRecord | null) => Promise<Meanwhile>,
): Promise<ProbedDraft & { meanwhile: Meanwhile }> {
  const { answeredId, stands, asked, ...tried } = await tryDraft(client, probe)
  const remove = async () =>
    tried.leftBehind.push(...(await removeDraft(client, { ...probe, id: answeredId })))
  if (stands === null) {
    await remove()
    return { ...tried, meanwhile: await meanwhile(tried.findings, null) }
  }
  const done = await meanwhile(tried.findings, stands)
  await wait(Math.max(0, asked + LATER_MS - performance.now()))
  const late = await lookLater(client, probe, stands)
  await remove()
  const findings = tried.findings.map((one) => late.find(({ check }) => check === one.check) ?? one)
  return { ...tried, findings, meanwhile: done }
}

interface DraftAttempt extends ProbedDraft {
  /** Of the post that the creation was answered with, whosever it is. */
  answeredId: number | undefined
  /** As it was seen with its text, where all is in order so far. */
  stands: PostRecord | null
  /** When it was last written (`performance.now()`). */
  asked: number
}

async function tryDraft(client: WordPressClient, probe: DraftProbe) {
  const { postType, marker, seoField = null, sample = sampleTexts.block } = probe
  const tried: DraftAttempt = {
    findings: [],
    answeredId: undefined,
    draft: null,
    metaRefusal: null,
    leftBehind: [],
    stands: null,
    asked: 0,
  }
  const { findings } = tried
  try {
    const made = await createProbeDraft(client, { postType, marker }, tried.leftBehind)
    const { draft } = made
    const { id } = draft
    tried.answeredId = id
    const whose = await draftOwner(client, { postType, marker, draft })
    if (whose !== 'ours') {
      findings.push(whose === 'hidden' ? rewrittenIdentityFinding(draft) : foreignAnswerFinding())
      return tried
    }
    tried.draft = draft
    const second = await probeSecond(client, { postType, marker: `${marker}-second` }, id, tried.leftBehind)
    // What is written where answers are a cache's may be written to another post.
    if (second.level !== 'ok') {
      findings.push(second)
      return tried
    }
    const empty = await lookOrNothing(client, { postType, id })
    if (empty === null) {
      const status = await statusOf(client, postType, { draft, filled: null })
      findings.push(second, checkSlug(made, marker), status)
      return tried
    }
    let answered: PostRecord | undefined
    const write: Write = async (content) => {
      answered = await fillPost(client, { postType, id, fields: { content } })
      return answered
    }
    const refused = await writeBlocks(sample, write, () => lookOrNothing(client, { postType, id }))
    const filled = await lookOrNothing(client, { postType, id })
    const outdated = isOutdated(filled, { empty, answered })
    const status = await statusOf(client, postType, { draft, filled })
    const markup = refused ?? markupOf(sample, outdated ? answered : (filled ?? answered), answered)
    const title = checkTitle((filled ?? answered ?? draft).title, marker)
    findings.push(outdated ? cachedReadFinding() : second, checkSlug(made, marker), ...title, status, markup)
    const calm = [status, markup].every(({ level }) => level !== 'problem') && !outdated
    // WordPress saves a post and then refuses a field that was registered without `auth_callback`.
    const fields = seoField && { meta: { [seoField.key]: PROBE_TITLE } }
    if (fields)
      tried.metaRefusal = await fillPost(client, { postType, id, fields }).then(() => null, asFailure)
    tried.asked = performance.now()
    tried.stands = calm ? (filled ?? null) : null
  } catch (error) {
    findings.push(line.block_markup.failed(asFailure(error), 'Nothing can be delivered.'))
  }
  return tried
}

/** What is to be said of the text that stands: where the answer showed another, something changed it as the answer was made. */
function markupOf(
  sample: SampleText,
  standing: PostRecord | undefined,
  answered: PostRecord | undefined,
): Finding {
  const content = standing?.content ?? ''
  return answered !== undefined && answered.content !== content
    ? changedLaterFinding(sample, content)
    : checkSampleMarkup(sample, content)
}

/** What is to be said otherwise of a draft that was in order, once plugins have had a moment. */
async function lookLater(
  client: WordPressClient,
  { postType, sample = sampleTexts.block }: DraftProbe,
  stands: PostRecord,
) {
  const late = await lookOrNothing(client, { postType, id: stands.id })
  if (late === undefined) return []
  const moved = late?.status !== stands.status
  return [
    ...(moved ? [await statusOf(client, postType, { draft: stands, filled: late })] : []),
    ...(late !== null && late.content !== stands.content ? [changedLaterFinding(sample, late.content)] : []),
  ]
}

async function statusOf(
  client: WordPressClient,
  postType: string,
  { draft, filled }: { draft: PostRecord; filled: PostRecord | null | undefined },
): Promise<Finding> {
  const type = filled === null ? await findChangedType(client, { postType, id: draft.id }) : null
  return type === null ? checkStatus(draft, filled) : changedTypeFinding(type)
}

/** What a new request shows of the draft; null where it is gone, undefined where nobody can tell. */
const lookOrNothing = (client: WordPressClient, post: { postType: string; id: number }) =>
  getPost(client, post).catch(recoverWith(undefined))

/** Whether a look shows what stood before the last write, and not what that was answered with. */
const isOutdated = (
  look: PostRecord | null | undefined,
  { empty, answered }: { empty: PostRecord | null | undefined; answered: PostRecord | undefined },
): boolean =>
  Boolean(look && empty && answered) &&
  look?.content === empty?.content &&
  look?.modifiedGmt === empty?.modifiedGmt &&
  look?.content !== answered?.content

/** Two creations must make two posts; a cache gives the first one's answer twice. @param leftBehind grows */
async function probeSecond(
  client: WordPressClient,
  { postType, marker }: DraftProbe,
  firstId: number,
  leftBehind: Leftover[],
): Promise<Finding> {
  let answeredId: number | undefined
  try {
    const { draft } = await createProbeDraft(client, { postType, marker }, leftBehind)
    if (draft.id === firstId) return foreignAnswerFinding()
    answeredId = draft.id
    return (await draftOwner(client, { postType, marker, draft })) === 'ours'
      ? line.own_answers.ok('Two new drafts got two numbers.', 'No cache answers in WordPress’s place.')
      : foreignAnswerFinding()
  } finally {
    leftBehind.push(...(await removeDraft(client, { postType, marker, id: answeredId })))
  }
}

type Write = (content: string) => Promise<{ content: string }>

async function writeBlocks(
  sample: SampleText,
  write: Write,
  look: () => Promise<PostRecord | null | undefined>,
) {
  const refusal = await refusalOf(write, sample.whole)
  if (refusal === null) return null
  // An error may follow what was saved.
  const stands = refusal.action === 'ambiguous' ? await look() : null
  const saved = stands ? checkSampleMarkup(sample, stands.content).level !== 'problem' : false
  if (!saved) return findRefusedBlock(sample, refusal, write)
  const means =
    'The text was saved despite the error: documents are delivered once Galley has looked at what was saved, which takes longer and costs the site more requests.'
  return line.block_markup.failed(refusal, means, 'warning')
}

const refusalOf = (write: Write, content: string): Promise<GalleyError | null> =>
  write(content).then(() => null, asFailure)

async function findRefusedBlock(
  { format, blocks }: SampleText,
  refusal: GalleyError,
  write: Write,
): Promise<Finding> {
  if (await refusalOf(write, plainSampleText)) {
    const means = 'Nothing can be delivered: every text is refused, even a plain one.'
    return line.block_markup.failed(refusal, means)
  }
  const refused: string[] = []
  for (const [name, markup] of blocks) if (await refusalOf(write, markup)) refused.push(name)
  const which =
    refused.length === blocks.size && format === 'block'
      ? 'every block: the comment <!-- wp: itself is blocked'
      : `these blocks: ${refused.join(', ')}`
  const means =
    refused.length === 0
      ? 'Documents may be refused: each kind of block is accepted by itself, but not all of them together.'
      : `Documents with ${which} cannot be delivered. Plain text passes.`
  return line.block_markup.failed(refusal, means)
}

const foreignAnswerFinding = (): Finding =>
  line.own_answers.problem(
    'The answer to a request for a new draft showed another post: something on the site answers with posts of its own choice, as a cache does.',
    'Documents would be mixed up, so Galley holds them instead of trusting such answers.',
    'Exclude /wp-json/ from what the caching plugin, the web server or the CDN keeps, and exclude Galley’s user from plugins that change new posts; then check again.',
  )

const rewrittenIdentityFinding = ({ slug, title }: PostRecord): Finding =>
  line.slugs.problem(
    `Plugins give a new draft both another slug and another title: it became “${title}” (${slug === '' ? 'without a slug' : slug}).`,
    'Galley cannot tell such a post from somebody else’s, so it holds every document instead of writing to it.',
    'Exclude drafts, or Galley’s user, from the plugin that changes titles or from the one that changes slugs: one of the two is enough. Then check again.',
  )

const cachedReadFinding = (): Finding =>
  line.own_answers.problem(
    'A draft that was changed is shown as it was before: something on the site caches answers of the REST API.',
    'Galley cannot see what people have changed of a post, and may write over it; or it takes its own newer text for theirs, and holds the document.',
    'Exclude /wp-json/ from what the caching plugin, the web server or the CDN keeps, then check again.',
  )

/** Slugs are how Galley finds a post again whose answer was lost. */
function checkSlug({ draft: { slug }, crashesOnSlugs }: ProbeDraft, marker: string): Finding {
  if (slug !== marker)
    return line.slugs.warning(
      slug === ''
        ? 'A plugin takes the slug from a draft.'
        : `A plugin changes the slug that a draft is given (it became “${slug}”).`,
      'A post whose answer is lost is found again by its title and time only, which is less certain; and documents do not get the slug they ask for.',
      'Switch off the plugin that rewrites slugs on saving (such as Regenerate Post Slug), or exclude drafts from it.',
    )
  if (crashesOnSlugs)
    return line.slugs.warning(
      'A plugin crashes when a new draft has a slug.',
      'Drafts are created without a slug and get it afterwards: each costs the site a crash and two more requests.',
      'Nothing needs to be done. VIP Workflow is known to do this: switch it off where it is not used.',
    )
  return line.slugs.ok(
    'A draft keeps the slug that it is given.',
    'A post whose answer is lost is found again by it.',
  )
}

/** @param title as it stands once the draft has a text; no line where it is the one that was given */
const checkTitle = (title: string, marker: string): Finding[] =>
  isSameTitle(title, probeTitle(marker))
    ? []
    : [
        line.titles.warning(
          `A plugin changes the title that a draft is given (it became “${title}”).`,
          'Posts get other titles than their documents, and each delivery says so.',
          'Nothing needs to be done where that is meant. Otherwise exclude Galley’s user from the plugin that changes titles.',
        ),
      ]

/** Statuses that editorial plugins add or take away. @param filled null where the draft was gone, undefined where unknown */
function checkStatus(draft: PostRecord, filled: PostRecord | null | undefined): Finding {
  if (filled === null || filled?.status === 'trash')
    return line.statuses.problem(
      filled === null
        ? 'A draft was gone as soon as it had text: a plugin deletes it, or turns it into a post of another type.'
        : 'A draft was in the trash as soon as it had text: a plugin moves it there.',
      'Documents whose posts are removed like that are held.',
      'Find the plugin that removes posts (as duplicates, or for a word in them), and exclude Galley’s user from it.',
    )
  const { status } = filled ?? draft
  if (status === 'publish' || status === 'future')
    return line.statuses.problem(
      `A plugin ${status === 'publish' ? 'publishes' : 'schedules'} drafts by itself.`,
      'Documents that should be drafts become public before anybody has looked at them. Galley then holds them and says so.',
      'Exclude Galley’s user from the plugin that publishes posts.',
    )
  return status === 'draft'
    ? line.statuses.ok('A draft stays a draft.', 'Posts arrive in the status that they are meant to have.')
    : line.statuses.warning(
        `A plugin turns a draft into “${status}”.`,
        'Documents meant to be drafts arrive in that status, with a warning; those meant to be published are published.',
        'Nothing needs to be done; Edit Flow, VIP Workflow and PublishPress Statuses are known to do this.',
      )
}

const changedTypeFinding = (type: string): Finding =>
  line.statuses.problem(
    `A plugin makes a draft a post of another type: it was found among “${type}”.`,
    'Documents whose posts become another type are held.',
    'Exclude Galley’s user from that plugin; or choose that post_type in the site’s settings, if documents belong there.',
  )

function changedLaterFinding(sample: SampleText, content: string): Finding {
  const markup = checkSampleMarkup(sample, content)
  if (markup.level !== 'ok') return markup
  return line.block_markup.warning(
    'The text of a draft was changed a moment after it was saved, or is shown otherwise each time.',
    'Documents arrive, and Galley cannot tell what was done to them since from what people do: newer versions of them are held.',
    'Find the plugin that changes posts once they are saved, and exclude posts saved over the REST API from it.',
  )
}

/** @param content as it stands in the end: a plugin may change it when the answer is made already */
export function checkSampleMarkup(sample: SampleText, content: string): Finding {
  const parts = lostBlocks(sample, content)
  const isEmptied = parts.length > sample.blocks.size / 2
  const lost = isEmptied ? 'most of its text' : content.includes('<img') ? null : 'its picture'
  if (lost !== null) {
    return line.block_markup.problem(
      `A draft with every kind of block was stored without ${lost}: a plugin or a filter removes it.`,
      'Documents whose text or pictures do not arrive are held.',
      'Find the plugin that changes what is saved, and exclude posts saved over the REST API from it.',
    )
  }
  if (sample.format === 'block' && !content.includes('<!-- wp:paragraph -->'))
    return line.block_markup.warning(
      'The site removes the comments that mark blocks.',
      'Posts open as one classic block, without headings and tables of their own.',
      'Find the plugin that strips comments from posts, or set this site to classic markup.',
    )
  if (parts.length > 0)
    return line.block_markup.warning(
      `A draft with every kind of block was stored without these parts of it: ${parts.join(', ')}. A plugin or a filter removes them.`,
      'Documents arrive without such parts, and each delivery says so.',
      'Find the plugin that changes what is saved, and exclude posts saved over the REST API from it.',
    )
  return line.block_markup.ok(
    'A draft with every kind of block was stored.',
    'Nothing on the way blocks post markup.',
  )
}

/** The blocks whose words or addresses do not stand, whatever became of the markup around them. */
function lostBlocks({ blocks }: SampleText, content: string): string[] {
  const words = wordsOf(content)
  return [...blocks].flatMap(([name, markup]) => {
    const addresses = markup.match(/https?:[^\s"<]+/g) ?? []
    const stands = words.includes(wordsOf(markup)) && addresses.every((address) => content.includes(address))
    return stands ? [] : [name]
  })
}

const wordsOf = (markup: string): string => visibleWords(markup).join(' ')
