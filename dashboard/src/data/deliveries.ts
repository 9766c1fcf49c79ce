import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type Delivery, type Operations } from '../api/client.ts'

export type DeliveryQuery = Operations['listDeliveries']['query']
export type DeliveryPage = Operations['listDeliveries']['answer']
export type DeliveryFilter = Operations['countDeliveries']['query']

/** A page of deliveries. */
export const deliveriesQuery = (query: DeliveryQuery) =>
  queryOptions({
    queryKey: ['deliveries', 'list', query],
    queryFn: ({ signal }) => call('listDeliveries', { query }, signal),
    placeholderData: keepPreviousData,
    meta: { live: 'streamed' },
  })

/** One delivery with its timeline. */
export const deliveryQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['deliveries', 'one', uuid],
    queryFn: async ({ signal }) => (await call('getDelivery', { path: { uuid } }, signal)).data,
    meta: { live: 'streamed' },
  })

/** Deliveries by status. */
export const countsQuery = (query: DeliveryFilter = {}) =>
  queryOptions({
    queryKey: ['deliveries', 'counts', query],
    queryFn: async ({ signal }) => (await call('countDeliveries', { query }, signal)).data,
    meta: { live: 'streamed' },
  })

/** What needs a person, with the number of affected deliveries. */
export const causesQuery = (query: DeliveryFilter = {}) =>
  queryOptions({
    queryKey: ['deliveries', 'causes', query],
    queryFn: ({ signal }) => call('listCauses', { query }, signal),
    meta: { live: 'streamed' },
  })

/** The texts of an edited post, for each time that its delivery is held. Each request asks the site, so there is no refetch. */
export const editsQuery = ({ id: uuid, stands }: Delivery) =>
  queryOptions({
    queryKey: ['deliveries', 'edits', uuid, stands.at],
    queryFn: async ({ signal }) => (await call('getDeliveryEdits', { path: { uuid } }, signal)).data,
    staleTime: 60_000,
  })

/** A webhook as received. It does not change. */
export const eventQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['events', 'one', uuid],
    queryFn: async ({ signal }) => (await call('getEvent', { path: { uuid } }, signal)).data,
    staleTime: 600_000,
  })

type HourQuery = Operations['countDeliveriesByHour']['query']

/** Deliveries by status and hour or span, with their durations. All of a month are read for it, so not for every event. */
export const hoursQuery = (query: HourQuery) =>
  queryOptions({
    queryKey: ['deliveries', 'hours', query],
    queryFn: async ({ signal }) => (await call('countDeliveriesByHour', { query }, signal)).data,
    meta: { live: 'asked' },
  })
