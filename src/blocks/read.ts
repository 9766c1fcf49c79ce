import { closestName, unknownMemberMessage } from '../contract/issues.ts'
import { countTextUnits, percentDecoded } from '../contract/payload.ts'
import { excerpt } from '../lib/text.ts'
import { safeAnchor } from '../render/escape.ts'
import type { Audio } from './audio/index.ts'
import type { BlockDefinition, InlineDefinition, Reading, UnreadMembers } from './define.ts'
import {
  createLimits,
  type Document,
  isVisible,
  type NormalisedDocument,
  partsOf,
  type ReadingLimits,
  textsOf,
  walkBlocks,
} from './document.ts'
import { createNoteReading, notesListed } from './footnotes/index.ts'
import { alternativeNames } from './image/index.ts'
import { type Block, blocksByName, type Inline, inlinesByName } from './index.ts'
import { linkTo, targetOf } from './inlines/link.ts'
import { leaveOutAlign, paragraphsOf } from './paragraph/index.ts'
import { createUnknownReader, isPlainInline, splitPicture, type UnknownReader } from './unknown.ts'
import {
  addressesIn,
  addressOf,
  areWordsApart,
  blockType,
  collapseToLine,
  firstMember,
  firstTextMember,
  hasWords,
  humanReadable,
  inlineText,
  isAddress,
  isEmptyMember,
  isWireObject,
  isWords,
  listOf,
  nonTextMembers,
  plainText,
  textMember,
  type WireObject,
  wireType,
  withAttributes,
} from './wire.ts'

type WireDocument = WireObject & {
  content: WireObject & { content: readonly unknown[]; meta?: WireObject | null | undefined }
}

/**
 * Converts a received document to the strict tree, with warnings for what was not understood. The contract leaves names
 * open (docs/contract.md): the spellings of a block and its members stand in its folder; those of the document itself here.
 * Title, slug and description stand in `data` or in `content.meta`, and `data` goes first. Limits are checked before
 * anything is built.
 * @param text the text length, where the data has been walked already
 * @throws LimitError `document_too_deep`, `document_too_many_cells` and the like, with the path
 */
export function normaliseDocument(data: WireDocument, text = countTextUnits(data)): NormalisedDocument {
  const reading = createReading()
  const { content } = data
  const meta: WireObject = content.meta ?? {}
  const notes = firstMember(content, ['footnotes']) ?? firstMember(data, ['footnotes'])
  const blocks = reading.document(
    notes === undefined ? content.content : [...content.content, { type: 'footnotes', notes }],
  )
  reading.enter('data', 'The document')
  warnOfDeadLinks(blocks, reading)
  const featuredImage = readFeaturedImage(data, blocks, reading)
  const slug = firstTextMember(meta, ['slug']) ?? firstTextMember(data, ['slug'])
  const description = firstTextMember(data, ['description']) ?? firstTextMember(meta, ['description'])
  const audio = readNarration(data, reading) ?? readNarration(content, reading)
  const document: Document = {
    title: reading.line('title', titleOf(data)),
    ...(slug === undefined ? {} : { slug: reading.line('content.meta.slug', collapseToLine(slug)) }),
    ...(description === undefined
      ? {}
      : { description: reading.description('description', collapseToLine(description)) }),
    ...(featuredImage === undefined ? {} : { featuredImage }),
    blocks,
    ...(audio === undefined ? {} : { audio }),
  }
  const { inlineFiles } = reading
  const inlineLength = [...inlineFiles.values()].reduce((sum, url) => sum + url.length, 0)
  const size = { ...reading.size, text: text - inlineLength }
  return { document, inlineFiles, warnings: [...reading.warnings], size }
}

/** The title in one line; empty where it has none. May hold characters that the database rejects. */
export const titleOf = (data: WireDocument): string =>
  [data, data.content.meta ?? {}]
    .map((wire) => collapseToLine(firstTextMember(wire, ['title']) ?? ''))
    .find(Boolean) ?? ''

/** Narration under `audio`, as its URL or an object, or under `audio_url`. */
function readNarration(wire: WireObject, reading: DocumentReading): Audio | undefined {
  const url = addressOf(wire.audio) ?? addressOf(wire.audio_url)
  if (url === undefined) return undefined
  if (isWireObject(wire.audio)) warnOfWords(wire.audio, 'the narration', reading)
  return { type: 'audio', url: reading.file('audio', url) }
}

/** The alternative text may stand with another spelling of the picture, or with its copy in the body. */
function readFeaturedImage(
  data: WireDocument,
  blocks: readonly Block[],
  reading: DocumentReading,
): Document['featuredImage'] {
  const [chosen, ...others] = [data.featured_image, data.content.featured_image].flatMap((value) => {
    const url = addressOf(value)
    if (url === undefined) return []
    const wire: WireObject = isWireObject(value) ? value : {}
    warnOfWords(wire, 'the featured image', reading)
    return [{ url, alt: collapseToLine(plainText(firstMember(wire, alternativeNames))) }]
  })
  const all = [data.featured_image, data.content.featured_image].flatMap(
    (value) => addressOf(value) ?? addressesIn(value),
  )
  const left = [...new Set(all)].filter((url) => url !== chosen?.url)
  if (left.length > 0)
    reading.warn(
      'picture_left_out',
      `a post has one featured image, whose address stands under "url"; left out: ${left.join(', ')}`,
    )
  if (chosen === undefined) return undefined
  const url = reading.file('featured_image', chosen.url)
  const alternatives = [chosen, ...others.filter((other) => other.url === chosen.url)].map(({ alt }) => alt)
  walkBlocks(blocks, (block) => {
    if (block.type === 'image' && block.url === url) alternatives.push(block.alt)
  })
  return {
    url,
    alt: reading.alternativeText('featured_image.alt', alternatives.find((alt) => alt !== '') ?? ''),
  }
}

/** Places that every page has, or most themes below the text. */
const placesOfPages = /^(?:|top|comments|respond)$/

/** Links within the document that lead to no heading of it. */
function warnOfDeadLinks(blocks: readonly Block[], reading: DocumentReading): void {
  if (reading.linkedAnchors.size === 0) return
  const anchors = new Set<string>()
  walkBlocks(blocks, (block) => {
    if (block.type === 'heading' && block.anchor) anchors.add(safeAnchor(block.anchor))
  })
  const isDead = (name: string) => !placesOfPages.test(name) && !anchors.has(safeAnchor(percentDecoded(name)))
  const dead = [...reading.linkedAnchors].filter(isDead).map((name) => `#${name}`)
  if (dead.length > 0)
    reading.warn(
      'link_without_target',
      `no heading has the anchor that links lead to: ${excerpt(dead.join(', '), 200)}`,
    )
}

/** What stands with a file of the document itself has no place in the post. */
function warnOfWords(wire: WireObject, what: string, reading: DocumentReading): void {
  for (const name of ['caption', 'title', 'description', 'credit', 'transcript'])
    if (plainText(wire[name]).trim() !== '')
      reading.warn(
        'text_left_out',
        `the "${name}" of ${what} is not shown in a post, and its text is left out`,
      )
}

/** Reads the blocks of one document from any spelling. */
export interface DocumentReading extends Reading, ReadingLimits {
  /** The entries of `content.content`, each with its place in warnings and errors. */
  document(entries: readonly unknown[]): Block[]
}

/** Names of one document that are compared with those that its blocks lack. */
const MAX_NAMES = 1_000

/** Members by which senders know and style their blocks. */
const sendersOwn =
  /^(?:[_$@].*|data-.*|type|kind|styles?|class(?:es|name|list)?|.*(?:[iI][dD]s?|[kK]eys?)|attrs|data|props|meta(?:data)?|.*[pP]rompt|font.*)$/

const SPACE: Inline = { type: 'text', text: ' ' }
const BREAK: Inline = { type: 'break' }

/** A reading of one document. What a type is and may be called stands in its definition alone. */
export function createReading(): DocumentReading {
  const limits = createLimits()
  const reading: DocumentReading = {
    inlines: (value) => {
      const read: Inline[] = []
      readInto(read, value)
      return read
    },
    notes: createNoteReading((value) => reading.inlines(value)),
    contentOf,
    marks: (wire, children) => withMarks(wire, children, undefined),
    rest: (wire, what, isRead, read) => {
      const names = Object.keys(wire).filter((name) => !isRead(name) && isWords(wire[name]))
      return names.length === 0 ? [[], []] : unknown().rest(wire, what, names, read)
    },
    warnOfUnread,
    blocks: (value) => readEntries(listOf(value)),
    mixed: (value) => readMixed(listOf(value)),
    document: readDocument,
    block: readBlock,
    // Last, as in `createRenderContext`.
    ...limits,
  }
  let unknownReader: UnknownReader | undefined
  const unknown = () => {
    unknownReader ??= createUnknownReader(reading)
    return unknownReader
  }
  /** A slip of the fingers stands in many blocks and is one. */
  const misspelled = new Set<string>()
  let compared = 0
  return reading

  function readDocument(entries: readonly unknown[]): Block[] {
    const enter = (index: number, value: unknown) =>
      limits.enter(`data.content.content.${index}`, `Block ${index + 1} (${wireType(value) ?? 'no type'})`)
    const listed = entries.map(notesListed)
    if (listed.every((notes) => notes.length === 0)) return readEntries(entries, enter)
    // What is listed is known before the text refers to it, and what is left of it stands at the end.
    for (const notes of listed) reading.notes.list(notes)
    const isList = (index: number) => Number(listed[index]?.length !== 0)
    const ordered = [...entries.entries()].sort(([one], [other]) => isList(one) - isList(other))
    return readEntries(
      ordered.map(([, value]) => value),
      (at, value) => enter(ordered[at]?.[0] ?? at, value),
    )
  }

  /** Blocks, and running text between them: strings alone are a paragraph each, other runs are one. */
  function readEntries(
    entries: readonly unknown[],
    enter?: (index: number, value: unknown) => void,
  ): Block[] {
    const blocks: Block[] = []
    let run: unknown[] = []
    const endRun = () => {
      const isOneText = !run.every((value) => typeof value === 'string')
      for (const part of isOneText ? [run] : run)
        for (const paragraph of paragraphsOf(reading.inlines(part))) {
          limits.count()
          blocks.push(paragraph)
        }
      run = []
    }
    for (const [index, value] of entries.entries()) {
      const isRunning = isInlineEntry(value, run)
      if (!isRunning) endRun()
      if (!isRunning || run.length === 0) enter?.(index, value)
      if (isRunning) run.push(value)
      else {
        limits.count()
        for (const block of isWireObject(value) ? readBlock(value) : reading.blocks(value)) blocks.push(block)
      }
    }
    endRun()
    return blocks
  }

  /** Pictures, lists and other blocks amid text stand between its parts. */
  function readMixed(values: readonly unknown[]): (Inline[] | Block)[] {
    const parts: (Inline[] | Block)[] = []
    let run: unknown[] = []
    const endRun = () => {
      const inlines = reading.inlines(run)
      if (inlines.length > 0) parts.push(inlines)
      run = []
    }
    for (const value of values) {
      const type = blockType(value)
      if (type === undefined || inlinesByName.has(type) || !blocksByName.has(type)) run.push(value)
      else {
        endRun()
        for (const block of readBlock(value as WireObject)) parts.push(block)
      }
    }
    endRun()
    return parts
  }

  function readBlock(written: WireObject): Block[] {
    const type = blockType(written)
    const definition = type === undefined ? undefined : blocksByName.get(type)
    if (type === undefined || definition === undefined) return unknown().block(written)
    const wire = withAttributes(written)
    const names = namesByType.get(type) as Names
    const members = membersAs(names, wire)
    const blocks = definition.read(members, reading, type)
    for (const name in wire) {
      const value = wire[name]
      if (!names.has(name) || isRead(value, members) || !isWordOfSetting(name, value)) continue
      const message = `the "${name}" of this ${definition.type} is not read, since another member says it: “${value}”`
      limits.warn('member_unknown', message)
    }
    const isOther = (name: string): boolean =>
      names.has(name)
        ? !isRead(wire[name], members) && !isWordOfSetting(name, wire[name])
        : humanReadable.has(name)
    const isAlone = !hasOthers(wire, isOther)
    const isEmpty = blocks.length === 0 || (isAlone && !hasContent(members) && !blocks.some(isVisible))
    const isUnknown = isEmpty && !definition.standsElsewhere && hasWords(wire)
    warnOfUnread(wire, {
      what: `this ${definition.type}`,
      isKnown: (name) => names.has(name) || humanReadable.has(name),
      free: () =>
        Object.entries(definition.names).flatMap(([name, spellings]) =>
          members[name] === undefined ? spellings : [],
        ),
      ...(isUnknown ? {} : { read: () => JSON.stringify(blocks) }),
    })
    if (!('align' in definition.names)) leaveOutAlign(wire, `this ${definition.type}`, reading)
    if (isUnknown) return unknown().block(wire)
    if (isAlone) return blocks
    const [before, after] = reading.rest(
      wire,
      `this ${definition.type}`,
      (name) => !isOther(name),
      () => textsIn(blocks),
    )
    return before.length + after.length === 0 ? blocks : [...before, ...blocks, ...after]
  }

  /** See {@link Reading.warnOfUnread}. */
  function warnOfUnread(wire: WireObject, { what, isKnown, free, read }: UnreadMembers): void {
    for (const name in wire) {
      if (isKnown(name) || sendersOwn.test(name)) continue
      const value = wire[name]
      const mayBeLost = isWords(value) && (!nonTextMembers.test(name) || listOf(value).some(isAddress))
      if (read && mayBeLost) unknown().warnOfLost(name, what, value, read)
      if (compared >= MAX_NAMES || misspelled.has(`${what} ${name}`)) continue
      compared += 1
      const candidates = free()
      if (closestName(name, candidates) === undefined) continue
      misspelled.add(`${what} ${name}`)
      limits.warn('member_unknown', unknownMemberMessage(name, candidates))
    }
  }

  function readInto(read: Inline[], value: unknown): void {
    if (Array.isArray(value)) {
      readAll(read, value)
      return
    }
    limits.countInline()
    if (typeof value === 'string') {
      if (value !== '') read.push({ type: 'text', text: value })
    } else if (typeof value === 'number') read.push({ type: 'text', text: String(value) })
    else if (value === true)
      limits.warn('inline_unknown', 'true stands where a text is expected; it is left out')
    else if (isWireObject(value)) readItem(read, value)
  }

  function readAll(read: Inline[], values: readonly unknown[]): void {
    let before: unknown
    for (const value of values) {
      if (areWordsApart(before, value)) read.push(SPACE)
      before = value
      readInto(read, value)
    }
  }

  /** Appends to `read`, so that deep content is not copied again at each level. */
  function readItem(read: Inline[], wire: WireObject): void {
    const type = wireType(wire)
    const definition = type === undefined ? undefined : inlinesByName.get(type)
    if (type !== undefined && definition === undefined) {
      readUnknownItem(read, wire, type)
      return
    }
    const nodes = definition?.read(withAttributes(wire), reading) ?? 'content'
    if (nodes === 'content') readMarked(read, wire, definition)
    else append(read, withMarks(wire, nodes, definition))
  }

  function readUnknownItem(read: Inline[], wire: WireObject, type: string): void {
    const block = blocksByName.get(type)
    if (block !== undefined) {
      append(read, flatten(readBlock(wire), block.type))
      return
    }
    const { picture, others } = splitPicture(withAttributes(wire)) ?? {}
    if (picture !== undefined) {
      limits.warn('inline_unknown', `inline content of type "${type}" is not known; its picture is kept`)
      append(read, flatten(readBlock({ ...picture, type: 'image' }), 'image'))
      if (others !== undefined) readMarked(read, others, undefined)
      return
    }
    const isContainer = containers.test(type)
    if (!isContainer)
      limits.warn('inline_unknown', `inline content of type "${type}" is not known; its text is kept`)
    const before = read.length
    if (isContainer) read.push(SPACE)
    readMarked(read, wire, undefined)
    if (isContainer || read.length === before) read.push(SPACE)
  }

  function readMarked(read: Inline[], wire: WireObject, own: InlineDefinition<Inline> | undefined): void {
    const isLinked = !own?.hasAddress && targetOf(wire) !== undefined
    if (isLinked || Array.isArray(wire.marks) || Object.values(wire).includes(true))
      append(read, withMarks(wire, contentOf(wire), own))
    else readContent(read, wire)
  }

  function contentOf(wire: WireObject): Inline[] {
    const read: Inline[] = []
    readContent(read, wire)
    return read
  }

  function readContent(read: Inline[], written: WireObject): void {
    const wire = withAttributes(written)
    const text = textMember(wire)
    if (text === undefined) {
      const words = plainText(wire).trim()
      if (words !== '')
        limits.warn('inline_unknown', 'the text of inline content is not where it is read; it is kept')
      readInto(read, words)
      return
    }
    const start = read.length
    readInto(read, text)
    const hasAddress = targetOf(wire) !== undefined
    let hasOthers = false
    for (const name in wire) {
      const further = wire[name]
      hasOthers ||= !isOfItem(name)
      if (!humanReadable.has(name) || (name === 'title' && hasAddress)) continue
      // A number beside a text is a count or an id.
      if (further === text || further === null || !['string', 'object'].includes(typeof further)) continue
      if (unknown().repeats(() => inlineText(read.slice(start)), further)) continue
      limits.warn('inline_unknown', `inline content has a text under "${name}" too; it follows the other`)
      if (read.length > start) read.push(SPACE)
      readInto(read, unknown().asItem(further))
    }
    if (hasOthers)
      warnOfUnread(wire, {
        what: 'inline content',
        isKnown: isOfItem,
        free: () => [],
        read: () => JSON.stringify(read.slice(start)),
      })
  }

  /** @param own the format that the item is by its type */
  function withMarks(
    wire: WireObject,
    children: Inline[],
    own: InlineDefinition<Inline> | undefined,
  ): Inline[] {
    let marked = children
    if (Object.values(wire).includes(true))
      for (const [name, format] of flags)
        if (wire[name] === true && format !== own?.type) marked = wrap(format, marked)
    if (Array.isArray(wire.marks)) for (const mark of wire.marks) marked = applyMark(mark, marked)
    const href = own?.hasAddress ? undefined : targetOf(wire)
    return href === undefined ? marked : [linkTo(wire, href, marked, reading)]
  }

  /** A mark of ProseMirror and its relatives: a name, or `{"type": "link", "attrs": {"href": "…"}}`. */
  function applyMark(mark: unknown, children: Inline[]): Inline[] {
    const wire = typeof mark === 'string' ? { type: mark } : isWireObject(mark) ? withAttributes(mark) : {}
    const definition = inlinesByName.get(wireType(wire) ?? '')
    const href = targetOf(wire)
    if (href !== undefined) return [linkTo(wire, href, children, reading)]
    if (definition?.isFlag) return wrap(definition.type, children)
    limits.warn('inline_unknown', `the mark ${JSON.stringify(wireType(wire) ?? '')} of a text is not known`)
    return children
  }

  /** The running text of blocks, for places that hold no blocks. A picture stays one, and another address becomes a link. */
  function flatten(blocks: readonly Block[], type: Block['type']): Inline[] {
    if (type !== 'paragraph' && type !== 'image')
      limits.warn(
        'block_flattened',
        `a block of type "${type}" amid text is kept as its text; a post cannot hold it there`,
      )
    const pieces: Inline[][] = []
    walkBlocks(blocks, (block) => {
      if ('url' in block) {
        const { url } = block
        const isPicture = block.type === 'image'
        const href = isPicture ? block.link : url
        const children: Inline[] = isPicture
          ? [{ type: 'inline_image', url, alt: block.alt, ...(block.width && { width: block.width }) }]
          : [{ type: 'text', text: url }]
        pieces.push(href === undefined ? children : [{ type: 'link', href, children }])
      }
      for (const part of partsOf(block))
        if (Array.isArray(part) && inlineText(part).trim() !== '') pieces.push(part)
    })
    return pieces.flatMap((piece, index) => [index === 0 ? SPACE : BREAK, ...piece, SPACE])
  }

  function isInlineEntry(value: unknown, run: readonly unknown[]): boolean {
    if (!isWireObject(value)) return !Array.isArray(value)
    const type = blockType(value)
    if (type === undefined) return isPlainInline(value)
    if (type === 'text') return true
    // `code` is a block by itself, and a format amid text.
    if (blocksByName.has(type)) return inlinesByName.has(type) && run.some(isWireObject)
    return inlinesByName.has(type)
  }
}

function append(read: Inline[], inlines: readonly Inline[]): void {
  for (const inline of inlines) read.push(inline)
}

/** Names of formats that are set to true, the outermost last. */
const flags: ReadonlyMap<string, Inline['type']> = new Map(
  [...inlinesByName]
    .flatMap(([name, { type, isFlag }]) => (isFlag && name !== 'key' ? [[name, type] as const] : []))
    .reverse(),
)

const wrap = (type: Inline['type'], children: Inline[]): Inline[] =>
  children.length > 0 ? [{ type, children } as Inline] : []

const itemMembers: ReadonlySet<string> = new Set('type url href target rel marks'.split(' '))

/** Whether a member of an item is read elsewhere, or says how it looks. */
const isOfItem = (name: string): boolean =>
  itemMembers.has(name) || humanReadable.has(name) || flags.has(name)

/** Items and cells amid text; their content is read as text. */
const containers = /^(list_?)?item$|^li$|^(table_?)?(cell|header|row)$|^t[dhr]$/

/** By spelling: the members that it is one of, and its place among their spellings. */
type Names = ReadonlyMap<string, readonly { member: string; rank: number }[]>

function namesIn(definition: BlockDefinition<Block>): Names {
  const names = new Map<string, { member: string; rank: number }[]>()
  for (const [member, spellings] of Object.entries<readonly string[]>(definition.names))
    for (const [rank, spelling] of spellings.entries())
      names.set(spelling, [...(names.get(spelling) ?? []), { member, rank }])
  return names
}

const namesByType = new Map([...blocksByName].map(([type, definition]) => [type, namesIn(definition)]))

/** The members of a block as {@link firstMember} finds each, by what is there: most spellings are not. */
function membersAs(names: Names, wire: WireObject): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  const ranks: Record<string, number> = {}
  for (const name in wire) {
    const value = wire[name]
    if (value === undefined || value === null) continue
    for (const { member, rank } of names.get(name) ?? []) {
      const own = isEmptyMember(value) ? rank + AFTER_ALL : rank
      if (own >= (ranks[member] ?? Number.POSITIVE_INFINITY)) continue
      ranks[member] = own
      members[member] = value
    }
  }
  return members
}

/** Beyond the rank of any spelling: what is empty goes last. */
const AFTER_ALL = 1_000

/** Whether an object has words beside the members that were read. Cheap, as it runs for every block. */
function hasOthers(wire: WireObject, isOther: (name: string) => boolean): boolean {
  for (const name in wire)
    if (typeof wire[name] !== 'number' && typeof wire[name] !== 'boolean' && isOther(name)) return true
  return false
}

/** A word that says how a thing is, and is no text. */
const isWordOfSetting = (name: string, value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]+$/.test(value) && nonTextMembers.test(name)

const isRead = (value: unknown, members: WireObject): boolean => {
  for (const name in members) if (members[name] === value) return true
  return false
}

/** Members that say how a block looks, and not what it says. */
const looks: ReadonlySet<string> = new Set(['level', 'align', 'width', 'height'])

const hasContent = (members: WireObject): boolean => {
  for (const name in members) if (members[name] !== undefined && !looks.has(name)) return true
  return false
}

const textsIn = (blocks: readonly Block[]): string => textsOf(blocks).map(inlineText).join(' ')
