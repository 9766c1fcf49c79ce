import { type ChildNode, type Element, isTag, isText } from 'domhandler'
import type { WireBlock } from '../foreign.ts'
import type { Context, HtmlReader } from '../html.ts'
import { type ForeignItem, listOf } from '../things.ts'
import { alignmentOf, elementsIn, findElement, numberOf, styleOf, textOf } from './dom.ts'

export const isList = (element: Element): boolean => /^(?:ul|ol|menu|dir)$/.test(element.name)

export function listBlock(list: Element, context: Context, reader: HtmlReader): WireBlock[] {
  const around = alignmentOf(list) ?? context.align
  const items: ForeignItem[] = []
  for (const child of list.children) {
    const last = items.at(-1)
    // Word processors put a list beside the item that it belongs to.
    if (isTag(child) && isList(child) && last !== undefined)
      last.blocks.push(...listBlock(child, context, reader))
    else {
      const inside = isTag(child) && child.name === 'li' ? child.children : [child]
      const align = (isTag(child) ? alignmentOf(child) : undefined) ?? around
      items.push(...readItem(inside, { ...context, align }, reader))
    }
  }
  const numbers = list.attribs.type ?? styleOf(elementsIn(list.children)[0] ?? list, 'list-style-type')
  if (
    list.name === 'ol' &&
    (/^[ai]$|alpha|latin|roman|greek/i.test(numbers) || list.attribs.reversed !== undefined)
  )
    reader.warnings.changed('The letters, Roman or falling numbers of a list become 1, 2, 3.')
  // Quill writes each list as `<ol>`.
  const isNumbered = list.name === 'ol' && elementsIn(list.children)[0]?.attribs['data-list'] !== 'bullet'
  return listOf(items, isNumbered, numberOf(list, 'start'))
}

/** The box that a task begins with, also in the paragraph or the label of its text. */
function taskBox(nodes: readonly ChildNode[]): Element | undefined {
  const first = nodes.find((node) => isTag(node) || (isText(node) && node.data.trim() !== ''))
  if (first === undefined || !isTag(first)) return undefined
  if (first.name === 'input') return first.attribs.type === 'checkbox' ? first : undefined
  return first.name === 'p' || first.name === 'label' ? taskBox(first.children) : undefined
}

function readItem(nodes: readonly ChildNode[], context: Context, reader: HtmlReader): ForeignItem[] {
  const box = taskBox(nodes)
  if (box?.parent) box.parent.children = box.parent.children.filter((child) => child !== box)
  const blocks = reader.blocks(
    nodes.filter((node) => node !== box),
    context,
  )
  const checked = box && box.attribs.checked !== undefined
  return blocks.length === 0 && box === undefined ? [] : [{ blocks, checked }]
}

interface LooseItem {
  element: Element
  level: number
  ordered: boolean
}

/** `<li>` outside a list, or a paragraph that Word means as an item: `mso-list: l0 level2 lfo1`. */
function looseItem(element: Element): LooseItem | undefined {
  if (element.name === 'li') return { element, level: 1, ordered: false }
  const [, level] = /\blevel(\d)\b/.exec(styleOf(element, 'mso-list')) ?? []
  if (level === undefined) return undefined
  const sign = signOf(element)
  const ordered = sign !== undefined && /^[\da-z]+[.)]/i.test(textOf(sign))
  return { element, level: Number(level), ordered }
}

/** The bullet or number that Word writes as text. */
const signOf = (element: Element): Element | undefined =>
  findElement(element.children, (child) => styleOf(child, 'mso-list') === 'ignore')

/** The items in a row that begin at `start`, and where the row ends; undefined where there is none. */
export function looseItems(nodes: readonly ChildNode[], start: number) {
  const items: LooseItem[] = []
  let end = start
  for (let index = start; index < nodes.length; index += 1) {
    const node = nodes[index] as ChildNode
    const item = isTag(node) ? looseItem(node) : undefined
    if (item === undefined && (isTag(node) || (isText(node) && node.data.trim() !== ''))) break
    if (item === undefined) continue
    items.push(item)
    end = index + 1
  }
  return items.length === 0 ? undefined : { items, end }
}

/** The lists of loose items: deeper ones belong to the item before them. */
export function looseLists(items: readonly LooseItem[], context: Context, reader: HtmlReader): WireBlock[] {
  const lists: WireBlock[] = []
  for (let at = 0; at < items.length; ) {
    const { level, ordered } = items[at] as LooseItem
    const found: ForeignItem[] = []
    for (let item = items[at]; item?.level === level && item.ordered === ordered; item = items[at]) {
      const start = at + 1
      do at += 1
      while ((items[at]?.level ?? 0) > level)
      const inner = looseLists(items.slice(start, at), context, reader)
      const own = { ...context, align: alignmentOf(item.element) ?? context.align }
      for (const { blocks, checked } of readItem(withoutSign(item.element), own, reader))
        found.push({ blocks: [...blocks, ...inner], checked })
    }
    lists.push(...listOf(found, ordered, 1))
  }
  return lists
}

function withoutSign(element: Element): ChildNode[] {
  const sign = signOf(element)
  if (sign?.parent) sign.parent.children = sign.parent.children.filter((child) => child !== sign)
  return element.children
}
