import { startTransition, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'

/** As many rows as a window shows. */
const FIRST = 12

/**
 * The rows of a page that are drawn: where many of them are others than before, those that are seen without scrolling come first,
 * and the rest when these stand, without keeping anybody from going on meanwhile. What is drawn already stays.
 */
export function useFirstRows<Row extends { id: string }>(page: Row[] | undefined): Row[] {
  const [drawn, setDrawn] = useState<Row[]>()
  useEffect(() => startTransition(() => setDrawn(page)), [page])
  return useMemo(
    () => (page === undefined || page === drawn ? (page ?? NONE) : firstOf(page, drawn)),
    [page, drawn],
  )
}

/** What is said below the rows of a page: when all of them are drawn, and until then what was said before. */
export function useSaidBelow(allDrawn: boolean, say: () => string | undefined): string | undefined {
  const before = useRef<string>()
  const said = allDrawn ? say() : before.current
  useLayoutEffect(() => {
    before.current = said
  })
  return said
}

/** Always the same, so that nothing is drawn anew for it. */
const NONE: never[] = []

/** Those of a page that are drawn at once, after these. */
export function firstOf<Row extends { id: string }>(page: Row[], drawn: readonly Row[] = NONE): Row[] {
  const there = new Set(drawn.map(({ id }) => id))
  const others = page.filter(({ id }) => !there.has(id))
  return others.length <= FIRST ? page : page.filter(({ id }, at) => at < FIRST || there.has(id))
}
