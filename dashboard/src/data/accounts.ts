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

/** The account of who is signed in. */
export const accountQuery = () =>
  queryOptions({
    queryKey: ['account', 'own'],
    queryFn: async ({ signal }) => (await call('getAccount', {}, signal)).data,
    meta: { live: 'asked' },
  })

/** A page of what moved its credits, the newest first. */
export const creditsQuery = (query: Operations['listCredits']['query'] = {}) =>
  queryOptions({
    queryKey: ['account', 'credits', query],
    queryFn: ({ signal }) => call('listCredits', { query }, signal),
    placeholderData: keepPreviousData,
    meta: { live: 'asked' },
  })
