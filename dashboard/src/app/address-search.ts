import { useNavigate, useSearch } from '@tanstack/react-router'

type Search = Record<string, string | undefined>

/** The search parameters of the address, and a function that changes them. A change leads back to the first page. */
export function useAddressSearch(): [search: Search, setSearch: (changes: Search) => void] {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const setSearch = (changes: Search) =>
    void navigate({
      to: '.',
      search: { ...search, cursor: undefined, ...changes } as never,
      resetScroll: false,
    })
  return [search, setSearch]
}
