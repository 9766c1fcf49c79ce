import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type Operations } from '../api/client.ts'

/** Sources whose webhooks could not be used. */
export const unusableQuery = () => sourcesQuery({ unusable: 'true' })

/** A page of sources, the newest first. */
export const sourcesQuery = (query: Operations['listSources']['query'] = {}) =>
  queryOptions({
    queryKey: ['sources', 'list', query],
    queryFn: ({ signal }) => call('listSources', { query }, signal),
    placeholderData: keepPreviousData,
    meta: { live: 'asked' },
  })
