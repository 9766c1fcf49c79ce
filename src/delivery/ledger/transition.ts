import type { DeliveryStatus } from './row.ts'

interface Transition {
  from: readonly DeliveryStatus[]
  to: readonly DeliveryStatus[]
}

/**
 * Everything that changes the state of a delivery, and between which: the arrows of docs/architecture.md, "States". No
 * other file of src writes `delivery.status`; what must be told to others when a delivery ends will be told here, too.
 */
export const transitions = {
  /** A version of the document came. One that is under way ends first. */
  plan: { from: ['queued', 'held', 'failed', 'delivered', 'cancelled'], to: ['queued', 'held'] },
  /** A process takes it. */
  claim: { from: ['queued'], to: ['delivering'] },
  /** Its claim ended. */
  settle: { from: ['delivering'], to: ['delivered', 'queued', 'held', 'failed'] },
  /** Its process is asked to stop, and had no time left for it. */
  giveBack: { from: ['delivering'], to: ['queued'] },
  /** Its process died. */
  takeOver: { from: ['delivering'], to: ['queued', 'held'] },
  /** Its process had only slept, and what it was held for was none of its deaths. */
  revive: { from: ['held'], to: ['queued'] },
  /** Its site stops until its owner acts. */
  stop: { from: ['queued'], to: ['held'] },
  /** Its site is not connected any more; what a dead process left is held as well. */
  strand: { from: ['queued', 'delivering'], to: ['held'] },
  /** Its site is connected, or serves again. */
  resume: { from: ['held'], to: ['queued'] },
  /** A person asks for it. */
  retry: { from: ['queued', 'held', 'failed', 'delivered', 'cancelled'], to: ['queued'] },
  /** A person wants it no more. Nothing but a retry or a newer version brings it back. */
  cancel: { from: ['queued', 'held', 'failed'], to: ['cancelled'] },
} as const satisfies Record<string, Transition>

export type TransitionName = keyof typeof transitions

/** In SQL: where a delivery goes, under a condition unless it is the last of a list, and when it is due there. */
export type Destination<Name extends TransitionName> = { when?: string } & (
  | { to: Exclude<(typeof transitions)[Name]['to'][number], Due>; due?: never }
  | { to: Extract<(typeof transitions)[Name]['to'][number], Due>; due: string }
  /** A state of the row or of a parameter, which the type of that holds to the table. */
  | { stateOf: string; due: string }
)

/** States in which `due_at` says something: when it is tried, when its lease ends. It is empty in the others. */
type Due = 'queued' | 'delivering'

/** A condition: the delivery may make this transition. */
export function mayTransition(name: TransitionName, relation: string): string {
  const from: readonly string[] = transitions[name].from
  return from.length === 1
    ? `${relation}.status = '${from[0]}'`
    : `${relation}.status IN (${from.map((state) => `'${state}'`).join(', ')})`
}

/**
 * Assignments of an UPDATE of `delivery` that make this transition, with what belongs to every one. The statement says
 * {@link mayTransition} of the rows it takes.
 */
export function transition<Name extends TransitionName>(
  _: Name,
  ...destinations: readonly Destination<Name>[]
): string {
  const { status, due } = stateOf(...destinations)
  return `status = ${status}, due_at = ${due}, updated_at = now()`
}

/** The same as two expressions, for a row that is inserted. */
export function stateOf<Name extends TransitionName>(
  ...destinations: readonly Destination<Name>[]
): { status: string; due: string } {
  const statusOf = (one: Destination<Name>) => ('stateOf' in one ? one.stateOf : `'${one.to}'`)
  return {
    status: cases(destinations, statusOf),
    due: cases(destinations, ({ due }) => due ?? 'NULL'),
  }
}

function cases<Case extends { when?: string }>(list: readonly Case[], pick: (one: Case) => string): string {
  const last = list.at(-1)
  if (last === undefined) throw new Error('a transition leads somewhere')
  const conditions = list.slice(0, -1).map((one) => `WHEN ${one.when} THEN ${pick(one)}`)
  return conditions.length === 0 ? pick(last) : `CASE ${conditions.join(' ')} ELSE ${pick(last)} END`
}
