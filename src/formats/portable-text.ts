import { byName, listOf, membersOf } from '../blocks/wire.ts'
import { LIMITS } from '../contract/limits.ts'
import { scalarText } from '../lib/text.ts'
import {
  elementsOf,
  firstText,
  flatten,
  type Members,
  partsOfThing,
  plain,
  typeName,
  type WireBlock,
} from './foreign.ts'
import { type FormatAdapter, metaNames, readMeta } from './format.ts'
import { isKnown, type ReadBlock, type ReadInline, readMedia, readText } from './nodes.ts'
import {
  ForeignList,
  type ForeignMark,
  type NodeParts,
  type TreeFormat,
  type TreeNode,
  TreeReading,
} from './tree.ts'

/*
 * Sanity's Portable Text: an array of blocks, and of objects of any type that a site has made for itself. Lists are flat:
 * each item is a block with its kind and level.
 */

/** An array of blocks, one block, or a document of Sanity with such arrays among its members. */
export const portableText: FormatAdapter = {
  name: 'portable_text',
  detect: (value) =>
    isArrayOfBlocks(value) ||
    typeOf(value) === 'block' ||
    (typeOf(value) !== '' && bodiesOf(value).length > 0),
  read(value) {
    const reading = new TreeReading(format)
    const isText = Array.isArray(value) || typeOf(value) === 'block'
    const { meta, bodies } = isText ? { meta: {}, bodies: [value] } : readDocument(membersOf(value), reading)
    const content = bodies.flatMap((body) => reading.blocks(listOf(body)))
    return { meta, content, warnings: reading.warnings.list }
  },
}

const typeOf = (value: unknown): string => scalarText(membersOf(value)._type)

/** Elements that tell whether an array is Portable Text. */
const MAX_DETECTED = 20

const isArrayOfBlocks = (value: unknown): value is readonly unknown[] => {
  const first = elementsOf(value).slice(0, MAX_DETECTED)
  return first.length > 0 && first.every((element) => typeOf(element) !== '')
}

const isText = (value: unknown): value is readonly unknown[] =>
  isArrayOfBlocks(value) && value.slice(0, MAX_DETECTED).some((element) => typeOf(element) === 'block')

const descriptionNames: readonly string[] = metaNames.description

/** Members of a document that are texts; an excerpt is none of its body. */
const bodiesOf = (document: unknown): unknown[] =>
  Object.entries(membersOf(document)).flatMap(([name, value]) =>
    isText(value) && !descriptionNames.includes(name) ? [value] : [],
  )

function readDocument(document: Members, reading: TreeReading) {
  const bodies = bodiesOf(document)
  if (bodies.length === 0) return { meta: {}, bodies: [document] }
  const { meta } = readMeta(document, {
    words: (value) =>
      (isText(value) ? plain(flatten(reading.blocks(value)).text) : scalarText(value)) ||
      scalarText(membersOf(value).current) ||
      undefined,
    picture(value) {
      if (value === undefined) return undefined
      const [image] = readMedia(reading.node(value), 'image')
      return image?.type === 'image' ? { url: scalarText(image.url), alt: scalarText(image.alt) } : undefined
    },
    // Those of Sanity are documents of their own.
    terms: () => undefined,
  })
  return { meta, bodies }
}

function nodeOf(value: unknown): NodeParts {
  if (typeof value === 'string') return { name: 'span', text: value }
  const { _type, _key, text, children, asset, marks, markDefs, around, ...attrs } = membersOf(value)
  const name = scalarText(_type)
  const type = typeName(name)
  const isText = type === 'block' || type === 'span'
  const held = membersOf(attrs.image ?? attrs.file)
  const { definitions, next } = around instanceof Around ? around : new Around(new Map(), undefined)
  const [notes, others] = [namesIn(marks).filter(isNote), namesIn(marks).filter((name) => !isNote(name))]
  return {
    name,
    type: asset !== undefined && !isKnown(type) ? 'image' : type,
    text: scalarText(text),
    attrs: isText
      ? {
          ...attrs,
          footnotes: notes.filter((name) => !next.includes(name)).map((name) => definitions.get(name)),
        }
      : { text, ...attrs },
    file: { ...held, ...membersOf(asset ?? held.asset) },
    content: spansOf(children ?? (type === 'block' ? text : undefined), markDefs),
    marks: others.map((name) => markOf(name, definitions.get(name))),
    hasOwnMembers: !isText,
  }

  function isNote(name: string): boolean {
    return /^(?:foot|end)note$/i.test(scalarText(definitions.get(name)?._type))
  }
}

/** What the block of a span defines of its marks, and which marks the next span has. */
class Around {
  readonly definitions: ReadonlyMap<unknown, Members>
  readonly next: readonly string[]

  constructor(definitions: ReadonlyMap<unknown, Members>, next: unknown) {
    this.definitions = definitions
    this.next = namesIn(membersOf(next).marks)
  }
}

const namesIn = (marks: unknown): string[] => [...new Set(elementsOf(marks).map(scalarText))]

function spansOf(children: unknown, markDefs: unknown): unknown[] {
  const definitions = new Map(elementsOf(markDefs).map((one) => [membersOf(one)._key, membersOf(one)]))
  const spans = listOf(children).map((span) => (typeof span === 'string' ? { text: span } : span))
  return spans.map((span, index) =>
    (membersOf(span)._type ?? 'span') === 'span'
      ? { ...membersOf(span), _type: 'span', around: new Around(definitions, spans[index + 1]) }
      : span,
  )
}

/** A link to a document of Sanity has its id, and no address. */
function markOf(name: string, definition: Members | undefined): ForeignMark {
  if (definition === undefined) return { name }
  const { _type, _key, ...attrs } = definition
  const type = scalarText(_type)
  const url = firstText(attrs, ['href', 'url', 'link', 'value'])
  if (!/link$|reference$/i.test(type) && firstText(attrs, ['href', 'url']) === '')
    return { name: type, attrs }
  const to = membersOf(attrs.reference ?? attrs.internalLink ?? attrs)
  const target = scalarText(membersOf(to.slug).current) || scalarText(to._ref) || 'no target'
  return { name: type, link: { url, title: attrs.title, target } }
}

/** The deepest list that a document may have; levels below are of this one. */
const levelOf = (level: unknown): number =>
  typeof level === 'number' && level > 1 ? Math.min(Math.trunc(level), LIMITS.listDepth) : 1

/** Neighbouring items as lists inside each other. */
function withLists(values: readonly unknown[]): unknown[] {
  const found: unknown[] = []
  /** From the outermost to the innermost, each of a higher level than the one before. */
  let open: { kind: string; level: number; list: ForeignList }[] = []
  for (const value of values.flat()) {
    const { listItem, level, ...block } = membersOf(value)
    const kind = scalarText(listItem)
    if (kind === '') {
      open = []
      found.push(value)
      continue
    }
    const at = levelOf(level)
    open = open.filter((one) => one.level < at || (one.level === at && one.kind === kind))
    let around = open.at(-1)
    if (around === undefined || around.level < at) {
      const list = new ForeignList(/^(?:number|numbered|ordered|decimal)$/i.test(kind))
      const outer = around?.list.items.at(-1)?.content ?? found
      outer.push(list)
      around = { kind, level: at, list }
      open.push(around)
    }
    const checked = /check|task|todo/i.test(kind) ? block.checked === true : undefined
    around.list.items.push({ content: [block], checked })
  }
  return found
}

function readBlock(node: TreeNode): readonly WireBlock[] {
  const { reading } = node
  const style = scalarText(node.attrs.style)
  const [, level] = /^h(?:eading[- ]?)?([1-6])$/i.exec(style) ?? []
  const { text, others } = level === undefined ? { text: [], others: [] } : reading.running(node)
  if (level !== undefined) return [{ type: 'heading', level: Number(level), text }, ...others]
  if (style === 'code' || style === 'pre') return [{ type: 'code_block', value: reading.words(node.content) }]
  const content = reading.paragraphs(node)
  if (/quote$/i.test(style)) return content.length === 0 ? [] : [{ type: 'quote', content }]
  if (!/^(?:normal|paragraph|)$/.test(style))
    reading.warnings.changed(`The style “${style}” is unknown; what has it is a paragraph.`)
  return content
}

/** Portable Text inside a thing, or one of the things that are known. */
const nested = (value: unknown, reading: TreeReading): WireBlock[] | undefined =>
  isArrayOfBlocks(value) || isKnown(typeName(typeOf(value))) || typeOf(value) === 'block'
    ? reading.blocks(listOf(value))
    : undefined

const format: TreeFormat = {
  nodeOf,
  inlines: byName<ReadInline>({
    /** A footnote stands after the last span that it is about. */
    span(node) {
      const notes = elementsOf(node.attrs.footnotes).map((note) => {
        const { _type, _key, ...members } = membersOf(note)
        const { blocks } = partsOfThing(members, node.reading.nested)
        return { type: 'footnote', text: node.reading.textOnly(blocks) }
      })
      return [...readText(node), ...notes]
    },
  }),
  blocks: byName<ReadBlock>({ block: readBlock }),
  nested,
  group: withLists,
}
