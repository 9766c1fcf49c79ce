import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type Operations } from '../api/client.ts'

export type AuditQuery = Operations['listAuditEntries']['query']
export type AuditFilter = Operations['exportAuditEntries']['query']

/** A page of what was done, the newest first. */
export const auditQuery = (query: AuditQuery) =>
  queryOptions({
    queryKey: ['audit', 'list', query],
    queryFn: ({ signal }) => call('listAuditEntries', { query }, signal),
    placeholderData: keepPreviousData,
    meta: { live: 'asked' },
  })
