import { closestName, unknownMemberMessage } from '../contract/issues.ts'
import { countTextUnits, percentDecoded } from '../contract/payload.ts'
import { excerpt } from '../lib/text.ts'
import { safeAnchor } from '../render/escape.ts'
import type { Audio } from './audio/index.ts'
import type { InlineDefinition } from './define.ts'
import {
  type Document,
  isVisible,
  Limits,
  type NormalisedDocument,
  partsOf,
  textsOf,
  walkBlocks,
} from './document.ts'
import { NoteReading, notesListed } from './footnotes/index.ts'
import { alternativeNames } from './image/index.ts'
import { type Block, blocksByName, type Inline, inlinesByName } from './index.ts'
import { linkTo, targetOf } from './inlines/link.ts'
import { leaveOutAlign, paragraphsOf } from './paragraph/index.ts'
import { isPlainInline, splitPicture, UnknownReader } from './unknown.ts'
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
  isWireObject,
  isWords,
  listOf,
  nonTextMembers,
  plainText,
  setOf,
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
  const reading = new Reading()
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
function readNarration(wire: WireObject, reading: Reading): Audio | undefined {
  const url = addressOf(wire.audio) ?? addressOf(wire.audio_url)
  if (url === undefined) return undefined
  if (isWireObject(wire.audio)) warnOfWords(wire.audio, 'the narration', reading)
  return { type: 'audio', url: reading.file('audio', url) }
}

/** The alternative text may stand with another spelling of the picture, or with its copy in the body. */
function readFeaturedImage(
  data: WireDocument,
  blocks: readonly Block[],
  reading: Reading,
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
function warnOfDeadLinks(blocks: readonly Block[], reading: Reading): void {
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
function warnOfWords(wire: WireObject, what: string, reading: Reading): void {
  for (const name of ['caption', 'title', 'description', 'credit', 'transcript'])
    if (plainText(wire[name]).trim() !== '')
      reading.warn(
        'text_left_out',
        `the "${name}" of ${what} is not shown in a post, and its text is left out`,
      )
}

/** Names of one document that are compared with those that its blocks lack. */
const MAX_NAMES = 1_000

/** Members by which senders know and style their blocks. */
const sendersOwn =
  /^(?:[_$@].*|data-.*|type|kind|styles?|class(?:es|name|list)?|.*(?:[iI][dD]s?|[kK]eys?)|attrs|data|props|meta(?:data)?|.*[pP]rompt|font.*)$/

const SPACE: Inline = { type: 'text', text: ' ' }
const BREAK: Inline = { type: 'break' }

/** What is known of the members of a thing. */
export interface UnreadMembers {
  what: string
  /** Whether a member is read, or warned of elsewhere. */
  isKnown(name: string): boolean
  /** The members that the thing has not. */
  free(): string[]
  /** What was read, where all else is lost. */
  read?(): string
}

/** Reads the blocks of one document from any spelling. What a type is and may be called stands in its definition alone. */
export class Reading extends Limits {
  readonly notes = new NoteReading((value) => this.inlines(value))
  #unknownReader: UnknownReader | undefined
  /** A slip of the fingers stands in many blocks and is one. */
  readonly #misspelled = new Set<string>()
  #compared = 0

  /** Most documents need none. */
  get #unknown(): UnknownReader {
    this.#unknownReader ??= new UnknownReader(this)
    return this.#unknownReader
  }

  /** Inline content: a string, a number, one item, or an array of them. A block in it is kept as its text. */
  inlines(value: unknown): Inline[] {
    const read: Inline[] = []
    this.#readInto(read, value)
    return read
  }

  /** Formats and an address that an item has as members: `{"text": "x", "bold": true}`. */
  marks(wire: WireObject, children: Inline[]): Inline[] {
    return this.#withMarks(wire, children, undefined)
  }

  /**
   * Text, pictures and addresses that an object has beyond what is read of it, kept with a warning.
   * @param what the object, for the warning: `a list item`
   * @param isRead whether a member is read, or says how something looks
   * @param read the words that were read; they are not kept twice
   * @returns what heads the object, and what follows it
   */
  rest(
    wire: WireObject,
    what: string,
    isRead: (name: string) => boolean,
    read: () => string,
  ): [before: Block[], after: Block[]] {
    const names = Object.keys(wire).filter((name) => !isRead(name) && isWords(wire[name]))
    return names.length === 0 ? [[], []] : this.#unknown.rest(wire, what, names, read)
  }

  /** What may stand in a container: blocks, and running text between them as paragraphs. */
  blocks(value: unknown): Block[] {
    return this.#readEntries(listOf(value))
  }

  document(entries: readonly unknown[]): Block[] {
    const enter = (index: number, value: unknown) => {
      this.notes.at = index
      this.enter(`data.content.content.${index}`, `Block ${index + 1} (${wireType(value) ?? 'no type'})`)
    }
    const listed = entries.map(notesWithin)
    if (listed.every((notes) => notes.length === 0)) return this.#readEntries(entries, enter)
    // What is listed is known before the text refers to it, and what is left of it stands at the end.
    for (const [index, notes] of [...listed.entries()].reverse()) this.notes.list(notes, index)
    const isList = entries.map((entry) => notesListed(entry).length > 0)
    const ordered = [...entries.entries()].sort(
      ([one], [other]) => Number(isList[one]) - Number(isList[other]),
    )
    return this.#readEntries(
      ordered.map(([, value]) => value),
      (at, value) => enter(ordered[at]?.[0] ?? at, value),
    )
  }

  /** Blocks, and running text between them: strings alone are a paragraph each, other runs are one. */
  #readEntries(entries: readonly unknown[], enter?: (index: number, value: unknown) => void): Block[] {
    const blocks: Block[] = []
    let run: unknown[] = []
    const endRun = () => {
      const isOneText = !run.every((value) => typeof value === 'string')
      for (const part of isOneText ? [run] : run)
        for (const paragraph of paragraphsOf(this.inlines(part))) {
          this.count()
          blocks.push(paragraph)
        }
      run = []
    }
    for (const [index, value] of entries.entries()) {
      const isRunning = this.#isInlineEntry(value, run)
      if (!isRunning) endRun()
      if (!isRunning || run.length === 0) enter?.(index, value)
      if (isRunning) run.push(value)
      else {
        this.count()
        for (const block of isWireObject(value) ? this.block(value) : this.blocks(value)) blocks.push(block)
      }
    }
    endRun()
    return blocks
  }

  /** Pictures, lists and other blocks amid text stand between its parts. */
  mixed(written: unknown): (Inline[] | Block)[] {
    const parts: (Inline[] | Block)[] = []
    let run: unknown[] = []
    const endRun = () => {
      const inlines = this.inlines(run)
      if (inlines.length > 0) parts.push(inlines)
      run = []
    }
    for (const value of listOf(written)) {
      const type = blockType(value)
      if (type === undefined || inlinesByName.has(type) || !blocksByName.has(type)) run.push(value)
      else {
        endRun()
        for (const block of this.block(value as WireObject)) parts.push(block)
      }
    }
    endRun()
    return parts
  }

  block(written: WireObject): Block[] {
    const type = blockType(written)
    const definition = type === undefined ? undefined : blocksByName.get(type)
    if (type === undefined || definition === undefined) return this.#unknown.block(written)
    const wire = withAttributes(written)
    const { members: spellings, names } = namesByType.get(type) as Names
    const members: Record<string, unknown> = {}
    for (const [name, all] of spellings) members[name] = firstMember(wire, all)
    const blocks = definition.read(members, this, type)
    for (const name in wire) {
      const value = wire[name]
      if (!names.has(name) || isRead(value, members) || !isWordOfSetting(name, value)) continue
      const message = `the "${name}" of this ${definition.type} is not read, since another member says it: “${value}”`
      this.warn('member_unknown', message)
    }
    const isOther = (name: string): boolean =>
      names.has(name)
        ? !isRead(wire[name], members) && !isWordOfSetting(name, wire[name])
        : humanReadable.has(name)
    const isAlone = !hasOthers(wire, isOther)
    const isEmpty = blocks.length === 0 || (isAlone && !hasContent(members) && !blocks.some(isVisible))
    const isUnknown = isEmpty && !definition.standsElsewhere && hasWords(wire)
    this.warnOfUnread(wire, {
      what: `this ${definition.type}`,
      isKnown: (name) => names.has(name) || humanReadable.has(name),
      free: () => spellings.flatMap(([name, all]) => (members[name] === undefined ? all : [])),
      ...(isUnknown ? {} : { read: () => JSON.stringify(blocks) }),
    })
    if (!('align' in definition.names)) leaveOutAlign(wire, `this ${definition.type}`, this)
    if (isUnknown) return this.#unknown.block(wire)
    if (isAlone) return blocks
    const [before, after] = this.rest(
      wire,
      `this ${definition.type}`,
      (name) => !isOther(name),
      () => textsIn(blocks),
    )
    return before.length + after.length === 0 ? blocks : [...before, ...blocks, ...after]
  }

  warnOfUnread(wire: WireObject, { what, isKnown, free, read }: UnreadMembers): void {
    for (const name in wire) {
      if (isKnown(name) || sendersOwn.test(name)) continue
      const value = wire[name]
      const mayBeLost = isWords(value) && (!nonTextMembers.test(name) || listOf(value).some(isAddress))
      if (read && mayBeLost) this.#unknown.warnOfLost(name, what, value, read)
      if (this.#compared >= MAX_NAMES || this.#misspelled.has(`${what} ${name}`)) continue
      this.#compared += 1
      const candidates = free()
      if (closestName(name, candidates) === undefined) continue
      this.#misspelled.add(`${what} ${name}`)
      this.warn('member_unknown', unknownMemberMessage(name, candidates))
    }
  }

  #readInto(read: Inline[], value: unknown): void {
    if (Array.isArray(value)) {
      this.#readAll(read, value)
      return
    }
    this.countInline()
    if (typeof value === 'string') {
      if (value !== '') read.push({ type: 'text', text: value })
    } else if (typeof value === 'number') read.push({ type: 'text', text: String(value) })
    else if (value === true)
      this.warn('inline_unknown', 'true stands where a text is expected; it is left out')
    else if (isWireObject(value)) this.#readItem(read, value)
  }

  #readAll(read: Inline[], values: readonly unknown[]): void {
    let before: unknown
    for (const value of values) {
      if (areWordsApart(before, value)) read.push(SPACE)
      before = value
      this.#readInto(read, value)
    }
  }

  /** Appends to `read`, so that deep content is not copied again at each level. */
  #readItem(read: Inline[], wire: WireObject): void {
    const type = wireType(wire)
    const definition = type === undefined ? undefined : inlinesByName.get(type)
    if (type !== undefined && definition === undefined) {
      this.#readUnknownItem(read, wire, type)
      return
    }
    const nodes = definition?.read(withAttributes(wire), this) ?? 'content'
    if (nodes === 'content') this.#readMarked(read, wire, definition)
    else append(read, this.#withMarks(wire, nodes, definition))
  }

  #readUnknownItem(read: Inline[], wire: WireObject, type: string): void {
    const block = blocksByName.get(type)
    if (block !== undefined) {
      append(read, this.#flatten(this.block(wire), block.type))
      return
    }
    const { picture, others } = splitPicture(withAttributes(wire)) ?? {}
    if (picture !== undefined) {
      this.warn('inline_unknown', `inline content of type "${type}" is not known; its picture is kept`)
      append(read, this.#flatten(this.block({ ...picture, type: 'image' }), 'image'))
      if (others !== undefined) this.#readMarked(read, others, undefined)
      return
    }
    const isContainer = containers.test(type)
    if (!isContainer)
      this.warn('inline_unknown', `inline content of type "${type}" is not known; its text is kept`)
    const before = read.length
    if (isContainer) read.push(SPACE)
    this.#readMarked(read, wire, undefined)
    if (isContainer || read.length === before) read.push(SPACE)
  }

  #readMarked(read: Inline[], wire: WireObject, own: InlineDefinition<Inline> | undefined): void {
    const isLinked = !own?.hasAddress && targetOf(wire) !== undefined
    if (isLinked || Array.isArray(wire.marks) || Object.values(wire).includes(true))
      append(read, this.#withMarks(wire, this.contentOf(wire), own))
    else this.#readContent(read, wire)
  }

  contentOf(wire: WireObject): Inline[] {
    const read: Inline[] = []
    this.#readContent(read, wire)
    return read
  }

  #readContent(read: Inline[], written: WireObject): void {
    const wire = withAttributes(written)
    const text = textMember(wire)
    if (text === undefined) {
      const words = plainText(wire).trim()
      if (words !== '')
        this.warn('inline_unknown', 'the text of inline content is not where it is read; it is kept')
      this.#readInto(read, words)
      return
    }
    const start = read.length
    this.#readInto(read, text)
    const hasAddress = targetOf(wire) !== undefined
    let hasOthers = false
    for (const name in wire) {
      const further = wire[name]
      hasOthers ||= !isOfItem(name)
      if (!humanReadable.has(name) || (name === 'title' && hasAddress)) continue
      // A number beside a text is a count or an id.
      if (further === text || further === null || !['string', 'object'].includes(typeof further)) continue
      if (this.#unknown.repeats(() => inlineText(read.slice(start)), further)) continue
      this.warn('inline_unknown', `inline content has a text under "${name}" too; it follows the other`)
      if (read.length > start) read.push(SPACE)
      this.#readInto(read, this.#unknown.asItem(further))
    }
    if (hasOthers)
      this.warnOfUnread(wire, {
        what: 'inline content',
        isKnown: isOfItem,
        free: () => [],
        read: () => JSON.stringify(read.slice(start)),
      })
  }

  /** @param own the format that the item is by its type */
  #withMarks(wire: WireObject, children: Inline[], own: InlineDefinition<Inline> | undefined): Inline[] {
    let marked = children
    if (Object.values(wire).includes(true))
      for (const [name, format] of flags)
        if (wire[name] === true && format !== own?.type) marked = wrap(format, marked)
    if (Array.isArray(wire.marks)) for (const mark of wire.marks) marked = this.#applyMark(mark, marked)
    const href = own?.hasAddress ? undefined : targetOf(wire)
    return href === undefined ? marked : [linkTo(wire, href, marked, this)]
  }

  /** A mark of ProseMirror and its relatives: a name, or `{"type": "link", "attrs": {"href": "…"}}`. */
  #applyMark(mark: unknown, children: Inline[]): Inline[] {
    const wire = typeof mark === 'string' ? { type: mark } : isWireObject(mark) ? withAttributes(mark) : {}
    const definition = inlinesByName.get(wireType(wire) ?? '')
    const href = targetOf(wire)
    if (href !== undefined) return [linkTo(wire, href, children, this)]
    if (definition?.isFlag) return wrap(definition.type, children)
    this.warn('inline_unknown', `the mark ${JSON.stringify(wireType(wire) ?? '')} of a text is not known`)
    return children
  }

  /** The running text of blocks, for places that hold no blocks. A picture stays one, and another address becomes a link. */
  #flatten(blocks: readonly Block[], type: Block['type']): Inline[] {
    if (type !== 'paragraph' && type !== 'image')
      this.warn(
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

  #isInlineEntry(value: unknown, run: readonly unknown[]): boolean {
    if (!isWireObject(value)) return !Array.isArray(value)
    const type = blockType(value)
    if (type === undefined) return isPlainInline(value)
    if (type === 'text') return true
    // `code` is a block by itself, and a format amid text.
    if (blocksByName.has(type)) return inlinesByName.has(type) && run.some(isWireObject)
    return inlinesByName.has(type)
  }
}

/** The notes that an entry lists, or that chapters and the like within it do. */
function notesWithin(entry: unknown): ReturnType<typeof notesListed> {
  const isKnown = !isWireObject(entry) || blocksByName.has(blockType(entry) ?? '')
  return isKnown ? notesListed(entry) : Object.values(entry).flatMap(listOf).flatMap(notesWithin)
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

const itemMembers = setOf('type url href target rel marks')

/** Whether a member of an item is read elsewhere, or says how it looks. */
const isOfItem = (name: string): boolean =>
  itemMembers.has(name) || humanReadable.has(name) || flags.has(name)

/** Items and cells amid text; their content is read as text. */
const containers = /^(list_?)?item$|^li$|^(table_?)?(cell|header|row)$|^t[dhr]$/

/** The members of a type with their spellings, and all spellings. */
interface Names {
  members: [name: string, spellings: readonly string[]][]
  names: ReadonlySet<string>
}

const namesByType = new Map<string, Names>(
  [...blocksByName].map(([type, { names }]) => [
    type,
    { members: Object.entries(names), names: new Set(Object.values(names).flat()) },
  ]),
)

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
