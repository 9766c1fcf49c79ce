import './table.css'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type RowSelectionState, type Updater, useTable } from '@tanstack/react-table'
import { __, _n, sprintf } from '@wordpress/i18n'
import { type ReactNode, useState, useSyncExternalStore } from 'react'
import type { Action } from '../actions.tsx'
import { Below } from '../below.tsx'
import { Button } from '../button.tsx'
import { withNumber } from '../format.ts'
import { Loading } from '../loading.tsx'
import { type PageQuery, useNonEmptyPage } from '../non-empty-page.ts'
import { Failure, failureOf, StillSearching } from '../states.tsx'
import {
  type Filterable,
  readAddress,
  type TableAddress,
  type TableRequest,
  writeAddress,
} from './address.ts'
import { features, type Item, type TableAction, type TableColumn } from './columns.ts'
import { Filter, SearchField } from './filters.tsx'
import { ListLayout, TableLayout } from './layouts.tsx'
import { Pager } from './pager.tsx'
import {
  defaultPreferences,
  forgetPreferences,
  type Preferences,
  readPreferences,
  writePreferences,
} from './preferences.ts'
import { ViewOptions } from './view-options.tsx'

/** A page of a list, as the API answers it. */
interface TablePage<Row> {
  data: Row[]
  next_cursor: string | null
  /** How many match on all pages; where they are many, the API may stop counting. */
  total?: number | Total | undefined
}

interface TableProps<Row extends Item> {
  /** The name under which preferences are stored. */
  name: string
  /** The accessible name. */
  label: string
  /** The same array for as long as the columns are the same; the first is the title. */
  columns: TableColumn<Row>[]
  /** The columns by which the API filters. */
  filterable: Filterable
  /** What can be done with a row. */
  actionsOf?: (row: Row) => Action[]
  /** What can be done with several selected rows. */
  actions?: readonly TableAction<Row>[]
  /** The columns that are visible at first, beside the title. */
  shown: string[]
  query(request: TableRequest): PageQuery<TablePage<Row>>
  /** A part between the toolbar and the rows, which wait for its queries. */
  lead?: ReactNode
  leadQueries?: readonly object[]
  /** What is shown where there is nothing at all. */
  empty: ReactNode
  /** Opens the bulk actions for these rows, or for all that match where there are none; undefined where nothing can be done. */
  onBulk?: ((ids: string[]) => void) | undefined
  /** `214 deliveries` */
  counted(count: number): string
  /** Where all that match can be downloaded as a CSV file. */
  exportAddress: string
}

/**
 * A list of the API as a table. Search, filters, order and place are in the address; the look is in the preferences. The API
 * filters, sorts and pages: one page is loaded.
 */
export function Table<Row extends Item>(props: TableProps<Row>) {
  const { name, label, columns, filterable, actionsOf, actions = [], shown, query, onBulk, counted } = props
  const search = useSearch({ strict: false }) as Record<string, string>
  const navigate = useNavigate()
  const address = readAddress(search, filterable)
  const [preferences, setPreferences] = useState(() => readPreferences(name))
  const [rowSelection, setRowSelection] = useState<RowSelectionState>({})
  const narrow = useNarrow()
  const layout = narrow ? 'list' : preferences.layout

  const [result, searching] = useNonEmptyPage<TablePage<Row>>(
    (cursor) => query({ ...address, cursor, limit: preferences.perPage }),
    address.cursor,
  )
  const failure = failureOf(result)
  const page = failure ? undefined : result.data
  const total = typeof page?.total === 'number' ? { count: page.total, more: false } : page?.total

  const updateAddress = (changes: Partial<TableAddress>, replace = false) =>
    void navigate({
      to: '.',
      search: writeAddress(search, { ...address, cursor: undefined, ...changes }, filterable) as never,
      replace,
      resetScroll: false,
    })

  function change(changes: Partial<Preferences>) {
    const next = { ...preferences, ...changes }
    setPreferences(next)
    writePreferences(name, next)
    if (next.perPage !== preferences.perPage) updateAddress({})
  }
  function reset() {
    forgetPreferences(name)
    setPreferences(defaultPreferences)
  }

  const visible = preferences.columns ?? shown
  const [title, ...others] = columns.map(({ id }) => id) as [string, ...string[]]
  const table = useTable({
    features,
    columns,
    data: page?.data ?? (NONE as Row[]),
    getRowId: ({ id }) => id,
    manualSorting: true,
    state: {
      columnOrder: [title, ...visible],
      columnVisibility: Object.fromEntries(others.map((id) => [id, visible.includes(id)])),
      rowSelection,
      sorting: sortingOf(address.sort),
    },
    onColumnVisibilityChange: (updater) => {
      const next = updated(updater, table.state.columnVisibility)
      const added = others.filter((id) => next[id] && !visible.includes(id))
      change({ columns: [...visible.filter((id) => next[id]), ...added] })
    },
    onRowSelectionChange: setRowSelection,
    onSortingChange: (updater) => {
      const [next] = updated(updater, table.state.sorting)
      updateAddress({ sort: next && `${next.desc ? '-' : ''}${next.id}` })
    },
  })
  const selected = table.getSelectedRowModel().rows.map(({ original }) => original)

  const filtered = address.search !== '' || Object.keys(address.filters).length > 0
  const isFirst = address.cursor === undefined
  if (page?.data.length === 0 && !searching && !filtered && isFirst) return props.empty
  const Layout = layout === 'list' ? ListLayout : TableLayout
  return (
    <section className="g-table" aria-label={label}>
      <div className="g-toolbar">
        <SearchField search={address.search} onSearch={(text) => updateAddress({ search: text }, true)} />
        {columns.map(
          (column) =>
            filterable[column.id] && (
              <Filter
                key={column.id}
                column={column}
                kind={filterable[column.id] ?? 'several'}
                values={address.filters[column.id] ?? []}
                onChange={(values) => updateAddress({ filters: { ...address.filters, [column.id]: values } })}
              />
            ),
        )}
        {filtered && (
          <button type="button" className="g-link" onClick={() => updateAddress({ search: '', filters: {} })}>
            {__('Reset', 'galley')}
          </button>
        )}
        <span className="g-toolbar-end">
          {onBulk && total && (total.count > 0 || total.more) && (
            <Button onClick={() => onBulk([])}>{__('Bulk edit all', 'galley')}</Button>
          )}
          <ViewOptions table={table} preferences={preferences} onChange={change} onReset={reset} />
        </span>
      </div>
      {props.lead}
      <Below queries={props.leadQueries ?? NONE}>
        <Layout
          table={table}
          label={label}
          density={preferences.density}
          actionsOf={actionsOf}
          selectable={onBulk !== undefined}
          onColumns={(ids) => change({ columns: ids })}
        />
      </Below>
      {(page === undefined || page.data.length === 0) && (
        <div className="g-no-rows">
          {failure ? (
            <Failure error={failure} onAgain={() => void result.refetch()} />
          ) : searching ? (
            <StillSearching />
          ) : page === undefined ? (
            <Loading />
          ) : isFirst ? (
            <p>{__('Nothing matches. Change the search or the filters.', 'galley')}</p>
          ) : (
            <p>{__('Nothing more matches.', 'galley')}</p>
          )}
        </div>
      )}
      {onBulk && selected.length > 0 && (
        <Selected
          rows={selected}
          actions={actions}
          onBulk={() => onBulk(selected.map(({ id }) => id))}
          onClear={() => setRowSelection({})}
        />
      )}
      <Pager
        cursor={address.cursor}
        next={searching ? null : (page?.next_cursor ?? null)}
        onPage={(cursor) => updateAddress({ cursor })}
        total={total && totalInWords(total, counted)}
        exportAddress={props.exportAddress}
      />
    </section>
  )
}

/** Always the same array, so that TanStack Table keeps its rows. */
const NONE: never[] = []

interface SelectedProps<Row extends Item> {
  rows: Row[]
  actions: readonly TableAction<Row>[]
  onBulk(): void
  onClear(): void
}

/** How many rows are selected, and what can be done with them: each action where there is room, else the way to all of them. */
const Selected = <Row extends Item>({ rows, actions, onBulk, onClear }: SelectedProps<Row>) => (
  <div className="g-selected" role="status">
    <span>
      {withNumber(
        // translators: %d: how many rows of a list
        _n('%d chosen', '%d chosen', rows.length, 'galley'),
        rows.length,
      )}
    </span>
    <button type="button" className="g-link" onClick={onClear}>
      {__('None', 'galley')}
    </button>
    {actions.map(({ id, label, run }) => (
      <button key={id} type="button" className="g-button is-roomy" onClick={() => run(rows)}>
        {label}
      </button>
    ))}
    <button type="button" className="g-button primary is-narrow" onClick={onBulk}>
      {__('Bulk action…', 'galley')}
    </button>
  </div>
)

const updated = <Value,>(updater: Updater<Value>, before: Value): Value =>
  typeof updater === 'function' ? (updater as (before: Value) => Value)(before) : updater

/** `-name` as TanStack Table has it. */
const sortingOf = (sort: string | undefined) =>
  sort === undefined ? [] : [{ id: sort.replace(/^-/, ''), desc: sort.startsWith('-') }]

interface Total {
  count: number
  more: boolean
}

/** How many match on all pages. */
const totalInWords = ({ count, more }: Total, counted: (count: number) => string): string =>
  more
    ? // translators: %s: a count with its noun, such as 10,000 deliveries
      sprintf(__('more than %s', 'galley'), counted(count))
    : counted(count)

const narrow = matchMedia('(max-width: 719px)')

/** Whether the window is too narrow for columns. */
const useNarrow = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      narrow.addEventListener('change', changed)
      return () => narrow.removeEventListener('change', changed)
    },
    () => narrow.matches,
  )
