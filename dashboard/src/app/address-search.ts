import { useNavigate, useSearch } from '@tanstack/react-router'

type Search = Record<string, string | undefined>

/** What the address asks for, and what changes it. Whoever looks at something else begins at its first page. */
export function useAddressSearch(): [search: Search, look: (changes: Search) => void] {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const look = (changes: Search) =>
    void navigate({
      to: '.',
      search: { ...search, cursor: undefined, ...changes } as never,
      resetScroll: false,
    })
  return [search, look]
}
