import type { Table } from '../../contract/tree.ts'
import { renderInlines } from '../inline.ts'
import type { Handler } from '../state.ts'
import { tableRows } from '../table.ts'
import { paragraphElement } from './paragraph.ts'

export const table: Handler<Table> = (node, state) => {
  const rows = tableRows(node, state)
  const caption = renderInlines(node.caption ?? [], state)
  if (rows === '') return paragraphElement(caption)
  const element = `<table>${rows}</table>`
  return caption === '' ? element : `<figure>${element}<figcaption>${caption}</figcaption></figure>`
}
