import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type ListedSite, type Operations, type SiteImport } from '../api/client.ts'

export type SiteQuery = Operations['listSites']['query']

/** The state of a site changes with time alone, too: an outage that lasts needs somebody. */
const keptFresh = { meta: { live: 'streamed' }, refetchInterval: 5_000 } as const

/** A page of sites, each with its backlog, last delivery and worst finding. */
export const sitesQuery = (query: SiteQuery) =>
  queryOptions({
    queryKey: ['sites', 'list', query],
    queryFn: ({ signal }) => call('listSites', { query }, signal),
    placeholderData: keepPreviousData,
    ...keptFresh,
  })

/** How many sites are in each state, and why those do not work that do not. */
export const siteStatesQuery = (query: { label?: string | undefined } = {}) =>
  queryOptions({
    queryKey: ['sites', 'states', query],
    queryFn: async ({ signal }) => (await call('countSiteStates', { query }, signal)).data,
    ...keptFresh,
  })

/** The labels with this text in them, with the number of sites of each: at most the 1,000 that most sites have. */
export const labelsQuery = (search = '') =>
  queryOptions({
    queryKey: ['sites', 'labels', search],
    queryFn: ({ signal }) => call('listLabels', { query: { search } }, signal),
    placeholderData: keepPreviousData,
    meta: { live: 'asked' },
  })

export const siteQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['sites', 'one', uuid],
    queryFn: async ({ signal }) => (await call('getSite', { path: { uuid } }, signal)).data,
    ...keptFresh,
  })

/** A site that is only named; null where it is gone. Lists name many, so there is no refetch. To read a site itself counts as a visit. */
export const namedSiteQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['sites', 'named', uuid],
    queryFn: async () => (await namedTogether(uuid)).find(({ id }) => id === uuid) ?? null,
    staleTime: 60_000,
  })

/** Sites that one request names. */
const MAX_NAMED = 100

let named: { ids: string[]; found: Promise<ListedSite[]> } | undefined

/** One request for the sites that are named in the same moment: a form may name a thousand. */
function namedTogether(uuid: string): Promise<ListedSite[]> {
  if (named === undefined || named.ids.length === MAX_NAMED) {
    const ids: string[] = []
    const found = Promise.resolve().then(async () => {
      if (named?.ids === ids) named = undefined
      return (await call('listSites', { query: { site_id: ids, limit: MAX_NAMED } })).data
    })
    named = { ids, found }
  }
  named.ids.push(uuid)
  return named.found
}

/** The choices for its settings. Each request asks the site, so there is no refetch. */
export const choicesQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['sites', 'choices', uuid],
    queryFn: async ({ signal }) => (await call('getSiteChoices', { path: { uuid } }, signal)).data,
    staleTime: 300_000,
  })

/** The styles of its posts. Each request asks the site, so there is no refetch; a preview has plain styles without. */
export const stylesQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['sites', 'styles', uuid],
    queryFn: async ({ signal }) => (await call('getSiteStyles', { path: { uuid } }, signal)).data,
    staleTime: 300_000,
    retry: false,
    refetchOnWindowFocus: false,
  })

/** Connect links that were not used, the newest first. */
export const linksQuery = () =>
  infiniteQueryOptions({
    queryKey: ['connect-links', 'list'],
    queryFn: ({ signal, pageParam: cursor }) =>
      call('listConnectLinks', { query: { status: ['open', 'expired'], limit: 25, cursor } }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    meta: { live: 'asked' },
  })

/** Milliseconds between two polls of a link that somebody waits for. */
const LINK_POLL_MS = 2_000

/** One connect link, polled until it is used or ends. */
export const linkQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['connect-links', 'one', uuid],
    queryFn: async ({ signal }) => (await call('getConnectLink', { path: { uuid } }, signal)).data,
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.status === 'open' ? LINK_POLL_MS : false,
  })

/** Milliseconds between two polls of a running import. */
const POLL_MS = 1_000

/** Lines of one page of an import. */
const LINES = 100

/** An import with all its lines. */
export const importQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['sites', 'import', uuid],
    async queryFn({ signal }): Promise<SiteImport> {
      const results: SiteImport['results'] = []
      let cursor: number | undefined
      for (;;) {
        const { data, next_cursor } = await call(
          'getImport',
          { path: { uuid }, query: { limit: LINES, cursor } },
          signal,
        )
        results.push(...data.results)
        if (next_cursor === null) return { ...data, results }
        cursor = Number(next_cursor)
      }
    },
    refetchInterval: ({ state: { data } }) => (data?.status === 'done' ? false : POLL_MS),
  })
