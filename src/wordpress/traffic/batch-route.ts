import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { exchangeOnce, type PreparedRequest, type WordPressRequest } from '../client/client.ts'
import type { BatchMember, QueuedRequest } from './queued-request.ts'

/** WordPress's own default of `rest_get_max_batch_size`. */
const DEFAULT_MAX_MEMBERS = 25
/** More than this in one request nobody needs, whatever a site allows. */
const MAX_MEMBERS = 100
/** For each new post WordPress logs two PHP warnings, which nginx counts as headers: with 25 it answers 502, and all is done. */
const MAX_NEW_MEMBERS = 10
/** nginx takes bodies of 1 MB unless told otherwise. */
const MAX_BATCH_BODY_BYTES = 900_000
/** What each member adds to its own JSON: the parameter that keeps it apart, and a comma. */
const MEMBER_OVERHEAD_BYTES = 60
const FIRST_SIZE = 5
/** Two go together at least, or it would be no batch. */
const MIN_MEMBERS = 2
/** Members more after each full batch that was answered quickly. */
const STEP = 5
/** Milliseconds: an answer that takes longer was asked for too much at once. */
const QUICK_ANSWER_MS = 5_000
const REST_MS = 60 * 60_000
/** Where the site failed when it was asked what it takes: that says nothing about batches. */
const RETRY_DISCOVERY_MS = 60_000

/** What is known of `/batch/v1` of a site: whether it works, and how much it takes at once. */
export class BatchRoute {
  /** `off` sends every request by itself. */
  mode: 'auto' | 'off'
  readonly #now: () => number
  #size = FIRST_SIZE
  #bytes = MAX_BATCH_BODY_BYTES
  #most: { value: number; until: number } | null = null
  #restsUntil = 0
  readonly #alone = new Set<string>()

  constructor(mode: 'auto' | 'off', now: () => number = () => performance.now()) {
    this.mode = mode
    this.#now = now
  }

  /** Whether the site has said how much it takes; it is asked once an hour. */
  get isKnown(): boolean {
    return this.#most !== null && this.#now() < this.#most.until
  }

  takes({ member, most }: QueuedRequest): boolean {
    if (this.mode === 'off' || this.#now() < this.#restsUntil) return false
    return member !== null && most >= MIN_MEMBERS && !this.#alone.has(member.base)
  }

  /** Of those who fit, those who go with the first: as many as the site takes, each about something else. */
  party(first: QueuedRequest, others: QueuedRequest[], share: number): QueuedRequest[] {
    const party = [first]
    const members = [first.member as BatchMember]
    let room = Math.min(this.#size, this.#most?.value ?? DEFAULT_MAX_MEMBERS, share, largestBatch(first))
    let bytes = (first.member as BatchMember).bytes + MEMBER_OVERHEAD_BYTES
    for (const other of others) {
      if (party.length >= room) break
      const member = other.member as BatchMember
      const tooMany = party.length >= largestBatch(other)
      const tooBig = bytes + member.bytes + MEMBER_OVERHEAD_BYTES > this.#bytes
      if (tooMany || tooBig || !members.every((one) => canShareBatch(one, member))) continue
      party.push(other)
      members.push(member)
      room = Math.min(room, largestBatch(other))
      bytes += member.bytes + MEMBER_OVERHEAD_BYTES
    }
    return party
  }

  async learn(outgoing: PreparedRequest): Promise<void> {
    const request = DESCRIBE_ROUTE
    const { data } = await exchangeOnce({ ...outgoing, request, beforeSend: () => undefined })
    const described = describedSchema.safeParse(data)
    if (!described.success) return this.rest()
    const most = described.data.endpoints.find(({ args }) => args.requests !== undefined)?.args.requests
    if (most === undefined) return this.rest()
    const value = most.maxItems ?? DEFAULT_MAX_MEMBERS
    if (value < MIN_MEMBERS) return this.rest()
    this.#most = { value: Math.min(value, MAX_MEMBERS), until: this.#now() + REST_MS }
  }

  /** @param ms until the answer was there */
  answered(members: number, ms: number): void {
    if (ms > QUICK_ANSWER_MS) this.#size = Math.max(MIN_MEMBERS, Math.floor((members * QUICK_ANSWER_MS) / ms))
    else if (members >= this.#size) this.#size = Math.min(this.#size + STEP, MAX_MEMBERS)
  }

  halve(): void {
    this.#size = Math.max(MIN_MEMBERS, Math.floor(this.#size / 2))
  }

  /** The site took no body of this size; no batch will have more than half of it. */
  tooBig(members: BatchMember[]): void {
    this.#bytes = members.reduce((sum, { bytes }) => sum + bytes + MEMBER_OVERHEAD_BYTES, 0) / 2
  }

  /** No batches for a while: an hour, or a minute where the site itself failed. */
  rest(siteFailed = false): void {
    this.#restsUntil = this.#now() + (siteFailed ? RETRY_DISCOVERY_MS : REST_MS)
  }

  leaveOut({ base }: BatchMember): void {
    this.#alone.add(base)
  }
}

/** The largest batch that this one goes in, by what it is and by how it fared. */
const largestBatch = ({ member, most }: QueuedRequest): number =>
  member?.id === null ? Math.min(most, MAX_NEW_MEMBERS) : most

const canShareBatch = (one: BatchMember, other: BatchMember): boolean =>
  one.as === other.as && !one.subjects.some((subject) => other.subjects.includes(subject))

const DESCRIBE_ROUTE: WordPressRequest = {
  method: 'OPTIONS',
  path: '/batch/v1',
  doing: 'reading how many requests it takes at once',
  subject: 'site',
}

const describedSchema = z.object({
  endpoints: z
    .array(
      z.object({
        args: z.object({ requests: z.object({ maxItems: z.int().min(0).optional() }).optional() }),
      }),
    )
    .max(20),
})

const SUSPECT_TTL_MS = 60 * 60_000
const MAX_SUSPECTS = 2_000

/** Posts and slugs whose batch failed as a whole, and may be the cause: they go in half as large a batch, and then alone. */
export class BatchSuspects {
  readonly #most = new LRUCache<string, number>({ max: MAX_SUSPECTS, ttl: SUSPECT_TTL_MS })

  /** The largest batch that this member may be part of. */
  mostFor(member: QueuedRequest['member']): number {
    return Math.min(...(member?.subjects ?? []).map((subject) => this.#most.get(subject) ?? Infinity))
  }

  suspect(one: QueuedRequest, size: number): void {
    one.most = one.most < Infinity ? 1 : Math.ceil(size / 2)
    for (const subject of one.member?.subjects ?? []) this.#most.set(subject, one.most)
  }

  clear({ member }: QueuedRequest): void {
    for (const subject of member?.subjects ?? []) this.#most.delete(subject)
  }
}
