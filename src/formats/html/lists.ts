import { type ChildNode, type Element, isTag, isText } from 'domhandler'
import { type ForeignItem, listOf, type WireBlock } from '../foreign.ts'
import type { Context, HtmlReader } from '../html.ts'
import { alignmentOf, elementsIn, findElement, hasClass, numberOf, styleOf, textOf } from './dom.ts'

export const isList = (element: Element): boolean => /^(?:ul|ol|menu|dir)$/.test(element.name)

export function listBlock(list: Element, context: Context, reader: HtmlReader): WireBlock[] {
  const around = alignmentOf(list) ?? context.align
  const flat = elementsIn(list.children)
  if (flat.some(({ attribs }) => attribs['data-list'] !== undefined || indentOf(attribs) > 0))
    return looseLists(
      flat.map((item) => itemOfQuill(item, list)),
      { ...context, align: around },
      reader,
    )
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
  if (list.name === 'ol' && flat.slice(1).some(({ attribs }) => attribs.value !== undefined))
    reader.warnings.changed('An item of a list has a number of its own, which becomes the next one.')
  const start = numberOf(list, 'start') ?? (flat[0] && numberOf(flat[0], 'value'))
  return listOf(items, list.name === 'ol', start)
}

/** The box that a task begins with, also in the paragraph or the label of its text. */
function taskBox(nodes: readonly ChildNode[]): Element | undefined {
  const first = nodes.find((node) => isTag(node) || (isText(node) && node.data.trim() !== ''))
  if (first === undefined || !isTag(first)) return undefined
  if (first.name === 'input') return first.attribs.type === 'checkbox' ? first : undefined
  if (hasClass(first, 'checkbox')) return first
  return first.name === 'p' || first.name === 'label' ? taskBox(first.children) : undefined
}

function readItem(nodes: readonly ChildNode[], context: Context, reader: HtmlReader): ForeignItem[] {
  const box = taskBox(nodes)
  if (box?.parent) box.parent.children = box.parent.children.filter((child) => child !== box)
  const blocks = reader.blocks(
    nodes.filter((node) => node !== box),
    context,
  )
  const checked = box && (box.attribs.checked !== undefined || hasClass(box, 'checkbox-on'))
  return blocks.length === 0 && box === undefined ? [] : [{ blocks, checked }]
}

interface LooseItem {
  element: Element
  level: number
  ordered: boolean
  start?: number | undefined
  checked?: boolean | undefined
}

/**
 * `<li>` outside a list, a paragraph that Word means as an item, `mso-list: l0 level2 lfo1`, or the items of one level of a list,
 * as Google Docs has them beside each other: `lst-kix_a1-2`.
 */
function looseItemsIn(element: Element): LooseItem[] {
  if (element.name === 'li') return [{ element, level: 1, ordered: false }]
  const [, depth] = (isList(element) && /\blst-kix_\w+-(\d)\b/.exec(element.attribs.class ?? '')) || []
  if (depth !== undefined) {
    const own = {
      level: Number(depth) + 1,
      ordered: element.name === 'ol',
      start: numberOf(element, 'start'),
    }
    return elementsIn(element.children).map((item) => ({ element: item, ...own }))
  }
  const [, level] = /\blevel(\d)\b/.exec(styleOf(element, 'mso-list')) ?? []
  if (level === undefined) return []
  const sign = signOf(element)
  const ordered = sign !== undefined && /^[\da-z]+[.)]/i.test(textOf(sign))
  return [{ element, level: Number(level), ordered }]
}

/** Quill has all items in one list, with what they are beside them. */
function itemOfQuill(element: Element, list: Element): LooseItem {
  const kind = element.attribs['data-list'] ?? (list.name === 'ol' ? 'ordered' : 'bullet')
  const checked = kind.endsWith('checked') ? kind === 'checked' : undefined
  return { element, level: 1 + indentOf(element.attribs), ordered: kind === 'ordered', checked }
}

const indentOf = (attribs: Element['attribs']): number =>
  Number(/\bql-indent-(\d)\b/.exec(attribs.class ?? '')?.[1] ?? 0)

/** The bullet or number that Word writes as text. */
const signOf = (element: Element): Element | undefined =>
  findElement(element.children, (child) => styleOf(child, 'mso-list') === 'ignore')

/** The items in a row that begin at `start`, and where the row ends; undefined where there is none. */
export function looseItems(nodes: readonly ChildNode[], start: number) {
  const items: LooseItem[] = []
  let end = start
  for (let index = start; index < nodes.length; index += 1) {
    const node = nodes[index] as ChildNode
    const found = isTag(node) ? looseItemsIn(node) : []
    if (found.length === 0 && (isTag(node) || (isText(node) && node.data.trim() !== ''))) break
    if (found.length === 0) continue
    for (const item of found) items.push(item)
    end = index + 1
  }
  return items.length === 0 ? undefined : { items, end }
}

/** The lists of loose items: deeper ones belong to the item before them. */
export function looseLists(items: readonly LooseItem[], context: Context, reader: HtmlReader): WireBlock[] {
  const lists: WireBlock[] = []
  for (let at = 0; at < items.length; ) {
    const { level, ordered, start: first } = items[at] as LooseItem
    const found: ForeignItem[] = []
    for (let item = items[at]; item?.level === level && item.ordered === ordered; item = items[at]) {
      const start = at + 1
      do at += 1
      while ((items[at]?.level ?? 0) > level)
      const inner = looseLists(items.slice(start, at), context, reader)
      const own = { ...context, align: alignmentOf(item.element) ?? context.align }
      for (const { blocks, checked } of readItem(withoutSign(item.element), own, reader))
        found.push({ blocks: [...blocks, ...inner], checked: item.checked ?? checked })
    }
    lists.push(...listOf(found, ordered, first))
  }
  return lists
}

function withoutSign(element: Element): ChildNode[] {
  const sign = signOf(element)
  if (sign?.parent) sign.parent.children = sign.parent.children.filter((child) => child !== sign)
  return element.children
}
