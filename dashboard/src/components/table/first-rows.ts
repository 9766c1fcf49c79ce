import { startTransition, useEffect, useState } from 'react'

/** As many rows as a window shows. */
const FIRST = 12

/**
 * The rows of a page that are drawn: where all of them are others than before, those that are seen without scrolling come first,
 * and the rest when these stand, without keeping anybody from going on meanwhile.
 */
export function useFirstRows<Row extends { id: string }>(page: Row[] | undefined): Row[] {
  const [drawn, setDrawn] = useState<Row[]>()
  useEffect(() => startTransition(() => setDrawn(page)), [page])
  if (page === undefined) return NONE
  if (page === drawn || page.length <= FIRST || drawn?.some(({ id }) => isIn(page, id))) return page
  return page.slice(0, FIRST)
}

/** Always the same, so that nothing is drawn anew for it. */
const NONE: never[] = []

const isIn = (page: { id: string }[], id: string): boolean => page.some((row) => row.id === id)
