import { byName, membersOf } from '../blocks/wire.ts'
import { scalarText, stripTags } from '../lib/text.ts'
import { elementsOf, firstText, type Members, typeName } from './foreign.ts'
import type { FormatAdapter } from './format.ts'
import { isKnown, type ReadBlock, readMedia } from './nodes.ts'
import {
  type ForeignLink,
  type NodeParts,
  readTree,
  type TreeFormat,
  type TreeNode,
  type TreeReading,
} from './tree.ts'

/*
 * Lexical's serialised editor state, and what is built on it: Payload (links, uploads and blocks with `fields`), Ghost
 * (cards, whose captions and words are HTML) and Lexical's own playground.
 */

/** `{root: {type: 'root', children}}`, or the root alone. */
export const lexical: FormatAdapter = {
  name: 'lexical',
  detect: (value) => rootOf(value) !== undefined,
  read: (value) => readTree(format, Array.isArray(value) ? value : [rootOf(value) ?? value]),
}

/** Trees of other kinds (mdast, hast) have a `root` too, and nodes without a `version`. */
function rootOf(value: unknown): Members | undefined {
  const { root, editorState } = membersOf(value)
  const found = [value, root, membersOf(editorState).root].map(membersOf)
  return found.find(
    ({ type, children, version, direction }) =>
      type === 'root' && Array.isArray(children) && (version !== undefined || direction !== undefined),
  )
}

/** The bits of `format`, the lowest first. */
const bits =
  'bold italic strike underline code subscript superscript highlight lowercase uppercase capitalize'.split(
    ' ',
  )

function nodeOf(value: unknown): NodeParts {
  if (typeof value === 'string') return { name: 'text', text: value }
  const { type, text, children, version, fields, ...others } = membersOf(value)
  const { blockType, blockName, id, ...members } = membersOf(fields)
  const isBlock = type === 'block' || type === 'inlineBlock'
  const name = (isBlock && scalarText(blockType)) || scalarText(type)
  const set = typeof others.format === 'number' ? others.format : 0
  const marks = bits.filter((_, bit) => (set & (1 << bit)) !== 0).map((name) => ({ name }))
  return {
    name,
    type: typeOf(name, others.inline !== false, typeof text === 'string'),
    text: scalarText(text),
    attrs: { ...others, ...members },
    file: membersOf(others.value),
    content: elementsOf(children),
    marks: scalarText(others.style).trim() === '' ? marks : [...marks, { name: 'styled', attrs: others }],
    hasOwnMembers: isBlock || /^(?:image|inlineimage|upload|video|audio|file)$/.test(name),
  }
}

/** Editors have texts of their own, with the members of any other; Ghost's are "extended". */
function typeOf(name: string, isInline: boolean, hasText: boolean): string {
  const type = typeName(name.replace(/^extended-?/, ''))
  // Ghost's; those of other formats are headings.
  if (type === 'header') return 'headercard'
  if (type === 'equation') return isInline ? 'inlinemath' : 'blockmath'
  return hasText && !isKnown(type) ? 'text' : type
}

/** Payload's links stand in `fields`, which are among the attributes; those within the CMS have no address. */
function linkOf({ attrs }: TreeNode): ForeignLink {
  const { value, relationTo } = membersOf(attrs.doc)
  const target = firstText(membersOf(value), ['slug']) || scalarText(membersOf(value).id ?? value)
  return {
    url: attrs.url || firstText(membersOf(value), ['url', 'path']),
    title: attrs.title,
    target: [scalarText(relationTo), target].filter(Boolean).join(' '),
  }
}

const blocks = byName<ReadBlock>({
  excalidraw({ reading }) {
    reading.warnings.leftOut('A drawing of Excalidraw is left out: it is no picture with an address.')
    return []
  },
  paywall({ reading }) {
    reading.warnings.leftOut('The paywall is left out: what stands after it is shown to everybody.')
    return []
  },
  'email emailcta'({ attrs, reading }) {
    const words = stripTags(scalarText(attrs.html), ' ').trim()
    reading.warnings.leftOut(`Words for e-mails only are left out: ${words}`)
    return []
  },
})

/** An editor state, or an upload of Payload. */
function nested(value: unknown, reading: TreeReading) {
  const root = rootOf(value)
  if (root !== undefined) return reading.blocks([root])
  const { url, mimeType } = membersOf(value)
  return scalarText(mimeType) !== '' && scalarText(url) !== ''
    ? readMedia(reading.node({ type: 'upload', value }), undefined)
    : undefined
}

const format: TreeFormat = {
  nodeOf,
  wrappers: byName<(node: TreeNode) => ForeignLink | undefined>({
    'link autolink': linkOf,
    'mark overflow': () => undefined,
  }),
  blocks,
  nested,
  isMarkup: true,
  hasSettings: true,
}
