import type { View } from '@wordpress/dataviews'
import DataViewsContext from '@wordpress/dataviews/context'
import WholeTable, { type TableLayoutProps } from '@wordpress/dataviews/table-layout'
import { useContext, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { reuseRows } from './reuse-rows.ts'

/**
 * The columns and rows of a table, in place of DataViews' own, which draws all of them anew with every change around them: of what
 * is typed, chosen or opened. These are drawn anew when they show something else.
 */
export default function MemoizedTable(props: TableLayoutProps) {
  const context = useContext(DataViewsContext)
  const now = useRef(props)
  useLayoutEffect(() => {
    now.current = props
  })
  const [calls] = useState(() => ({
    // A header changes what it was drawn with; what has changed around it since then stays.
    onChangeView: (drawn: View, next: View) =>
      now.current.onChangeView({ ...now.current.view, ...changes(drawn, next) } as View),
    onChangeSelection: (ids: string[]) => now.current.onChangeSelection(ids),
  }))
  const data = useKept(props.data, reuseRows)
  const view = useKept(props.view, (before, next) => (looksLike(before, next) ? before : next))
  const { actions, fields, selection, isLoading, empty } = props
  // biome-ignore lint/correctness/useExhaustiveDependencies: all else is the same for as long as a table is there, or not drawn
  return useMemo(() => {
    const onChangeView = (next: View) => calls.onChangeView(view, next)
    const { onChangeSelection } = calls
    return (
      <DataViewsContext.Provider value={{ ...context, view, onChangeView, onChangeSelection }}>
        <WholeTable {...props} {...{ data, view, onChangeView, onChangeSelection }} />
      </DataViewsContext.Provider>
    )
  }, [data, view, actions, fields, selection, isLoading, empty])
}

/** A value as it was before, for as long as `keep` says so. */
function useKept<Value>(value: Value, keep: (before: Value, next: Value) => Value): Value {
  const kept = useRef(value)
  const next = keep(kept.current, value)
  useLayoutEffect(() => {
    kept.current = next
  })
  return next
}

/** What is typed and filtered by stands above the table: all filters of ours do. */
const drawnOf = ({ search, filters, page, perPage, ...drawn }: View) => JSON.stringify(drawn)

const looksLike = (before: View, next: View): boolean => before === next || drawnOf(before) === drawnOf(next)

function changes(before: View, next: View): Partial<View> {
  const was = before as unknown as Record<string, unknown>
  return Object.fromEntries(Object.entries(next).filter(([name, value]) => value !== was[name]))
}
