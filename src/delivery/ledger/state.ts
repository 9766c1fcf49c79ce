import type { PostFields, PostMembers, PostStatus } from '../../wordpress/types.ts'

/** What a delivery may be. `queued` and `delivering` move by themselves; `held` waits for a person; the others are ends. */
export const deliveryStatuses = [
  'queued',
  'delivering',
  'delivered',
  'held',
  'failed',
  'cancelled',
  'kept',
  'withdrawn',
] as const

export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** What a delivery is shown as: a queued one is `waiting` while its site is in trouble or paused. */
export const shownStatuses = ['waiting', ...deliveryStatuses] as const

export type ShownStatus = (typeof shownStatuses)[number]

/** SQL condition: the site of a delivery is in trouble or paused. @param d alias of `delivery` */
export const siteKeepsWaiting = (d: string): string => `EXISTS (SELECT FROM site s
  WHERE s.account_id = ${d}.account_id AND s.id = ${d}.site_id AND (s.trouble IS NOT NULL OR s.stopped_at IS NOT NULL))`

/** SQL expression of the status that is shown. @param d alias of `delivery` */
export const shownStatusSql = (d: string): string =>
  `CASE WHEN ${d}.status = 'queued' AND ${siteKeepsWaiting(d)} THEN 'waiting' ELSE ${d}.status END`

/** What stopped a delivery, and at which step. */
export interface DeliveryError {
  code: string
  message: string
  step: string
  details?: unknown
}

/** The text of a post: what a person edits and what kses rewrites. */
export interface PostText {
  title: string
  content: string
  excerpt: string
  /** The notes of the block `core/footnotes`, which stand in the meta of the post. */
  footnotes?: string | null
}

/** What WordPress last answered about the post, as far as a person may change it; the next write compares with this. */
export interface Snapshot extends PostText {
  categories: number[]
  tags: number[]
  featuredMedia: number
  slug: string
  /** As Galley left it; null where a person has decided since. */
  status: PostStatus | null
  modifiedGmt: string
  /** As WordPress answered them to Galley's last fill that set them. */
  members?: PostMembers
  /** What the last fill sent besides the text (`sent_hash`); gone with its answer. */
  asked?: RequestedFields
  /** The number of a second post of this document, which this delivery has made and is about to remove. */
  duplicate?: number
  /** The post stands as it was delivered: only its canonical address is to be set. */
  canonicalOnly?: true
  /** A person asked to write over what was changed of this post, to merge it, to set the status alone, to withdraw it all the same, or to put back what that replaced, until the delivery rests. */
  overwrite?: { siteId: string; postId: number; statusOnly?: boolean; merge?: MergeDecision; undo?: true }
  /** What the version says that is held for a person's change of the post. */
  next?: PostText
  /** What Galley's version said, where the post is a merge of that and a person's changes. */
  base?: PostText
  /** The post has a person's text, which Galley put back. */
  putBack?: true
}

/** What a person's choice has replaced on the site. */
export interface Replaced {
  eventId: string
  fields: PostFields
  /** Members that a fill may change besides, and of which Galley does not remember what it left. */
  rest: PostMembers
  /** Members that cannot be put back, since nobody can tell what stood there: `password`. */
  unknown: string[]
  answered: Snapshot
}

/** The fields of a fill without its text, or the status that a withdrawal sets. */
export interface RequestedFields
  extends Pick<PostFields, 'categories' | 'tags' | 'featuredMedia' | 'members'> {
  status?: NonNullable<PostFields['status']> | 'trash'
  base?: PostText
}

/** What a person chose: a side for each conflict, in the order of the pieces, of exactly the texts that were compared. */
export interface MergeDecision {
  compared: string
  choices: readonly MergeSide[]
}

export const mergeSides = ['site', 'next'] as const

export type MergeSide = (typeof mergeSides)[number]

/** Where a withdrawal brings a post. */
export const withdrawTargets = ['draft', 'trash'] as const

export type WithdrawTarget = (typeof withdrawTargets)[number]

/** Of a post that is to name the first public one of its document: `waits` while none is known; `first` is that one. */
export type CanonicalRole = 'waits' | 'first'

/** A delivery as its claim reads it; names as in the table. */
export interface DeliveryRow {
  id: string
  account_id: string
  site_id: string
  document_id: string
  /** What its sender calls the document, where that is no UUID. */
  reference: string | null
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
  /** What a person chose for this version when they retried it; null for what document, source or site say. */
  on_loss: 'publish' | 'draft' | 'hold' | null
  /** Where a person wants the post; null where its document is to be delivered. */
  withdraw_to: WithdrawTarget | null
  /** Sites, not connected any more, at which this document was begun and not finished. */
  abandoned_sites: string[]
  canonical: CanonicalRole | null
  replaced: Replaced | null
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
  post_status?: PostStatus | null
  sent_hash?: string
  answered?: Snapshot
  canonical?: CanonicalRole | null
  replaced?: Replaced | null
  undo_until?: Date | null
}

interface Transition {
  from: readonly DeliveryStatus[]
  to: readonly DeliveryStatus[]
}

const AT_REST_OR_QUEUED = ['queued', 'held', 'failed', 'delivered', 'cancelled', 'kept', 'withdrawn'] as const

/** All changes of `delivery.status`, as in docs/architecture.md, "States". No other file of src writes it. */
export const transitions = {
  /** A version of the document came. One that is under way ends first. */
  plan: { from: AT_REST_OR_QUEUED, to: ['queued', 'held'] },
  claim: { from: ['queued'], to: ['delivering'] },
  settle: { from: ['delivering'], to: ['delivered', 'withdrawn', 'kept', 'queued', 'held', 'failed'] },
  /** Its process is asked to stop, and had no time left for it. */
  giveBack: { from: ['delivering'], to: ['queued'] },
  takeOver: { from: ['delivering'], to: ['queued', 'held'] },
  stop: { from: ['queued'], to: ['held'] },
  /** Its site is not connected any more; what a dead process left is held as well. */
  strand: { from: ['queued', 'delivering'], to: ['held'] },
  resume: { from: ['held'], to: ['queued'] },
  /** The first public post of its document became known: it is to name that one. */
  nameCanonical: { from: ['delivered'], to: ['queued'] },
  retry: { from: AT_REST_OR_QUEUED, to: ['queued'] },
  withdraw: { from: AT_REST_OR_QUEUED, to: ['queued'] },
  undo: { from: ['delivered'], to: ['queued'] },
  /** Only a retry or a newer version brings it back. */
  cancel: { from: ['queued', 'held', 'failed'], to: ['cancelled'] },
  keep: { from: ['held'], to: ['kept'] },
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

/** Of `d`: what a choice replaced is remembered, and nothing newer was written since. */
export const CAN_UNDO = `(d.undo_until > now() AND (d.replaced ->> 'eventId')::uuid = d.wanted_event_id
  AND ${transitionAllowed('undo', 'd')})`

/** Assignments of an UPDATE of `delivery` for this transition; the statement says {@link transitionAllowed} of its rows. */
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
  return { status: sqlCase(destinations, statusOf), due: sqlCase(destinations, ({ due }) => due ?? 'NULL') }
}

function sqlCase<Case extends { when?: string }>(list: readonly Case[], pick: (one: Case) => string): string {
  const last = list.at(-1)
  if (last === undefined) throw new Error('a transition leads somewhere')
  const conditions = list.slice(0, -1).map((one) => `WHEN ${one.when} THEN ${pick(one)}`)
  return conditions.length === 0 ? pick(last) : `CASE ${conditions.join(' ')} ELSE ${pick(last)} END`
}
