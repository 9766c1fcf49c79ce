import { byName, listOf, membersOf } from '../blocks/wire.ts'
import { scalarText } from '../lib/text.ts'
import { elementsOf, firstText, lines, link, type Members, typeName } from './foreign.ts'
import type { FormatAdapter } from './format.ts'
import { formulaOf, type ReadBlock, type ReadInline } from './nodes.ts'
import { type ForeignLink, type ForeignMark, type NodeParts, readTree, type TreeFormat } from './tree.ts'

/*
 * ProseMirror's documents and those of what is built on it: Tiptap, Storyblok, Atlassian's document format. Each names
 * the same nodes and marks in a style of its own.
 */

/** The JSON of ProseMirror's `Node.toJSON`, with `attrs` of any kind. */
export const prosemirror: FormatAdapter = {
  name: 'prosemirror',
  detect(value) {
    const { type, content } = membersOf(value)
    return type === 'doc' && (content === undefined || Array.isArray(content))
  },
  read: (value) => readTree(format, Array.isArray(value) ? value : [value]),
}

function nodeOf(value: unknown): NodeParts {
  if (typeof value === 'string') return { name: 'text', text: value }
  const { type, text, attrs, content, marks, ...others } = membersOf(value)
  const name = scalarText(type)
  const isText = typeName(name) === 'text'
  const words = isText || scalarText(text) === '' ? [] : [text]
  return {
    name,
    text: isText ? scalarText(text) : '',
    attrs: isText ? others : { ...others, ...membersOf(attrs) },
    file: membersOf(membersOf(attrs).data),
    content: content === undefined || content === null ? words : listOf(content),
    marks: elementsOf(marks).map(markOf),
  }
}

function markOf(mark: unknown): ForeignMark {
  const { type, attrs: written } = membersOf(mark)
  const attrs = membersOf(written)
  const name = scalarText(type)
  if (name === 'subsup') return { name: scalarText(attrs.type) }
  return { name, attrs, ...(name === 'link' ? { link: linkOf(attrs) } : {}) }
}

/** Storyblok writes mail addresses without a scheme, and the anchor beside the address. */
function linkOf({ href, anchor, linktype, title, custom }: Members): ForeignLink {
  const scheme = linktype === 'email' && !/^mailto:/i.test(scalarText(href)) ? 'mailto:' : ''
  const place = scalarText(anchor) === '' ? '' : `#${scalarText(anchor)}`
  return { url: `${scheme}${scalarText(href)}${place}`, title: title || membersOf(custom).title }
}

/** Atlassian writes milliseconds since 1970, as text. */
function dateOf(timestamp: unknown): string {
  const date = new Date(Number(scalarText(timestamp)))
  return Number.isNaN(date.getTime()) ? scalarText(timestamp) : date.toISOString().slice(0, 10)
}

const format: TreeFormat = {
  nodeOf,
  inlines: byName<ReadInline>({
    status: ({ attrs }) => lines(firstText(attrs, ['text'])),
    date: ({ attrs }) => [dateOf(attrs.timestamp)],
    inlinecard(node) {
      const url = node.address('url')
      return [url === '' ? node.said('name') : link(url)]
    },
    'math mathematics equation': (node) => [formulaOf(node)],
  }),
  blocks: byName<ReadBlock>({
    'extension inlineextension'({ attrs, reading }) {
      reading.warnings.leftOut(`The macro “${scalarText(attrs.extensionKey)}” of Confluence is left out.`)
      return []
    },
  }),
  nested: (value, reading) => (prosemirror.detect(value) ? reading.blocks([value]) : undefined),
}
