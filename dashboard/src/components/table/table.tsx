import './styles.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type Action, DataViews, type Field, type View } from '@wordpress/dataviews'
import { __, sprintf } from '@wordpress/i18n'
import { memo, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { type PageQuery, useFound } from '../found.ts'
import { Failure } from '../states/failure.tsx'
import { LookingFurther } from '../states/looking-further.tsx'
import { failureOf } from '../states/query-result.tsx'
import { AccessibleTable } from './accessible-table.tsx'
import {
  type Filterable,
  filtersOf,
  readAddress,
  type TableAddress,
  valuesOf,
  writeAddress,
} from './address.ts'
import { useFirstRows, useSaidBelow } from './first-rows.ts'
import { useOpenFilters, useTyped } from './follow-address.ts'
import { Pager } from './pager.tsx'
import { forgetPreferences, type Preferences, readPreferences, writePreferences } from './preferences.ts'
import { PER_PAGE, type TableRequest } from './request.ts'
import { ChoiceContext, Chosen, choosable } from './selection.tsx'
import { useActionsHidden, useColumnsHidden, useNarrow } from './window-width.ts'

/** A page of a list, as the API answers it. */
export interface TablePage<Item> {
  data: Item[]
  next_cursor: string | null
  /** How many match on all pages; where they are many, they may not all have been counted. */
  total?: number | { count: number; more: boolean } | undefined
}

/** What all items of the API have. Of more, the types of DataViews would not know which of their branches counts. */
interface Row {
  id: string
}

interface TableProps<Item extends Row> {
  /** Under which preferences are remembered. */
  name: string
  /** What it is a table of, for those who do not see it. */
  label: string
  fields: Field<Item>[]
  actions?: Action<Item>[]
  titleField: string
  /** What is shown at first: fields beside the title. */
  shown: string[]
  /** What is shown at first where there is no room for all of these. */
  fewer?: string[]
  query(request: TableRequest): PageQuery<TablePage<Item>>
  /** Where a row leads. */
  to(item: Item): { to: string; params?: Record<string, string> }
  /** Where nothing was found because there is nothing yet. */
  empty: ReactNode
  /** Leads to what can be done with those that are chosen; left out where nothing can. */
  onChosen?: ((ids: string[]) => void) | undefined
  /** `214 deliveries` */
  counted(count: number): string
}

/**
 * A list of the API as a table: search, filters and place stand in the address, the look in this browser. Galley filters,
 * sorts and pages; what is loaded is one page.
 */
export function Table<Item extends Row>(props: TableProps<Item>) {
  const {
    name,
    label,
    fields,
    actions,
    titleField,
    shown,
    fewer = shown,
    query,
    to,
    empty,
    onChosen,
    counted,
  } = props
  const search = useSearch({ strict: false }) as Record<string, string>
  const navigate = useNavigate()
  const filterable = useMemo(() => filterableOf(fields), [fields])
  // DataViews draws all its rows anew with every change of its view, before Galley has answered too: cells stay as they are.
  const cells = useMemo(
    () => fields.map((field) => (field.render ? { ...field, render: memo(field.render) } : field)),
    [fields],
  )
  const address = readAddress(search, filterable)
  const defaults: Preferences = {
    type: 'table',
    fields: shown,
    perPage: PER_PAGE,
    layout: { density: 'balanced' },
  } as Preferences
  const [preferences, setPreferences] = useState(() =>
    readPreferences(
      name,
      defaults,
      fields.map(({ id }) => id),
    ),
  )
  const [open, setOpen] = useOpenFilters(address.filters)
  const [asked, lookingFurther] = useFound<TablePage<Item>>(
    (cursor) => query({ ...address, cursor, limit: preferences.perPage ?? PER_PAGE }),
    address.cursor,
  )
  const failure = failureOf(asked)
  const page = failure ? undefined : asked.data
  const rows = useFirstRows(page?.data)
  const total = useSaidBelow(rows === page?.data || page === undefined, () =>
    totalInWords(page?.total, counted),
  )

  const look = (next: TableAddress, replace = false) =>
    void navigate({
      to: '.',
      search: writeAddress(search, next, filterable) as never,
      replace,
      resetScroll: false,
    })

  const [typed, setTyped] = useTyped(address.search, (text) =>
    look({ ...address, search: text, cursor: undefined }, true),
  )

  // A table of five columns is none on a telephone. What somebody likes better stays remembered for wider windows.
  const narrow = useNarrow()
  const noActions = useActionsHidden()
  const roomy = !useColumnsHidden()
  const untouched = JSON.stringify(preferences.fields) === JSON.stringify(shown)
  const [chosen, setChosen] = useState<string[]>([])
  const here = page?.data.flatMap(({ id }) => (chosen.includes(id) ? [id] : [])) ?? []
  const type = narrow && preferences.type === 'table' ? 'list' : preferences.type
  const boxes = type === 'list' && onChosen !== undefined
  const drawn = useMemo(
    () => (boxes ? cells.map((field) => (field.id === titleField ? choosable(field) : field)) : cells),
    [cells, boxes, titleField],
  )
  const sort = address.sort && sortOf(address.sort)
  const view = useAsBefore({
    ...preferences,
    type,
    // Whoever has chosen columns gets these in every window.
    fields: untouched && type === 'table' && !roomy ? fewer : preferences.fields,
    titleField,
    page: 1,
    search: typed,
    filters: [
      ...filtersOf(address, filterable),
      ...(open ?? []).filter(({ field }) => address.filters[field] === undefined),
    ],
    ...(sort && isSortable(fields, sort.field) && { sort }),
  } as View)

  function change(next: View) {
    const { fields: chosen, perPage, layout } = next
    const liked = {
      type: next.type === type ? preferences.type : next.type,
      fields: JSON.stringify(chosen) === JSON.stringify(view.fields) ? preferences.fields : chosen,
      perPage,
      layout,
    } as Preferences
    if (JSON.stringify(liked) !== JSON.stringify(preferences)) {
      setPreferences(liked)
      writePreferences(name, liked)
    }
    setTyped(next.search ?? '')
    setOpen(next.filters)
    const looked = {
      ...address,
      filters: valuesOf(next.filters),
      sort: JSON.stringify(next.sort) === JSON.stringify(view.sort) ? address.sort : textOf(next.sort),
    }
    const same =
      JSON.stringify([looked.filters, looked.sort]) === JSON.stringify([address.filters, address.sort])
    if (!same) look({ ...looked, cursor: undefined })
    else if (liked.perPage !== preferences.perPage) look({ ...address, cursor: undefined })
  }

  function reset() {
    forgetPreferences(name)
    setPreferences(defaults)
  }

  function show([id]: string[]) {
    const item = page?.data.find((one) => one.id === id)
    if (item) void navigate(to(item) as never)
  }

  const calls = useNewest({ change, reset, show })
  const count = page?.data.length ?? 0
  const paginationInfo = useMemo(() => ({ totalItems: count, totalPages: 1 }), [count])

  const looking = address.search !== '' || Object.keys(address.filters).length > 0
  const isFirst = address.cursor === undefined
  const { refetch } = asked
  const inPlaceOfRows = useMemo(() => {
    if (failure) return <Failure error={failure} onAgain={() => void refetch()} />
    return lookingFurther ? LOOKING_FURTHER : isFirst ? NOTHING_MATCHES : NOTHING_MORE
  }, [failure, refetch, lookingFurther, isFirst])
  if (page?.data.length === 0 && !lookingFurther && !looking && isFirst) return empty
  return (
    <AccessibleTable label={label} className={`g-table is-${type}${here.length > 0 ? ' has-chosen' : ''}`}>
      <ChoiceContext.Provider value={{ ids: chosen, onChange: setChosen }}>
        <Drawn
          data={rows}
          fields={drawn as unknown as Field<Row>[]}
          actions={(actions ?? NONE) as unknown as Action<Row>[]}
          view={view}
          onChangeView={calls.change}
          isLoading={asked.isPending && !lookingFurther}
          defaultLayouts={LAYOUTS}
          paginationInfo={paginationInfo}
          config={CONFIG}
          onReset={calls.reset}
          isItemClickable={isNoButton}
          selection={type === 'list' ? NONE : chosen}
          onChangeSelection={type === 'list' ? calls.show : setChosen}
          empty={inPlaceOfRows}
        />
      </ChoiceContext.Provider>
      {onChosen && (boxes || noActions) && (
        <Chosen ids={chosen} count={here.length} onChange={setChosen} onAct={() => onChosen(here)} />
      )}
      <Pager
        cursor={address.cursor}
        next={lookingFurther ? null : (page?.next_cursor ?? null)}
        onLook={(cursor) => look({ ...address, cursor })}
        total={total}
      />
    </AccessibleTable>
  )
}

/** DataViews, drawn anew only when it is handed something else: nothing that it is given is made anew each time. */
const Drawn = memo(DataViews<Row>)

const NONE: never[] = []
const LAYOUTS = { table: {}, list: {}, grid: {} }
const CONFIG = { perPageSizes: [10, 25, 50, 100] }

/** Titles are links already, which a button around them would hide. */
const isNoButton = () => false

const NothingMatches = () => <p>{__('Nothing matches. Change the search or the filters.', 'galley')}</p>
const NOTHING_MATCHES = <NothingMatches />

const NothingMore = () => <p>{__('Nothing more matches.', 'galley')}</p>
const NOTHING_MORE = <NothingMore />

const LOOKING_FURTHER = <LookingFurther />

/** The view that was there before, where this one says the same: what was chosen stands in the address a moment later. */
function useAsBefore(view: View): View {
  const said = JSON.stringify(view)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is all that is in the view
  return useMemo(() => view, [said])
}

/** Functions that are always the same, and call those of the newest drawing. */
function useNewest<Calls extends Record<string, (...given: never[]) => void>>(calls: Calls): Calls {
  const newest = useRef(calls)
  useLayoutEffect(() => {
    newest.current = calls
  })
  const [same] = useState(
    () =>
      Object.fromEntries(
        Object.keys(calls).map((name) => [name, (...given: never[]) => newest.current[name]?.(...given)]),
      ) as Calls,
  )
  return same
}

const filterableOf = (fields: readonly Pick<Field<never>, 'id' | 'filterBy'>[]): Filterable =>
  Object.fromEntries(
    fields.flatMap(({ id, filterBy }) =>
      filterBy ? [[id, filterBy.operators?.includes('is') ? 'one' : 'several']] : [],
    ),
  )

/** How many there are on all pages; undefined while that is not known. */
function totalInWords(
  total: TablePage<Row>['total'],
  counted: (count: number) => string,
): string | undefined {
  if (total === undefined) return undefined
  if (typeof total === 'number') return counted(total)
  return total.more
    ? // translators: %s: a count with its noun, such as 10,000 deliveries
      sprintf(__('more than %s', 'galley'), counted(total.count))
    : counted(total.count)
}

const sortOf = (text: string): NonNullable<View['sort']> =>
  text.startsWith('-') ? { field: text.slice(1), direction: 'desc' } : { field: text, direction: 'asc' }

const textOf = (sort: View['sort']): string | undefined =>
  sort && `${sort.direction === 'asc' ? '' : '-'}${sort.field}`

const isSortable = (fields: readonly Pick<Field<never>, 'id' | 'enableSorting'>[], of: string): boolean =>
  fields.some(({ id, enableSorting }) => id === of && enableSorting !== false)
