import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type Operations } from '../api/client.ts'

/** A page of API keys, the newest first; revoked ones too. */
export const keysQuery = (query: Operations['listKeys']['query'] = {}) =>
  queryOptions({
    queryKey: ['keys', 'list', query],
    queryFn: ({ signal }) => call('listKeys', { query }, signal),
    placeholderData: keepPreviousData,
  })
