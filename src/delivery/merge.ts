import { createHash } from 'node:crypto'
import { diffArrays } from 'diff'
import { nameOfMember } from '../contract/post-fields.ts'
import { mergeFootnotes } from '../wordpress/footnotes.ts'
import type { PostFields, PostRecord } from '../wordpress/types.ts'
import type { MergeDecision, MergeSide, PostText, Snapshot } from './ledger/state.ts'
import { type ChangedField, isTextField, textHash, withoutKsesTraces } from './post-snapshot.ts'

// Three texts of one post (what Galley wrote last, what stands, the new version) are merged by their top-level blocks.

/** Consecutive blocks. `both`: nobody changed them, or both in the same way. `site`, `next`: only that side did. */
export interface MergePiece {
  kind: 'both' | MergeSide | 'conflict'
  galley: string
  site: string
  next: string
}

export interface ThreeTexts {
  galley: PostText
  site: PostText
  next: PostText
}

export const mergedFields = ['title', 'excerpt', 'content'] as const

export interface Merge extends Record<(typeof mergedFields)[number], MergePiece[]> {
  compared: string
}

export function mergePost({ galley, site, next }: ThreeTexts): Merge {
  const of = (field: (typeof mergedFields)[number], split: (text: string) => string[]): MergePiece[] =>
    mergeBlocks(split(galley[field]), split(site[field]), split(next[field]))
  const whole = (text: string) => (text === '' ? [] : [text])
  return {
    compared: createHash('sha256').update([galley, site, next].map(textHash).join()).digest('hex'),
    title: of('title', whole),
    excerpt: of('excerpt', whole),
    content: of('content', topLevelBlocks),
  }
}

/** The text that these choices make; null unless there is one for each conflict. */
export function resolveMerge(
  merge: Merge,
  texts: ThreeTexts,
  choices: readonly MergeSide[],
): PostText | null {
  const left = [...choices]
  const resolve = (pieces: readonly MergePiece[]): string =>
    pieces
      .map((piece) => {
        const side = piece.kind === 'conflict' ? left.shift() : piece.kind
        return side === 'next' ? piece.next : piece.site
      })
      .filter((text) => text !== '')
      .join(SEPARATOR)
  if (countConflicts(merge) !== choices.length) return null
  const [title = '', excerpt = '', content = ''] = mergedFields.map((field) => resolve(merge[field]))
  return { title, excerpt, content, footnotes: mergeFootnotes(content, texts) }
}

interface EditedPost {
  left: Snapshot
  before: PostRecord
  wanted: PostFields
  edits: readonly ChangedField[]
}

/**
 * The merge of an edited post and a new version. A post that is a merge goes on by itself while nobody edits it and nothing conflicts.
 * @param chosen what a person chose, of the texts that they compared
 * @returns `next`: the version’s text; `merged`: what may be written, null where a person has to choose
 */
export function mergeEdits(
  { left, before, wanted, edits }: EditedPost,
  chosen: MergeDecision | null,
): { next: PostText; merged: PostFields | null } {
  const { title = before.title, content = before.content, excerpt = before.excerpt, footnotes } = wanted
  const next: PostText = { title, content, excerpt, footnotes: footnotes ?? before.footnotes }
  const texts = { galley: left.base ?? left, site: before, next }
  const merge = mergePost(texts)
  const goesOn = left.base !== undefined && !edits.some(({ field }) => isTextField(field))
  const choices = chosen?.compared === merge.compared ? chosen.choices : goesOn && chosen === null ? [] : null
  const merged = choices && resolveMerge(merge, texts, choices)
  return { next, merged: merged && keepEdits({ ...wanted, ...pickText(merged, wanted) }, edits) }
}

const pickText = (merged: PostText, wanted: PostFields): PostFields =>
  Object.fromEntries(
    Object.entries(merged).filter(([field]) => wanted[field as keyof PostText] !== undefined),
  )

function keepEdits({ members, ...fields }: PostFields, edits: readonly ChangedField[]): PostFields {
  const edited = new Set(edits.map(({ field }) => (field === 'featured image' ? 'featuredMedia' : field)))
  const isOurs = ([name]: [string, unknown]) => !edited.has(nameOfMember(name))
  const others = Object.entries(fields).filter(([name]) => isTextField(name) || !edited.has(name))
  return {
    ...Object.fromEntries(others),
    ...(members && { members: Object.fromEntries(Object.entries(members).filter(isOurs)) }),
  }
}

export const countConflicts = (merge: Merge): number =>
  mergedFields.flatMap((field) => merge[field]).filter(({ kind }) => kind === 'conflict').length

const SEPARATOR = '\n\n'

const BLOCK_COMMENT = /<!--\s*(\/?)wp:/g

/** The top-level blocks of markup; what stands between them is divided at empty lines. Attributes hold no `-->` (`\u002d`). */
export function topLevelBlocks(markup: string): string[] {
  const blocks: string[][] = []
  const addLoose = (text: string) => blocks.push(paragraphsOf(text))
  let [depth, begin, passed] = [0, 0, 0]
  for (const { index: at, 1: slash } of markup.matchAll(BLOCK_COMMENT)) {
    // What begins within a comment is a part of it.
    if (at < passed) continue
    const end = markup.indexOf('-->', at)
    if (end === -1) break
    passed = end + 3
    if (depth === 0) {
      addLoose(markup.slice(begin, at))
      begin = at
    }
    if (slash) depth = Math.max(0, depth - 1)
    else if (!markup.slice(at, end).trimEnd().endsWith('/')) depth += 1
    if (depth > 0) continue
    blocks.push([markup.slice(begin, passed)])
    begin = passed
  }
  addLoose(markup.slice(begin))
  return blocks
    .flat()
    .map((block) => block.trim())
    .filter((block) => block !== '')
}

/** Text divided at its empty lines, but for those of preformatted text. */
function paragraphsOf(text: string): string[] {
  const paragraphs = ['']
  let isPreformatted = false
  // Every second part is a tag or an empty line.
  for (const [index, part] of text.split(/(<\/?pre\b|\n\n)/i).entries()) {
    if (index % 2 === 1 && part !== SEPARATOR) isPreformatted = !part.startsWith('</')
    if (part === SEPARATOR && !isPreformatted) paragraphs.push('')
    else paragraphs[paragraphs.length - 1] += part
  }
  return paragraphs
}

/** Blocks of `galley` from `from` to `to` that a side has replaced by its own, which end at `until`. */
interface Hunk {
  side: MergeSide
  from: number
  to: number
  until: number
}

/** Three-way merge: changes of the same blocks, or two insertions at one place, make one piece. */
function mergeBlocks(galley: string[], site: string[], next: string[]): MergePiece[] {
  const pieces: MergePiece[] = []
  let at = { galley: 0, site: 0, next: 0 }
  const add = (kind: MergePiece['kind'], to: typeof at) => {
    const part = (blocks: string[], side: keyof typeof at) => blocks.slice(at[side], to[side]).join(SEPARATOR)
    const texts = { galley: part(galley, 'galley'), site: part(site, 'site'), next: part(next, 'next') }
    const same = withoutKsesTraces(texts.site) === withoutKsesTraces(texts.next)
    pieces.push({ kind: same ? 'both' : kind, ...texts })
    at = to
  }
  /** All texts go on alike, but for what `last` of a side has replaced. */
  const upTo = (to: number, last: Partial<Record<MergeSide, Hunk>> = {}): typeof at => {
    const end = (side: MergeSide) => {
      const hunk = last[side]
      return hunk ? hunk.until + to - hunk.to : at[side] + to - at.galley
    }
    return { galley: to, site: end('site'), next: end('next') }
  }
  for (const { from, to, last } of touching([
    ...hunks('site', galley, site),
    ...hunks('next', galley, next),
  ])) {
    if (from > at.galley) add('both', upTo(from))
    add(last.site && last.next ? 'conflict' : last.site ? 'site' : 'next', upTo(to, last))
  }
  if (galley.length > at.galley) add('both', upTo(galley.length))
  return pieces
}

interface HunkGroup extends Pick<Hunk, 'from' | 'to'> {
  /** Of each side that has one here, its last. */
  last: Partial<Record<MergeSide, Hunk>>
}

function touching(hunks: Hunk[]): HunkGroup[] {
  const groups: HunkGroup[] = []
  for (const hunk of hunks.sort((a, b) => a.from - b.from || a.to - b.to)) {
    const group = groups.at(-1)
    const isInsertion = group?.from === hunk.to && group.to === hunk.from
    if (group && (hunk.from < group.to || isInsertion)) {
      group.to = Math.max(group.to, hunk.to)
      group.last[hunk.side] = hunk
    } else groups.push({ from: hunk.from, to: hunk.to, last: { [hunk.side]: hunk } })
  }
  return groups
}

/** More blocks than this that differ: the texts count as different throughout, since the comparison takes time for each. */
const MAX_EDITS = 1_000

function hunks(side: MergeSide, galley: string[], theirs: string[]): Hunk[] {
  const [before, after] = [galley.map(withoutKsesTraces), theirs.map(withoutKsesTraces)]
  const changes = diffArrays(before, after, { maxEditLength: MAX_EDITS })
  if (changes === undefined) return [{ side, from: 0, to: galley.length, until: theirs.length }]
  const found: Hunk[] = []
  let [from, at] = [0, 0]
  for (const { added, removed, count } of changes) {
    const [to, until] = [from + (added ? 0 : count), at + (removed ? 0 : count)]
    const last = found.at(-1)
    if (last && (added || removed) && last.to === from && last.until === at)
      Object.assign(last, { to, until })
    else if (added || removed) found.push({ side, from, to, until })
    ;[from, at] = [to, until]
  }
  return found
}
