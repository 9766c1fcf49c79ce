import './search.css'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { __, sprintf } from '@wordpress/i18n'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { RowLink } from '../components/row-link.tsx'
import { searchText } from '../components/search-text.ts'
import { sourceName } from '../components/source-name.ts'
import { describeError } from '../components/states.tsx'
import { deliveriesQuery } from '../data/deliveries.ts'
import { jobsQuery } from '../data/jobs.ts'
import { sitesQuery } from '../data/sites.ts'
import { sourcesQuery } from '../data/sources.ts'
import { useMay } from './session-context.ts'

/** Milliseconds without a key before the API is asked. */
const PAUSE_MS = 200

/** Results of one kind; the lists have the rest. */
const MOST = 5

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

interface Result {
  id: string
  to: string
  search?: Record<string, string>
  title: string
  /** What tells it from others of this name. */
  beside?: string
}

/** Finds deliveries, sites, documents and sources by title, name, address or id. The arrow keys go through what is found. */
export default function Search() {
  const [typed, setTyped] = useState('')
  const [text, setText] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    const timer = setTimeout(() => setText(searchText(typed)), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const groups = withoutLate(useResults(text))
  const found = groups.some(({ results }) => results.length > 0)
  const failure = groups.find(({ error }) => error !== null)?.error
  const asking = text !== searchText(typed) || groups.some(({ asking }) => asking)

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const links = [...(list.current?.querySelectorAll('a') ?? [])]
    if (event.key === 'Enter' && event.target === field.current && !asking) links[0]?.click()
    if (step === undefined) return
    event.preventDefault()
    const places = [field.current, ...links]
    const at = places.indexOf(document.activeElement as HTMLAnchorElement)
    places.at((at + step) % places.length)?.focus()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys only move the focus
    <div className="g-find" onKeyDown={onKeyDown}>
      <label htmlFor={id}>{__('Search for a title, a name, an address or an id', 'galley')}</label>
      <input
        ref={field}
        id={id}
        type="search"
        autoComplete="off"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <div ref={list}>
        {text !== '' &&
          groups.map(
            ({ heading, results }) =>
              results.length > 0 && (
                <section key={heading}>
                  <h2>{heading}</h2>
                  <ul>
                    {results.map(({ id, to, search, title, beside }) => (
                      <li key={id}>
                        <RowLink to={to} {...(search && { search })}>
                          {title} {beside && <span className="g-weak">{beside}</span>}
                        </RowLink>
                      </li>
                    ))}
                  </ul>
                </section>
              ),
          )}
      </div>
      <p className="g-weak" role="status">
        {text !== '' &&
          (failure
            ? describeError(failure).text
            : !found && (asking ? __('Searching…', 'galley') : nothing(text)))}
      </p>
    </div>
  )
}

/** Hides the results below those that are still to come: these would move them from under a pointer. */
function withoutLate<Group extends { late: boolean; results: Result[] }>(groups: Group[]): Group[] {
  const first = groups.findIndex(({ late }) => late)
  return groups.map((group, at) => (first >= 0 && at > first ? { ...group, results: [] } : group))
}

const nothing = (text: string): string =>
  // translators: %s: what somebody searches for
  sprintf(__('Nothing found for “%s”.', 'galley'), text)

function useResults(text: string) {
  const id = UUID.test(text.toLowerCase()) ? text.toLowerCase() : undefined
  const wants = text !== ''
  const deliveries = useMay('deliveries.read') && wants
  const search = id === undefined ? { search: text } : undefined
  const asked = {
    deliveries: useQuery({
      ...deliveriesQuery({ ...(search ?? { delivery_id: id }), limit: MOST }),
      enabled: deliveries,
    }),
    versions: useQuery({
      ...deliveriesQuery({ document_id: id, limit: MOST }),
      enabled: deliveries && id !== undefined,
    }),
    sites: useQuery({
      ...sitesQuery({ ...(search ?? { site_id: id }), limit: MOST }),
      enabled: useMay('sites.read') && wants,
    }),
    jobs: useQuery({ ...jobsQuery({ search: text, limit: MOST }), enabled: useMay('jobs.list') && wants }),
    sources: useQuery({
      ...sourcesQuery({ search: text, limit: MOST }),
      enabled: useMay('sources.read') && wants,
    }),
  }
  const group = <Item,>(
    heading: string,
    queries: UseQueryResult<{ data: Item[] }>[],
    resultOf: (item: Item) => Result,
  ) => ({
    heading,
    asking: queries.some(({ isFetching, isPlaceholderData }) => isFetching || isPlaceholderData),
    late: queries.some(({ isLoading, isPlaceholderData }) => isLoading || isPlaceholderData),
    error: queries.find(({ isError }) => isError)?.error ?? null,
    // What is shown of an earlier text is no result of this one.
    results: queries
      .flatMap(({ data, isPlaceholderData }) => (isPlaceholderData ? [] : (data?.data ?? [])))
      .map(resultOf),
  })
  return [
    group(__('Sites', 'galley'), [asked.sites], ({ id, name, url }) => ({
      id,
      to: `/sites/${id}`,
      title: name,
      beside: url,
    })),
    group(
      __('Deliveries', 'galley'),
      id === undefined ? [asked.deliveries] : [asked.deliveries, asked.versions],
      ({ id, title, site }) => ({
        id,
        to: `/deliveries/${id}`,
        title: title ?? id,
        beside: site?.name ?? '',
      }),
    ),
    group(__('Documents', 'galley'), [asked.jobs], ({ id, title }) => ({
      id,
      to: `/documents/${id}`,
      title,
    })),
    group(__('Sources', 'galley'), [asked.sources], ({ id, name }) => ({
      id,
      to: '/sources',
      search: { search: id },
      title: sourceName(name),
    })),
  ]
}
