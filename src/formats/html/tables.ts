import { type ChildNode, type Element, isTag } from 'domhandler'
import { tableOf, type WireBlock } from '../foreign.ts'
import type { Context, HtmlReader } from '../html.ts'
import { alignmentOf, findNamed } from './dom.ts'
import { simplified } from './running-text.ts'

interface Row {
  section: string
  cells: Element[]
}

interface TableParts {
  rows: Row[]
  caption?: Element
  /** What stands in no cell, which a browser shows above the table. */
  loose: ChildNode[]
}

/** Classes of a cell that numbers the lines of code in the next one. */
const numbersOfLines = /(?:^|\s)(?:linenos|gutter|rouge-gutter|lineno)(?:\s|$)/

/** Takes a table apart, as a browser does where a form or something else stands between its rows. */
function takeApart(nodes: readonly ChildNode[], into: TableParts, section = 'tbody', row?: Row): TableParts {
  let open = row
  for (const node of nodes) {
    const name = isTag(node) ? node.name : ''
    if (!isTag(node) || !/^(?:caption|t(?:head|body|foot|r|d|h)|form)$/.test(name)) into.loose.push(node)
    else if (name === 'caption') into.caption ??= node
    else if (name === 'td' || name === 'th') {
      if (numbersOfLines.test(node.attribs.class ?? '')) continue
      if (open === undefined) {
        open = { section, cells: [] }
        into.rows.push(open)
      }
      open.cells.push(node)
    } else {
      const inner = name === 'tr' ? { section, cells: [] } : name === 'form' ? open : undefined
      if (name === 'tr') into.rows.push(inner as Row)
      takeApart(node.children, into, /^t(?:head|body|foot)$/.test(name) ? name : section, inner)
    }
  }
  return into
}

const sections = ['thead', 'tbody', 'tfoot']

/** Mail and old pages put what they show into tables; those are no tables for a reader. */
function isLayout(table: Element, { rows, caption }: TableParts): boolean {
  if (/^(?:presentation|none)$/.test(table.attribs.role ?? '')) return true
  const cells = rows.flatMap(({ cells }) => cells)
  if (caption !== undefined || cells.length === 1) return caption === undefined
  return findNamed(table.children, 'table').length > 0 && cells.every(({ name }) => name === 'td')
}

export function tableBlocks(table: Element, context: Context, reader: HtmlReader): WireBlock[] {
  const parts = takeApart(table.children, { rows: [], loose: [] })
  const all = parts.rows.filter(({ cells }) => cells.length > 0)
  const rows = sections.flatMap((name) => all.filter(({ section }) => section === name))
  const above = reader.blocks(parts.loose, context)
  const { caption } = parts
  if (isLayout(table, { ...parts, rows })) {
    const shown = [...(caption ? [caption] : []), ...rows.flatMap(({ cells }) => cells)]
    return [...above, ...shown.flatMap(({ children }) => reader.blocks(children, context))]
  }
  const readRow = ({ cells }: Row) =>
    cells.map((cell) => ({
      blocks: reader.blocks(cell.children, { marks: [] }),
      isHeader: cell.name === 'th',
      colspan: cell.attribs.colspan,
      rowspan: cell.attribs.rowspan,
      align: alignmentOf(cell) ?? alignmentOf(cell.parent as Element),
    }))
  const [first, ...rest] = rows
  const isHead =
    first !== undefined &&
    (first.section === 'thead' || (rows.length > 1 && first.cells.every(({ name }) => name === 'th')))
  const body = isHead ? rest : rows
  const last = body.at(-1)
  const foot = last?.section === 'tfoot' ? last : undefined
  const title = caption && reader.running(caption.children, { marks: [] })
  const read = {
    headers: isHead ? readRow(first) : [],
    rows: body.filter((row) => row !== foot).map(readRow),
    footer: foot && readRow(foot),
    caption: title?.running,
  }
  return [...above, ...tableOf(read, reader.warnings, simplified), ...(title?.others ?? [])]
}
