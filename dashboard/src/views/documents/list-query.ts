import { type JobQuery, jobsQuery } from '../../data/jobs.ts'

type Search = Readonly<Record<string, string | undefined>>

/** Groups of states for the filter. */
export const STATES = {
  open: ['pending', 'researching', 'generating', 'images', 'audio'],
  completed: ['completed'],
  failed: ['failed'],
  cancelled: ['cancelled'],
} as const

/** The list's query at an address. */
export const listQueryAt = ({ cursor, kind, state }: Search) =>
  jobsQuery({ cursor, kind: kind as JobQuery['kind'], status: statusesOf(state) })

const statusesOf = (state: string | undefined): JobQuery['status'] =>
  state !== undefined && Object.hasOwn(STATES, state) ? [...STATES[state as keyof typeof STATES]] : undefined
