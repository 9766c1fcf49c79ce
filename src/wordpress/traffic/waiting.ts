import type { Span } from '../../observe/trace.ts'
import { isSafe } from '../../outbound/index.ts'
import type { Answer, Outgoing } from '../client/index.ts'
import type { Member } from './batch/member.ts'

/** A request that waits for its place. */
export interface Waiting {
  outgoing: Outgoing
  /** As it stands in a batch; null where `/batch/v1` does not take it. */
  member: Member | null
  /** What it is a request of, where traces are sent. */
  span: Span | undefined
  /** How often it has failed. */
  tries: number
  /** The largest batch that it goes in; 1 for none. One that failed in a batch goes on in a smaller one. */
  most: number
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/** A request, and what became of it. */
export type Failed = [Waiting, unknown]

/** Whether it may be made again after this failure: it changes nothing the second time, or nothing left the first time. */
export const isRepeatable = ({ outgoing: { request } }: Waiting): boolean =>
  request.repeatable === true || isSafe(request.method ?? 'GET')
