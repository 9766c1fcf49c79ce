import { Fragment, type ReactNode } from 'react'

/** For `map`, over what has no names of its own and never changes its order: its place is its key. */
export const withIndexKeys =
  <Item,>(show: (item: Item) => ReactNode) =>
  (item: Item, place: number) => <Fragment key={place}>{show(item)}</Fragment>
