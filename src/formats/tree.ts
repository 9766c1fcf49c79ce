import { byName, isAddress, membersOf, setOf } from '../blocks/wire.ts'
import { excerpt, scalarText } from '../lib/text.ts'
import {
  addressOf,
  flatten,
  isBlank,
  lines,
  listOf,
  type Members,
  nest,
  paragraph,
  partsOfThing,
  plain,
  type Run,
  type Running,
  settings,
  typeName,
  type WireBlock,
  type WireInline,
  wordNames,
} from './foreign.ts'
import { type ForeignDocument, FormatWarnings } from './format.ts'
import { readHtml } from './html.ts'
import { formulaOf, inlines, type ReadBlock, type ReadInline, blocks as sharedBlocks } from './nodes.ts'

/** What a format says of one node of its own. */
export interface NodeParts {
  /** As its format writes it. */
  readonly name: string
  /** As the tables have it; that of the name where left out. */
  readonly type?: string
  readonly text?: string
  readonly attrs?: Members
  /** What the node says of the file that it shows, where that stands apart. */
  readonly file?: Members
  readonly content?: readonly unknown[]
  readonly marks?: readonly ForeignMark[]
  /** Whether a site or a plugin gave it members of its own: those that nobody reads stand below it. */
  readonly hasOwnMembers?: boolean
}

/** A format by any of its names, or a link. */
export interface ForeignMark {
  readonly name: string
  readonly attrs?: Members
  readonly link?: ForeignLink
}

export interface ForeignLink {
  readonly url: unknown
  readonly title?: unknown
  /** What it leads to, where that has no address. */
  readonly target?: string
}

/** Neighbouring blocks that are the items of one list, in a format without lists. */
export class ForeignList {
  readonly items: { readonly content: unknown[]; readonly checked?: boolean | undefined }[] = []
  readonly ordered: boolean
  readonly start: unknown

  constructor(ordered: boolean, start: unknown = 1) {
    this.ordered = ordered
    this.start = start
  }
}

/** What a format has for itself; the types of nodes that formats share stand in nodes.ts. */
export interface TreeFormat {
  nodeOf(value: unknown): NodeParts
  readonly inlines?: ReadonlyMap<string, ReadInline>
  /** Nodes of running text that hold others, such as links; `undefined` where only their content counts. */
  readonly wrappers?: ReadonlyMap<string, (node: TreeNode) => ForeignLink | undefined>
  readonly blocks?: ReadonlyMap<string, ReadBlock>
  /** What a member holds where that is a document itself. */
  nested?(value: unknown, reading: TreeReading): readonly WireBlock[] | undefined
  /** Puts neighbours into one where the format is flat. */
  group?(nodes: readonly unknown[]): unknown[]
  /** Whether its texts are HTML. */
  readonly isMarkup?: boolean
  /** Whether members that nobody reads are settings only. */
  readonly hasSettings?: boolean
}

/** A node while it is read. It knows which of its members were. */
export class TreeNode {
  readonly name: string
  readonly type: string
  readonly text: string
  readonly attrs: Members
  readonly content: readonly unknown[]
  readonly marks: readonly ForeignMark[]
  readonly hasOwnMembers: boolean
  readonly reading: TreeReading
  readonly #file: Members
  readonly #read = new Set<string>()

  constructor(parts: NodeParts, reading: TreeReading) {
    this.name = parts.name
    this.type = parts.type ?? typeName(parts.name)
    this.text = parts.text ?? ''
    this.attrs = parts.attrs ?? {}
    this.content = parts.content ?? []
    this.marks = parts.marks ?? []
    this.hasOwnMembers = parts.hasOwnMembers === true
    this.#file = parts.file ?? {}
    this.reading = reading
  }

  /** The first of these members that is there and not empty. */
  first(...names: readonly string[]): unknown {
    for (const name of names) {
      const value = this.attrs[name] ?? this.#file[name] ?? ''
      if (value === '' || value === false || (Array.isArray(value) && value.length === 0)) continue
      this.#read.add(name)
      return value
    }
    return undefined
  }

  /** The first of these members that is a text. */
  said(...names: readonly string[]): string {
    const isText = (name: string) => scalarText(this.attrs[name] ?? this.#file[name]).trim() !== ''
    return scalarText(this.first(...names.filter(isText)))
  }

  address(...names: readonly string[]): string {
    return addressOf(this.said(...names))
  }

  /** The nodes in it, or where it has none the first of these members, as blocks. */
  blocks(...names: readonly string[]): WireBlock[] {
    return this.content.length > 0 ? this.reading.blocks(this.content) : this.member(...names)
  }

  /** The first of these members as blocks. */
  member(...names: readonly string[]): WireBlock[] {
    const value = this.first(...names)
    return value === undefined ? [] : this.reading.value(value)
  }

  /** The first of these members as running text, and the blocks that have no place in that. */
  running(...names: readonly string[]): { text: Running; others: WireBlock[] } {
    return flatten(this.member(...names))
  }

  /** Those of these members that were not read. */
  unread(names: readonly string[]): string[] {
    return names.filter((name) => !this.#read.has(name))
  }

  /** Members that say nothing to a reader. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#read.add(name)
  }

  /** Names what it says under these members, which have no place in a post. */
  leaveOut(...names: readonly string[]): void {
    for (const name of names) {
      const said = this.said(name)
      if (said !== '') this.reading.warnings.leftOut(`The ${name} of “${this.name}” is left out: ${said}.`)
    }
  }

  /** Names words and addresses that nobody read of a node whose members are known. */
  leaveOutUnread(): void {
    for (const [name, value] of Object.entries(this.attrs))
      if (!this.#read.has(name) && !settings.has(name) && (wordNames.test(name) || isAddress(value)))
        this.leaveOut(name)
  }

  rest(): WireBlock[] {
    const { warnings, format } = this.reading
    const others = Object.entries(this.attrs).filter(
      ([name, value]) => !this.#read.has(name) && value !== this.#file,
    )
    const { blocks, left } = partsOfThing(Object.fromEntries(others), this.reading.nested)
    const what = this.name === '' ? 'a thing without a type' : `“${this.name}”`
    const message = `Left out of ${what}: ${left.join(', ')}.`
    if (left.length > 0 && format.hasSettings) warnings.note(message)
    else if (left.length > 0) warnings.leftOut(message)
    if (blocks.length > 0)
      warnings.changed(`What else ${what} says stands after it in paragraphs of its own.`)
    return blocks
  }
}

/** Text with its formats, and the blocks that stand amid it. */
type Piece = Run | WireBlock

const isRun = (piece: Piece): piece is Run => 'around' in piece
const isBlock = (piece: Piece): piece is WireBlock => !isRun(piece)

export function readTree(format: TreeFormat, nodes: readonly unknown[]): ForeignDocument {
  const reading = new TreeReading(format)
  return { content: reading.blocks(nodes), warnings: reading.warnings.list }
}

/** One reading of a document that is a tree of nodes. Nodes that the format does not know are unwrapped. */
export class TreeReading {
  readonly warnings = new FormatWarnings()
  readonly format: TreeFormat

  constructor(format: TreeFormat) {
    this.format = format
  }

  node(value: unknown): TreeNode {
    return new TreeNode(this.format.nodeOf(value), this)
  }

  /** An object as a node without a type. */
  untyped(value: unknown): TreeNode {
    return new TreeNode({ name: '', attrs: membersOf(value) }, this)
  }

  /** Nodes as blocks; text that stands among blocks by itself is a paragraph. */
  blocks(nodes: readonly unknown[]): WireBlock[] {
    const isInline = nodes.some((value) => this.#inlineOf(this.node(value)) !== undefined)
    return grouped(this.#pieces(nodes, isInline), paragraph)
  }

  /** A node of running text as paragraphs, between which the blocks amid its text stand. */
  paragraphs(node: TreeNode, make: (text: Running) => WireBlock = paragraph): WireBlock[] {
    return grouped(this.#pieces(node.content, true), make)
  }

  /** The running text in a node, and the blocks amid it, which stand after it. */
  running(node: TreeNode): { text: Running; others: readonly WireBlock[] } {
    const pieces = this.#pieces(node.content, true)
    return { text: nest(pieces.filter(isRun)), others: pieces.filter(isBlock) }
  }

  /** What a member holds: a document, a text, a node, or several. */
  value(value: unknown): WireBlock[] {
    const inner = this.nested(value)
    if (inner !== undefined) return [...inner]
    if (Array.isArray(value)) return this.blocks(value)
    if (typeof value === 'object' && value !== null) return this.blocks([value])
    const text = scalarText(value).trim()
    if (this.format.isMarkup) return this.html(text)
    return text === '' ? [] : [paragraph(lines(text))]
  }

  readonly nested = (value: unknown): readonly WireBlock[] | undefined =>
    this.format.nested?.(value, this) ??
    (this.format.isMarkup && typeof value === 'string' && markup.test(value) ? this.html(value) : undefined)

  /** Blocks as the text of a footnote, which holds nothing else. */
  textOnly(blocks: readonly WireBlock[]): Running {
    const { text, others } = flatten(blocks)
    for (const { type, url } of others)
      this.warnings.leftOut(`A footnote holds text only: its ${type} ${scalarText(url)} is left out.`)
    return text
  }

  /** HTML that a node holds; a text without markup is a paragraph as it is. */
  html(text: string): WireBlock[] {
    if (!markup.test(text)) return text.trim() === '' ? [] : [paragraph([text.trim()])]
    const { content, warnings } = readHtml(text)
    this.warnings.addAll(warnings)
    return content as WireBlock[]
  }

  /** All text in nodes, as code and formulas have it. */
  words(nodes: readonly unknown[]): string {
    const wordsOf = (value: unknown): string => {
      const { type, text, content } = this.node(value)
      return breaks.test(type) ? '\n' : text || this.words(content)
    }
    return nodes.map(wordsOf).join('')
  }

  #inlineOf({ type }: TreeNode) {
    const { inlines: own, wrappers } = this.format
    return own?.get(type) ?? wrappers?.get(type) ?? inlines.get(type)
  }

  /** @param isInline whether the nodes stand in running text, where an unknown one is part of it */
  #pieces(nodes: readonly unknown[], isInline: boolean): Piece[] {
    const pieces: Piece[] = []
    this.#collect(nodes, isInline, [], pieces)
    return pieces
  }

  /** @param around the links and formats that the nodes stand in */
  #collect(nodes: readonly unknown[], isInline: boolean, around: readonly WireInline[], into: Piece[]): void {
    for (const value of this.format.group?.(nodes) ?? nodes) {
      if (value instanceof ForeignList) {
        const items = value.items.map(({ content, checked }) => ({ blocks: this.blocks(content), checked }))
        for (const list of listOf(items, value.ordered, value.start)) into.push(list)
        continue
      }
      const node = this.node(value)
      const wrapper = this.format.wrappers?.get(node.type)
      const inline = this.format.inlines?.get(node.type) ?? inlines.get(node.type)
      if (wrapper !== undefined) this.#wrapped(node, wrapper(node), around, into)
      else if (inline !== undefined) into.push(this.#run(inline(node), node, around))
      else if (isInline && node.type === 'math') into.push(this.#run([formulaOf(node)], node, around))
      else {
        const found = this.#block(node)
        if (found === undefined) this.#unwrap(node, isInline, around, into)
        else for (const block of found) into.push(withLink(block, around))
      }
    }
  }

  #block(node: TreeNode): readonly WireBlock[] | undefined {
    const read = this.format.blocks?.get(node.type) ?? sharedBlocks.get(node.type)
    const found = read?.(node)
    if (found !== undefined && node.hasOwnMembers) return [...found, ...node.rest()]
    if (found !== undefined) node.leaveOutUnread()
    return found
  }

  #run(content: Running, node: TreeNode, outer: readonly WireInline[]): Run {
    const types = new Set(outer.map(({ type }) => type))
    const inner = this.#marksOf(node).filter(({ type }) => !types.has(type))
    return { content, around: [...outer, ...inner] }
  }

  /** What lies on a text: its link first, then its formats in one order, so that neighbours can be joined. */
  #marksOf({ marks, text }: TreeNode): WireInline[] {
    const found = new Set<string>()
    let link: WireInline | undefined
    for (const { name, attrs = {}, link: target } of marks) {
      const type = typeName(name)
      const format = formats.get(type)
      if (format !== undefined) found.add(format)
      else if (target !== undefined) link = this.#inner(link, this.#link(target, text))
      else if (looks.has(type)) {
        if (Object.values(attrs).some((value) => value !== null && value !== ''))
          this.warnings.changed('Colours, sizes and typefaces of letters are not kept.')
      } else if (editorial.has(type))
        this.warnings.note(`Marks of the editor (“${type}”) are not kept; their words are.`)
      else if (type !== '' && !codes.has(type)) this.#warnOfMark(name, attrs)
    }
    const kept = formatOrder.filter((format) => found.has(format)).map((type) => ({ type }))
    return [...(link === undefined ? [] : [link]), ...kept]
  }

  #link({ url, title, target }: ForeignLink, words: string): WireInline | undefined {
    const address = addressOf(url)
    if (address !== '')
      return { type: 'link', url: address, ...(scalarText(title) === '' ? {} : { title: scalarText(title) }) }
    this.warnings.leftOut(
      `The link of “${words}” has no address${target ? ` (${target})` : ''}; its words are kept.`,
    )
    return undefined
  }

  /** The outer of two links. */
  #inner(outer: WireInline | undefined, inner: WireInline | undefined): WireInline | undefined {
    if (outer !== undefined && inner !== undefined && outer.url !== inner.url)
      this.warnings.leftOut(`A link cannot stand in another one: its address ${inner.url} is left out.`)
    return outer ?? inner
  }

  /** Warns of a mark without counterpart, whose words are kept, and of what it says itself. */
  #warnOfMark(name: string, attrs: Members): void {
    const { blocks, left } = partsOfThing(attrs)
    const lost = [...blocks.map((block) => `“${plain(block.content) || scalarText(block.url)}”`), ...left]
    const what = `The mark “${name}” is unknown; its words are kept`
    if (lost.length === 0) this.warnings.changed(`${what} without it.`)
    else this.warnings.leftOut(`${what}. Left out of it: ${lost.join(', ')}.`)
  }

  #wrapped(node: TreeNode, target: ForeignLink | undefined, around: readonly WireInline[], into: Piece[]) {
    const link = target && this.#link(target, this.words(node.content))
    const outer = around.find(({ type }) => type === 'link')
    const before = into.length
    const isOutermost = link !== undefined && this.#inner(outer, link) === link
    this.#collect(node.content, true, isOutermost ? [...around, link] : around, into)
    if (link !== undefined && into.slice(before).every((piece) => isRun(piece) && isBlank(piece.content)))
      this.warnings.leftOut(`A link without words is left out: ${link.url}.`)
  }

  #unwrap(node: TreeNode, isInline: boolean, around: readonly WireInline[], into: Piece[]): void {
    const { blocks, left } = partsOfThing(node.attrs, this.nested)
    const what = `“${excerpt(node.name || 'A node without a type', 60)}” has no counterpart`
    const isAlone = node.content.length === 0
    // An empty quote or gallery is nothing that a reader misses.
    const mayBeEmpty = sharedBlocks.has(node.type) || this.format.blocks?.has(node.type)
    if (left.length > 0) this.warnings.leftOut(`${what}. Left out of it: ${left.join(', ')}.`)
    else if (blocks.length > 0 || !isAlone)
      this.warnings.changed(`${what}: what is in it stands in its place.`)
    else if (!mayBeEmpty) this.warnings.leftOut(`${what} and no words: it is left out.`)
    const { text, others } = isInline && isAlone ? flatten(blocks) : { text: [], others: blocks }
    if (text.length > 0) into.push(this.#run(text, node, around))
    for (const block of others) into.push(block)
    if (isInline) this.#collect(node.content, true, around, into)
    else for (const block of this.blocks(node.content)) into.push(block)
  }
}

/** What tells that a text is HTML. */
const markup = /<\/?[a-z!][^<>]*>|&(?:#\w+|[a-z]\w*);/i

const breaks = /^(?:hardbreak|br|linebreak)$/

const formats = byName({
  'bold strong b': 'bold',
  'italic em i emphasis': 'italic',
  'strike strikethrough s del deletion': 'strike',
  'underline u': 'underline',
  'superscript sup': 'superscript',
  'subscript sub': 'subscript',
  'highlight mark backgroundcolor': 'highlight',
  'keyboard kbd': 'keyboard',
})

const formatOrder = [...new Set(formats.values())]

const codes = new Set(['code', 'inlinecode'])

/** Colours and the like, and marks of the editor itself, such as comments beside the text. */
const looks = setOf(
  'textstyle textcolor color fontsize fontfamily font styled border alignment indentation breakout',
)
const editorial = setOf('annotation comment commentmark inlinecomment fragment insertion dataconsumer')

/** A picture in a link leads to where the link does. */
const withLink = (block: WireBlock, around: readonly WireInline[]): WireBlock => {
  const link = around.find(({ type }) => type === 'link')
  return link !== undefined && block.type === 'image' && block.link === undefined
    ? { ...block, link: link.url }
    : block
}

function grouped(pieces: readonly Piece[], make: (text: Running) => WireBlock): WireBlock[] {
  const found: WireBlock[] = []
  let runs: Run[] = []
  const close = () => {
    const text = nest(runs)
    if (!isBlank(text)) found.push(make(text))
    runs = []
  }
  for (const piece of pieces) {
    if (isRun(piece)) {
      runs.push(piece)
      continue
    }
    close()
    found.push(piece)
  }
  close()
  return found
}
