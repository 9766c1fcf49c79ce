import DataViewsContext from '@wordpress/dataviews/context'
import WholeFilters from '@wordpress/dataviews/filters'
import { type ComponentProps, useContext, useMemo } from 'react'

/**
 * The filters above a table, in place of DataViews' own, which draws them and what is open of them anew with every change around
 * them: of rows that come, or are chosen. These are drawn anew when they show something else.
 */
export default function MemoizedFilters(props: ComponentProps<typeof WholeFilters>) {
  const context = useContext(DataViewsContext)
  const { fields, view, openedFilter } = context
  // biome-ignore lint/correctness/useExhaustiveDependencies: all else is the same for as long as a table is there, or not drawn
  return useMemo(
    () => (
      <DataViewsContext.Provider value={context}>
        <WholeFilters {...props} />
      </DataViewsContext.Provider>
    ),
    [fields, view, openedFilter],
  )
}
