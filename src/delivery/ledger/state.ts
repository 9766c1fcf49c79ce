import type { PostFields, PostStatus } from '../../wordpress/types.ts'

/** What a delivery may be. `queued` and `delivering` move by themselves; `held` waits for a person; the others are ends. */
export const deliveryStatuses = ['queued', 'delivering', 'delivered', 'held', 'failed', 'cancelled'] as const

export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** What stopped a delivery, and at which step. */
export interface DeliveryError {
  code: string
  message: string
  step: string
  /** Structured facts, where there are some: both sides of a difference. */
  details?: unknown
}

/**
 * What WordPress last answered about the post, as far as a person may change it. The next write compares the
 * post with this: what differs was done by somebody else.
 */
export interface Snapshot {
  title: string
  content: string
  excerpt: string
  categories: number[]
  tags: number[]
  featuredMedia: number
  slug: string
  /** As Galley left it; null where a person has decided since. */
  status: PostStatus | null
  modifiedGmt: string
  /** What the last fill sent besides the text (`sent_hash`); gone with its answer. */
  asked?: RequestedFields
  /** The number of a second post of this document, which this delivery has made and is about to remove. */
  duplicate?: number
  /**
   * A person asked to write over whatever was changed of this post, or to set its status alone; gone when the delivery has
   * come to rest.
   */
  overwrite?: { siteId: string; postId: number; statusOnly?: boolean }
}

/** The fields of a fill without its text. */
export type RequestedFields = Pick<PostFields, 'status' | 'categories' | 'tags' | 'featuredMedia'>

/** A delivery as its claim reads it; names as in the table. */
export interface DeliveryRow {
  id: string
  account_id: string
  site_id: string
  document_id: string
  wanted_event_id: string
  delivered_event_id: string | null
  status: DeliveryStatus
  fence: number
  attempts: number
  site_failures: number
  site_failed_at: Date | null
  reserve_intent_at: Date | null
  ambiguous_at: Date | null
  post_id: number | null
  post_type: string | null
  post_status: PostStatus | null
  sent_hash: string | null
  answered: Snapshot | null
  /** By the database's clock. */
  claimed_at: Date
  /** Of the wanted event's body, as it was claimed; 0 where that was removed. */
  document_bytes: number
  /** Of the span in which its event arrived, where traces are made. */
  traceparent?: string | null
}

/** The columns a step may write; everything else belongs to the claim and to the settlement. */
export interface LedgerPatch {
  reserve_intent_at?: Date | null
  ambiguous_at?: Date | null
  post_id?: number | null
  post_type?: string
  post_url?: string
  post_edit_url?: string
  post_status?: PostStatus
  sent_hash?: string
  answered?: Snapshot
}

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
  claim: { from: ['queued'], to: ['delivering'] },
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
  retry: { from: ['queued', 'held', 'failed', 'delivered', 'cancelled'], to: ['queued'] },
  /** Only a retry or a newer version brings it back. */
  cancel: { from: ['queued', 'held', 'failed'], to: ['cancelled'] },
} as const satisfies Record<string, Transition>

type TransitionName = keyof typeof transitions

/** In SQL: where a delivery goes, under a condition unless it is the last of a list, and when it is due there. */
type Destination<Name extends TransitionName> = { when?: string } & (
  | { to: Exclude<(typeof transitions)[Name]['to'][number], DueStatus>; due?: never }
  | { to: Extract<(typeof transitions)[Name]['to'][number], DueStatus>; due: string }
  /** A state of the row or of a parameter, which the type of that holds to the table. */
  | { stateOf: string; due: string }
)

/** States in which `due_at` says something: when it is tried, when its lease ends. It is empty in the others. */
type DueStatus = 'queued' | 'delivering'

/** SQL condition: the delivery may make this transition. */
export function transitionAllowed(name: TransitionName, relation: string): string {
  const from: readonly string[] = transitions[name].from
  return from.length === 1
    ? `${relation}.status = '${from[0]}'`
    : `${relation}.status IN (${from.map((state) => `'${state}'`).join(', ')})`
}

/**
 * Assignments of an UPDATE of `delivery` that make this transition, with what belongs to every one. The statement says
 * {@link transitionAllowed} of the rows it takes.
 */
export function transition<Name extends TransitionName>(
  _: Name,
  ...destinations: readonly Destination<Name>[]
): string {
  const { status, due } = initialState(...destinations)
  return `status = ${status}, due_at = ${due}, updated_at = now()`
}

/** The same as two expressions, for a row that is inserted. */
export function initialState<Name extends TransitionName>(
  ...destinations: readonly Destination<Name>[]
): { status: string; due: string } {
  const statusOf = (one: Destination<Name>) => ('stateOf' in one ? one.stateOf : `'${one.to}'`)
  return {
    status: sqlCase(destinations, statusOf),
    due: sqlCase(destinations, ({ due }) => due ?? 'NULL'),
  }
}

function sqlCase<Case extends { when?: string }>(list: readonly Case[], pick: (one: Case) => string): string {
  const last = list.at(-1)
  if (last === undefined) throw new Error('a transition leads somewhere')
  const conditions = list.slice(0, -1).map((one) => `WHEN ${one.when} THEN ${pick(one)}`)
  return conditions.length === 0 ? pick(last) : `CASE ${conditions.join(' ')} ELSE ${pick(last)} END`
}
