import type { View } from '@wordpress/dataviews'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { searchText } from '../search-text.ts'
import { type TableAddress, valuesOf } from './address.ts'

/** Milliseconds without another letter, after which it is searched. */
const PAUSE_MS = 250

/**
 * What is typed into the search of a table, and a moment later stands in the address. Where that searches for something else that
 * does not come from here (the way back, or a link to the same list), it stands in the field too.
 *
 * @param search what the address searches for
 * @param look brings what was typed into the address
 */
export function useTyped(search: string, look: (search: string) => void) {
  const [typed, setTyped] = useState(search)
  // What was brought there and has not come back yet: meanwhile somebody may have typed on.
  const sent = useRef<string[]>([])
  useLayoutEffect(() => {
    const at = sent.current.lastIndexOf(search)
    sent.current = at < 0 ? [] : sent.current.slice(at + 1)
    if (at < 0) setTyped(search)
  }, [search])
  useEffect(() => {
    const text = searchText(typed)
    if (text === search) return
    const timer = setTimeout(() => {
      sent.current.push(text)
      look(text)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  })
  return [typed, setTyped] as const
}

/**
 * Filters that are open, of which those without a value stand nowhere else. What was chosen stands in the address a moment later,
 * and from then on in no other place.
 *
 * @param filters those of the address
 */
export function useOpenFilters(filters: TableAddress['filters']) {
  const [open, setOpen] = useState<View['filters']>([])
  const asked = JSON.stringify(filters)
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every other address, whatever it was before
  useLayoutEffect(
    () =>
      setOpen((before) =>
        Object.keys(valuesOf(before)).length === 0
          ? before
          : before?.map((filter) => ({ ...filter, value: undefined })),
      ),
    [asked],
  )
  return [open, setOpen] as const
}
