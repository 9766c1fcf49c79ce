import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type Job, type Operations, type Price } from '../api/client.ts'

export type JobKind = Job['kind']
export type JobQuery = Operations['listJobs']['query']

/** Milliseconds between two polls of a running job: the stream reports steps, and not their parts. */
const POLL_MS = 1_500

/** Whether the job has ended. */
export const hasEnded = ({ status }: Pick<Job, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** A page of jobs, the newest first. */
export const jobsQuery = (query: JobQuery = {}) =>
  queryOptions({
    queryKey: ['jobs', 'list', query],
    queryFn: ({ signal }) => call('listJobs', { query }, signal),
    placeholderData: keepPreviousData,
    meta: { live: 'streamed' },
  })

/** One job: its request, progress and sources. */
export const jobQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['jobs', 'one', uuid],
    queryFn: async ({ signal }) => (await call('getJob', { path: { uuid } }, signal)).data,
    refetchInterval: ({ state: { data } }) => (data === undefined || hasEnded(data) ? false : POLL_MS),
    meta: { live: 'streamed' },
  })

type Ended = Pick<Job, 'id' | 'ended_at'>

/** The result of a job that has ended. It changes only when the job is resumed, and ends again. */
export const documentQuery = ({ id: uuid, ended_at }: Ended) =>
  queryOptions({
    queryKey: ['jobs', 'document', uuid, ended_at],
    queryFn: ({ signal }) => call('getDocumentStatus', { path: { uuid } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const audioQuery = ({ id: uuid, ended_at }: Ended) =>
  queryOptions({
    queryKey: ['jobs', 'audio', uuid, ended_at],
    queryFn: ({ signal }) => call('getAudioStatus', { path: { uuid } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const imageQuery = ({ id: uuid, ended_at }: Ended) =>
  queryOptions({
    queryKey: ['jobs', 'image', uuid, ended_at],
    queryFn: ({ signal }) => call('getImageStatus', { path: { uuid } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The API's requests, by kind. */
export interface JobRequests {
  document: Operations['createDocument']['body']
  audio: Operations['createAudio']['body']
  image: Operations['createImage']['body']
}

const price: {
  [Kind in JobKind]: (body: JobRequests[Kind], signal: AbortSignal) => Promise<{ data: Price }>
} = {
  document: (body, signal) => call('priceDocument', { body }, signal),
  audio: (body, signal) => call('priceAudio', { body }, signal),
  image: (body, signal) => call('priceImage', { body }, signal),
}

/** The price of a request, and whether it can be made. An error says which fields are wrong. */
export const priceQuery = <Kind extends JobKind>(kind: Kind, request: JobRequests[Kind]) =>
  queryOptions({
    queryKey: ['jobs', 'price', kind, JSON.stringify(request)],
    queryFn: async ({ signal }) => (await price[kind](request, signal)).data,
    placeholderData: keepPreviousData,
  })

const create: { [Kind in JobKind]: (body: JobRequests[Kind]) => Promise<{ id: string }> } = {
  document: (body) => call('createDocument', { body }),
  audio: (body) => call('createAudio', { body }),
  image: (body) => call('createImage', { body }),
}

/** Creates a job. @returns its id */
export const createJob = async <Kind extends JobKind>(kind: Kind, body: JobRequests[Kind]): Promise<string> =>
  (await create[kind](body)).id
