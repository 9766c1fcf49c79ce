import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type Operations } from '../api/client.ts'

export type SiteQuery = Operations['listSites']['query']

/** A page of sites, each with its backlog, last delivery and worst finding. */
export const sitesQuery = (query: SiteQuery) =>
  queryOptions({
    queryKey: ['sites', 'list', query],
    queryFn: ({ signal }) => call('listSites', { query }, signal),
    placeholderData: keepPreviousData,
    meta: { live: 'streamed' },
  })

/** The labels that there are, with how many sites have each. */
export const labelsQuery = () =>
  queryOptions({
    queryKey: ['sites', 'labels'],
    queryFn: ({ signal }) => call('listLabels', {}, signal),
  })

export const siteQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['sites', 'one', uuid],
    queryFn: async ({ signal }) => (await call('getSite', { path: { uuid } }, signal)).data,
    meta: { live: 'streamed' },
  })

/** What its settings may name. The site is asked, so only once. */
export const choicesQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['sites', 'choices', uuid],
    queryFn: async ({ signal }) => (await call('getSiteChoices', { path: { uuid } }, signal)).data,
    staleTime: 300_000,
  })

/** What its posts look like. The site is asked, so only once; where it cannot be, a preview has a look of its own. */
export const stylesQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['sites', 'styles', uuid],
    queryFn: async ({ signal }) => (await call('getSiteStyles', { path: { uuid } }, signal)).data,
    staleTime: 300_000,
    retry: false,
    refetchOnWindowFocus: false,
  })

/** Links that were sent to owners and not used, the newest first, page after page. */
export const linksQuery = () =>
  infiniteQueryOptions({
    queryKey: ['connect-links', 'list'],
    queryFn: ({ signal, pageParam: cursor }) =>
      call('listConnectLinks', { query: { status: ['open', 'expired'], limit: 25, cursor } }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    meta: { live: 'asked' },
  })

/** Milliseconds between two looks at a link for which somebody waits. */
const LINK_LOOK_MS = 2_000

/** One link, until it is used or has ended. */
export const linkQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['connect-links', 'one', uuid],
    queryFn: async ({ signal }) => (await call('getConnectLink', { path: { uuid } }, signal)).data,
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.status === 'open' ? LINK_LOOK_MS : false,
  })

/** Milliseconds between two looks at an import that is under way. */
const LOOK_MS = 1_000

/** How far an import is, with a page of its lines. */
export const importQuery = (uuid: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['sites', 'import', uuid, cursor],
    queryFn: ({ signal }) =>
      call(
        'getImport',
        { path: { uuid }, query: { limit: 50, cursor: cursor === undefined ? undefined : Number(cursor) } },
        signal,
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.data.status === 'done' ? false : LOOK_MS),
  })
