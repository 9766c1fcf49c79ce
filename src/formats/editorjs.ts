import { byName, filled, membersOf, type WireObject } from '../blocks/wire.ts'
import { scalarText } from '../lib/text.ts'
import { elementsOf, type WireBlock } from './foreign.ts'
import type { FormatAdapter } from './format.ts'
import type { ReadBlock } from './nodes.ts'
import { ForeignList, type NodeParts, readTree, type TreeFormat, type TreeNode } from './tree.ts'

/** The output of Editor.js, `{time, blocks, version}`, or its blocks alone. Its texts are HTML. */
export const editorjs: FormatAdapter = {
  name: 'editorjs',
  detect(value) {
    const { blocks = value, version, entityMap } = membersOf(value)
    const list = elementsOf(Array.isArray(value) ? value : blocks)
    if (list.length === 0) return Array.isArray(blocks) && typeof version === 'string'
    return entityMap === undefined && isBlock(list[0])
  },
  read: (value) => readTree(format, elementsOf(Array.isArray(value) ? value : membersOf(value).blocks)),
}

/** Draft.js and Slate have nodes with a type and `data` too, and others beside these. */
function isBlock(value: unknown): boolean {
  const { type, data, id, tunes, ...others } = membersOf(value)
  const isObject = typeof data === 'object' && data !== null
  return typeof type === 'string' && isObject && Object.keys(others).length === 0
}

function nodeOf(value: unknown): NodeParts {
  if (typeof value === 'string') return { name: 'paragraph', attrs: { text: value } }
  const { type, data, tunes, inside } = membersOf(value)
  const { blocks, ...own }: WireObject = Array.isArray(data) ? { items: data } : membersOf(data)
  const { footnotes, ...others } = membersOf(tunes)
  const tuned = Object.values(others).map(membersOf)
  const said = (name: string) => tuned.map((tune) => tune[name]).find((value) => value !== undefined)
  return {
    name: scalarText(type),
    attrs: {
      alignment: said('alignment'),
      anchor: said('anchor'),
      ...own,
      // The numbers stand in the text.
      footnotes: elementsOf(footnotes).map((text) => ({ text })),
    },
    file: membersOf(own.file),
    content: elementsOf(inside ?? blocks),
    hasOwnMembers: true,
  }
}

/** Toggles inside each other. They say how many blocks they hold, so that a flat list may nest deeply. */
const MAX_TOGGLES = 20

/** A toggle counts the blocks after it that it holds. */
function withToggles(values: readonly unknown[], depth = 0): unknown[] {
  const found: unknown[] = []
  for (let at = 0; at < values.length; at += 1) {
    const block = membersOf(values[at])
    if (block.type !== 'toggle' || block.inside !== undefined) {
      found.push(values[at])
      continue
    }
    const { items, fk, ...data } = membersOf(block.data)
    const count = depth < MAX_TOGGLES ? countOf(items) : 0
    const inside = withToggles(values.slice(at + 1, at + 1 + count), depth + 1)
    found.push({ ...block, data, inside })
    at += count
  }
  return found
}

const countOf = (value: unknown): number => Math.max(0, Math.trunc(Number(scalarText(value))) || 0)

function readList(node: TreeNode): WireBlock[] {
  const style = node.type.endsWith('checklist') ? 'checklist' : node.said('style', 'type')
  const start = membersOf(node.first('meta')).start ?? node.first('start')
  return node.reading.blocks([listOf(node.first('items'), style, start)])
}

function listOf(values: unknown, style: string, start?: unknown): ForeignList {
  const list = new ForeignList(style === 'ordered', start)
  for (const value of elementsOf(values)) {
    const { content, text, meta, checked = membersOf(meta).checked, items } = membersOf(value)
    const words = typeof value === 'string' ? value : (content ?? text ?? '')
    list.items.push({
      content: [words, listOf(items, style)],
      checked: style === 'checklist' ? checked === true : undefined,
    })
  }
  return list
}

const format: TreeFormat = {
  nodeOf,
  blocks: byName<ReadBlock>({
    'list nestedlist editorjslist checklist nestedchecklist': readList,
    /** Its code has the colours of its highlighter. */
    codebox(node) {
      const language = node.said('language')
      const blocks = node.reading.html(`<pre><code>${node.said('code')}</code></pre>`)
      return blocks.map((block) => ({ ...block, ...filled({ language }) }))
    },
  }),
  nested(value, reading) {
    const { blocks } = membersOf(value)
    return Array.isArray(blocks) ? reading.blocks(blocks) : undefined
  },
  group: withToggles,
  isMarkup: true,
  hasSettings: true,
}
