import { __ } from '@wordpress/i18n'
import type { ReactNode } from 'react'
import { type Action, ActionMenu } from '../actions.tsx'
import { Menu, type MenuItem } from '../popover.tsx'
import type { Item, TableColumn, TableInstance, TableRow } from './columns.ts'

interface LayoutProps<Row extends Item> {
  table: TableInstance<Row>
  /** The accessible name. */
  label: string
  density: string
  /** What can be done with a row; undefined where there is nothing. */
  actionsOf: ((row: Row) => Action[]) | undefined
  /** Whether rows can be selected. */
  selectable: boolean
  /** Shows these columns beside the title, in this order. */
  onColumns(ids: string[]): void
}

type Cell<Row extends Item> = ReturnType<TableRow<Row>['getVisibleCells']>[number]
type Column<Row extends Item> = Cell<Row>['column']

/** A row for each item, a column for each field. */
export function TableLayout<Row extends Item>(props: LayoutProps<Row>) {
  const { table, label, density, actionsOf, selectable, onColumns } = props
  const columns = table.getVisibleLeafColumns()
  return (
    <table className={`g-table-rows is-${density}`} aria-label={label}>
      <thead>
        <tr>
          {selectable && (
            <th className="g-select-cell" aria-label={__('Select all', 'galley')}>
              <input
                type="checkbox"
                aria-label={__('Select all', 'galley')}
                checked={table.getIsAllRowsSelected()}
                ref={(box) => {
                  if (box) box.indeterminate = table.getIsSomeRowsSelected() && !table.getIsAllRowsSelected()
                }}
                onChange={table.getToggleAllRowsSelectedHandler()}
              />
            </th>
          )}
          {columns.map((column, at) => (
            <th
              key={column.id}
              className={cellClass(column, at)}
              aria-sort={ariaSort[sortedOf(column) || 'none']}
            >
              <Header column={column} columns={columns} onColumns={onColumns} table={table} />
            </th>
          ))}
          {actionsOf && (
            <th className="g-actions-cell">
              <span className="hidden-text">{__('Actions', 'galley')}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {table.getRowModel().rows.map((row) => (
          <tr key={row.id} className={row.getIsSelected() ? 'is-selected' : undefined}>
            {selectable && (
              <td className="g-select-cell">
                <SelectRow row={row} label={titleOf(row)} />
              </td>
            )}
            {row.getVisibleCells().map((cell, at) =>
              at === 0 ? (
                <th key={cell.id} scope="row" className={cellClass(cell.column, at)}>
                  {contentOf(cell)}
                </th>
              ) : (
                <td key={cell.id} className={cellClass(cell.column, at)}>
                  {contentOf(cell)}
                </td>
              ),
            )}
            {actionsOf && (
              <td className="g-actions-cell">
                <ActionMenu actions={actionsOf(row.original)} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The items one below the other, for narrow windows. */
export function ListLayout<Row extends Item>({
  table,
  label,
  density,
  actionsOf,
  selectable,
}: LayoutProps<Row>) {
  return (
    <ul className={`g-table-list is-${density}`} aria-label={label}>
      {table.getRowModel().rows.map((row) => {
        const [title, ...cells] = row.getVisibleCells()
        return (
          <li key={row.id} className={row.getIsSelected() ? 'is-selected' : undefined}>
            {selectable && <SelectRow row={row} label={`${__('Choose:', 'galley')} ${titleOf(row)}`} />}
            <div className="g-list-item">
              <div className="g-title-cell">{title && contentOf(title)}</div>
              <div className="g-list-fields">
                {cells.map((cell) => {
                  const content = contentOf(cell)
                  if (content === null || content === undefined || content === '') return null
                  return (
                    <div key={cell.id}>
                      <span className="hidden-text">{`${cell.column.columnDef.header}: `}</span>
                      {content}
                    </div>
                  )
                })}
              </div>
            </div>
            {actionsOf && <ActionMenu actions={actionsOf(row.original)} />}
          </li>
        )
      })}
    </ul>
  )
}

/** The address may name an order that no column offers. */
const sortedOf = <Row extends Item>(column: Column<Row>) => column.getCanSort() && column.getIsSorted()

const ariaSort = { asc: 'ascending', desc: 'descending', none: undefined } as const

const cellClass = <Row extends Item>(column: Column<Row>, at: number): string | undefined => {
  if (at === 0) return 'g-title-cell'
  const { wide, spare } = column.columnDef.meta ?? {}
  return wide ? 'g-wide-cell' : spare ? 'g-spare-cell' : undefined
}

/** The cells of a column are functions without hooks, so that an empty one is known. */
const contentOf = <Row extends Item>(cell: Cell<Row>): ReactNode => {
  const render = cell.column.columnDef.cell as (context: unknown) => ReactNode
  return render(cell.getContext())
}

const titleOf = <Row extends Item>(row: TableRow<Row>): string => String(row.getVisibleCells()[0]?.getValue())

function SelectRow<Row extends Item>({ row, label }: { row: TableRow<Row>; label: string }) {
  return (
    <input
      type="checkbox"
      className="g-select"
      aria-label={label}
      checked={row.getIsSelected()}
      onChange={row.getToggleSelectedHandler()}
    />
  )
}

interface HeaderProps<Row extends Item> extends Pick<LayoutProps<Row>, 'table' | 'onColumns'> {
  column: Column<Row>
  /** All that are visible, in their order; the title is the first. */
  columns: Column<Row>[]
}

/** The name of a column: a button with a menu, where there is anything to choose. */
function Header<Row extends Item>({ table, column, columns, onColumns }: HeaderProps<Row>) {
  const label = (column.columnDef as TableColumn<Row>).header
  const sorted = sortedOf(column)
  const ids = columns.map(({ id }) => id)
  const at = ids.indexOf(column.id)
  const move = (to: number) => {
    const others = ids.filter((id) => id !== column.id)
    others.splice(to, 0, column.id)
    onColumns(others.slice(1))
  }
  const sort = (desc: boolean): MenuItem => ({
    label: desc ? __('Sort descending', 'galley') : __('Sort ascending', 'galley'),
    checked: sorted === (desc ? 'desc' : 'asc'),
    run: () => table.setSorting([{ id: column.id, desc }]),
  })
  const items: MenuItem[] = [
    ...(column.getCanSort() ? [sort(false), sort(true)] : []),
    ...(at > 1 ? [{ label: __('Move left', 'galley'), run: () => move(at - 1) }] : []),
    ...(at > 0 && at < ids.length - 1
      ? [{ label: __('Move right', 'galley'), run: () => move(at + 1) }]
      : []),
    ...(column.getCanHide() ? [{ label: __('Hide column', 'galley'), run: hide }] : []),
  ]
  /** The focus goes to the header beside it. */
  function hide(opener: HTMLElement) {
    const header = opener.closest('th')
    const beside = [header?.previousElementSibling, header?.nextElementSibling].map((one) =>
      one?.querySelector('button'),
    )
    column.toggleVisibility(false)
    beside.find(Boolean)?.focus()
  }
  if (items.length === 0) return <>{label}</>
  return (
    <Menu
      className="g-header-button"
      items={items}
      button={
        <>
          {label}
          {sorted && <span aria-hidden="true">{sorted === 'asc' ? '↑' : '↓'}</span>}
        </>
      }
    />
  )
}
