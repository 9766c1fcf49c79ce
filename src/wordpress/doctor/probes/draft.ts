import { setTimeout as wait } from 'node:timers/promises'
import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { fillPost, getPost } from '../../posts/index.ts'
import type { SeoField } from '../../schema.ts'
import type { PostRecord } from '../../types.ts'
import { type Finding, findingFromFailure, ok } from '../report.ts'
import {
  cachedAnswerFinding,
  cachedReadFinding,
  changedLaterFinding,
  changedTypeFinding,
  checkSampleMarkup,
  checkSlug,
  checkStatus,
  checkTitle,
  foreignAnswerFinding,
  rewrittenIdentityFinding,
} from './draft-findings.ts'
import type { Leftover } from './leftovers.ts'
import {
  allSampleBlocks,
  createProbeDraft,
  draftOwner,
  findChangedType,
  PROBE_TITLE,
  plainSampleText,
  removeDraft,
  type SampleBlock,
  sampleBlocks,
} from './temporary-draft.ts'

interface DraftProbe {
  postType: string
  marker: string
  /** A key of `meta` that is to take the description for search engines. */
  seoField?: SeoField | null
}

interface DraftResult<Meanwhile> {
  /** Of the markup, and of what the site makes of requests and slugs. */
  findings: Finding[]
  /** What the user may do with it (`publish`, `create-tags`, …), and its status; `null` where there was none to ask of. */
  draft: Pick<PostRecord, 'actions' | 'status'> | null
  /** What the site said to the field for search engines; `null` where it took it, or has none. */
  metaRefusal: GalleyError | null
  leftBehind: Leftover[]
  meanwhile: Meanwhile
}

/** Milliseconds after which the draft is looked at once more: what plugins do when the answer is out takes a moment. */
const LATER_MS = 1_500

/**
 * Writes a harmless draft with every kind of block, and removes it: proves the right to write, asks for the
 * others, and finds what a firewall dislikes.
 *
 * @param meanwhile done, once, while the draft stands and plugins may come back to it; where something is wrong with it,
 *   once it is gone. It is told what was found, and shown the draft where it stands
 */
export async function probeDraft<Meanwhile>(
  client: WordPressClient,
  probe: DraftProbe,
  meanwhile: (found: readonly Finding[], standing: PostRecord | null) => Promise<Meanwhile>,
): Promise<DraftResult<Meanwhile>> {
  const { findings, answeredId, draft, metaRefusal, leftBehind, stands, asked } = await tryDraft(
    client,
    probe,
  )
  const remove = async () => leftBehind.push(...(await removeDraft(client, { ...probe, id: answeredId })))
  if (stands === null) await remove()
  const done = await meanwhile(findings, stands)
  let late: Finding[] = []
  if (stands !== null) {
    await wait(Math.max(0, asked + LATER_MS - performance.now()))
    late = await lookLater(client, probe, stands)
    await remove()
  }
  const latest = findings.map((one) => late.find(({ check }) => check === one.check) ?? one)
  return { findings: latest, draft, metaRefusal, leftBehind, meanwhile: done }
}

interface DraftAttempt {
  findings: Finding[]
  /** Of the post that the creation was answered with, whosever it is. */
  answeredId: number | undefined
  draft: PostRecord | null
  metaRefusal: GalleyError | null
  leftBehind: Leftover[]
  /** As it was seen with its text, where all is in order so far. */
  stands: PostRecord | null
  /** When it was last written (`performance.now()`). */
  asked: number
}

async function tryDraft(
  client: WordPressClient,
  { postType, marker, seoField = null }: DraftProbe,
): Promise<DraftAttempt> {
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
    const refused = await writeBlocks(write, () => lookOrNothing(client, { postType, id }))
    const filled = await lookOrNothing(client, { postType, id })
    const outdated = isOutdated(filled, { empty, answered })
    const status = await statusOf(client, postType, { draft, filled })
    const markup = refused ?? markupOf(outdated ? answered : (filled ?? answered), answered)
    const title = checkTitle((filled ?? answered ?? draft).title, marker)
    findings.push(outdated ? cachedReadFinding() : second, checkSlug(made, marker), ...title, status, markup)
    const calm = [status, markup].every(({ level }) => level !== 'problem') && !outdated
    if (seoField !== null) tried.metaRefusal = await probeMetaRefusal(client, { postType, id, seoField })
    tried.asked = performance.now()
    tried.stands = calm ? (filled ?? null) : null
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    findings.push(findingFromFailure('block_markup', error, 'Nothing can be delivered.'))
  }
  return tried
}

/** What is to be said of the text that stands: where the answer showed another, something changed it as the answer was made. */
function markupOf(standing: PostRecord | undefined, answered: PostRecord | undefined): Finding {
  const content = standing?.content ?? ''
  return answered !== undefined && answered.content !== content
    ? changedLaterFinding(content)
    : checkSampleMarkup(content)
}

/** What is to be said otherwise of a draft that was in order, once plugins have had a moment. */
async function lookLater(
  client: WordPressClient,
  { postType }: DraftProbe,
  stands: PostRecord,
): Promise<Finding[]> {
  const late = await lookOrNothing(client, { postType, id: stands.id })
  if (late === undefined) return []
  const moved = late?.status !== stands.status
  return [
    ...(moved ? [await statusOf(client, postType, { draft: stands, filled: late })] : []),
    ...(late !== null && late.content !== stands.content ? [changedLaterFinding(late.content)] : []),
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
async function lookOrNothing(
  client: WordPressClient,
  post: { postType: string; id: number },
): Promise<PostRecord | null | undefined> {
  const look = await attemptWrite(() => getPost(client, post), '')
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
async function probeMetaRefusal(
  client: WordPressClient,
  { postType, id, seoField }: { postType: string; id: number; seoField: SeoField },
): Promise<GalleyError | null> {
  const fields = { meta: { [seoField.key]: PROBE_TITLE } }
  const written = await attemptWrite(() => fillPost(client, { postType, id, fields }), '')
  return written instanceof GalleyError ? written : null
}

/**
 * Two creations must make two posts: a plugin that caches answers to POST gives the first one's for the second.
 *
 * @param leftBehind what this one leaves is added to it
 */
async function probeSecond(
  client: WordPressClient,
  { postType, marker }: DraftProbe,
  firstId: number,
  leftBehind: Leftover[],
): Promise<Finding> {
  let answeredId: number | undefined
  try {
    const { draft } = await createProbeDraft(client, { postType, marker }, leftBehind)
    if (draft.id === firstId) return cachedAnswerFinding()
    answeredId = draft.id
    return (await draftOwner(client, { postType, marker, draft })) === 'ours'
      ? ok('own_answers', 'Two new drafts got two numbers.', 'No cache answers in WordPress’s place.')
      : foreignAnswerFinding()
  } finally {
    leftBehind.push(...(await removeDraft(client, { postType, marker, id: answeredId })))
  }
}

const SAVED_ALL_THE_SAME =
  'The text was saved despite the error: documents are delivered once Galley has looked at what was saved, which takes longer and costs the site more requests.'

type Write = (content: string) => Promise<{ content: string }>

/** What the site has against the blocks; null where it takes them. */
async function writeBlocks(
  write: Write,
  look: () => Promise<PostRecord | null | undefined>,
): Promise<Finding | null> {
  const written = await attemptWrite(write, allSampleBlocks)
  if (!(written instanceof GalleyError)) return null
  // An error may follow what was saved.
  const stands = written.action === 'ambiguous' ? await look() : null
  const saved = stands ? checkSampleMarkup(stands.content).level !== 'problem' : false
  if (!saved) return findRefusedBlock(written, write)
  return findingFromFailure('block_markup', written, SAVED_ALL_THE_SAME, 'warning')
}

/** Looks for the smallest block that is refused. */
async function findRefusedBlock(refusal: GalleyError, write: Write): Promise<Finding> {
  if ((await attemptWrite(write, plainSampleText)) instanceof GalleyError) {
    return findingFromFailure(
      'block_markup',
      refusal,
      'Nothing can be delivered: every text is refused, even a plain one.',
    )
  }
  const refused: SampleBlock[] = []
  for (const [name, markup] of Object.entries(sampleBlocks) as [SampleBlock, string][]) {
    if ((await attemptWrite(write, markup)) instanceof GalleyError) refused.push(name)
  }
  const all = refused.length === Object.keys(sampleBlocks).length
  const which = all
    ? 'every block: the comment <!-- wp: itself is blocked'
    : `these blocks: ${refused.join(', ')}`
  return findingFromFailure(
    'block_markup',
    refusal,
    refused.length === 0
      ? 'Documents may be refused: each kind of block is accepted by itself, but not all of them together.'
      : `Documents with ${which} cannot be delivered. Plain text passes.`,
  )
}

async function attemptWrite<Result>(
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
