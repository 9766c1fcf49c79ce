import {
  type ColumnDef,
  columnOrderingFeature,
  columnVisibilityFeature,
  metaHelper,
  type ReactTable,
  type Row,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/react-table'

/** All items of the API have an id. */
export interface Item {
  id: string
}

export interface FilterOption {
  value: string
  label: string
  /** A second line, for example how many rows have the value. */
  note?: string
}

interface ColumnMeta {
  /** The values to filter by: fixed, or the query for those with a text in them, which is asked when the filter is opened. */
  options?: FilterOption[] | ((search: string) => object)
  /** Takes the room that the other columns leave: for sentences. */
  wide?: boolean
  /** Shown where there is room for it, and in the list of a narrow window. */
  spare?: boolean
}

/** The features of TanStack Table that tables use. The server sorts, filters and pages. */
export const features = tableFeatures({
  columnOrderingFeature,
  columnVisibilityFeature,
  rowSelectionFeature,
  rowSortingFeature,
  columnMeta: metaHelper<ColumnMeta>(),
})

type Features = typeof features

/**
 * A column: `header` is its label. A column with an accessor can be sorted by unless `enableSorting` is false. The first column of
 * a table is the title of its rows; its accessor returns the title as text.
 */
export type TableColumn<Row extends Item> = ColumnDef<Features, Row> & { id: string; header: string }

export type TableInstance<Row extends Item> = ReactTable<Features, Row>
export type TableRow<RowItem extends Item> = Row<Features, RowItem>

/** Something that can be done with several selected rows at once. */
export interface TableAction<Row extends Item> {
  id: string
  label: string
  run(rows: Row[]): void
}
