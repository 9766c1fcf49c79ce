import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type Operations } from '../api/client.ts'

/** A page of the accounts of this Galley, the newest first; disabled ones too. */
export const accountsQuery = (query: Operations['listAccounts']['query'] = {}) =>
  queryOptions({
    queryKey: ['accounts', 'list', query],
    queryFn: ({ signal }) => call('listAccounts', { query }, signal),
    placeholderData: keepPreviousData,
    meta: { live: 'asked' },
  })

/** The account of the session. */
export const accountQuery = () =>
  queryOptions({
    queryKey: ['account', 'own'],
    queryFn: async ({ signal }) => (await call('getAccount', {}, signal)).data,
    meta: { live: 'asked' },
  })

/** A page of the changes of its credits, the newest first. */
export const creditsQuery = (query: Operations['listCredits']['query'] = {}) =>
  queryOptions({
    queryKey: ['account', 'credits', query],
    queryFn: ({ signal }) => call('listCredits', { query }, signal),
    placeholderData: keepPreviousData,
    meta: { live: 'asked' },
  })

/** A page of API keys, the newest first; revoked ones too. */
export const keysQuery = (query: Operations['listKeys']['query'] = {}) =>
  queryOptions({
    queryKey: ['keys', 'list', query],
    queryFn: ({ signal }) => call('listKeys', { query }, signal),
    placeholderData: keepPreviousData,
  })

type AuditQuery = Operations['listAuditEntries']['query']
export type AuditFilter = Operations['exportAuditEntries']['query']

/** A page of the audit log, the newest first. */
export const auditQuery = (query: AuditQuery) =>
  queryOptions({
    queryKey: ['audit', 'list', query],
    queryFn: ({ signal }) => call('listAuditEntries', { query }, signal),
    placeholderData: keepPreviousData,
    meta: { live: 'asked' },
  })
