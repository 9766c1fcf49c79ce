import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type BulkJob, call, type Operations } from '../api/client.ts'

export type BulkAction = BulkJob['action']
export type BulkRequest = Operations['createBulk']['body']
export type BulkItemsQuery = Operations['listBulkItems']['query']

/** A page of bulk jobs, the newest first. */
export const bulkListQuery = (cursor?: string) =>
  queryOptions({
    queryKey: ['bulk', 'list', cursor],
    queryFn: ({ signal }) => call('listBulk', { query: { limit: 25, cursor } }, signal),
    placeholderData: keepPreviousData,
    meta: { live: 'streamed' },
  })

/** One bulk job with its progress and failures. */
export const bulkQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['bulk', 'one', uuid],
    queryFn: async ({ signal }) => (await call('getBulk', { path: { uuid } }, signal)).data,
    meta: { live: 'streamed' },
  })

/** A page of the results of its deliveries or sites. */
export const bulkItemsQuery = (uuid: string, query: BulkItemsQuery) =>
  queryOptions({
    queryKey: ['bulk', 'items', uuid, query],
    queryFn: ({ signal }) => call('listBulkItems', { path: { uuid }, query }, signal),
    placeholderData: keepPreviousData,
    meta: { live: 'streamed' },
  })
