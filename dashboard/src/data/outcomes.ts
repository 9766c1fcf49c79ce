import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type Operations } from '../api/client.ts'

export type NotificationQuery = Operations['listNotifications']['query']

/** Milliseconds between two polls of a notification before its first attempt: somebody waits for it. */
const POLL_MS = 1_000

/** An account has fewer receivers than a page. */
export const receiversQuery = () =>
  queryOptions({
    queryKey: ['receivers', 'list'],
    queryFn: ({ signal }) => call('listReceivers', { query: { limit: 100 } }, signal),
  })

/** A page of notifications, the newest first. */
export const notificationsQuery = (query: NotificationQuery) =>
  queryOptions({
    queryKey: ['notifications', 'list', query],
    queryFn: ({ signal }) => call('listNotifications', { query }, signal),
    placeholderData: keepPreviousData,
    meta: { live: 'asked' },
  })

/** One notification with its attempts. */
export const notificationQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['notifications', 'one', uuid],
    queryFn: async ({ signal }) => (await call('getNotification', { path: { uuid } }, signal)).data,
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'waiting' && data.tries.length === 0 ? POLL_MS : false,
    meta: { live: 'asked' },
  })
