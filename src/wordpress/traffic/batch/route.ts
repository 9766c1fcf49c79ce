import { z } from 'zod'
import type { Outgoing, WordPressRequest } from '../../client/index.ts'
import type { Waiting } from '../waiting.ts'
import type { Member } from './member.ts'

/** WordPress's own default of `rest_get_max_batch_size`. */
const DEFAULT_MOST = 25
/** More than this in one request nobody needs, whatever a site allows. */
const HIGHEST_MOST = 100
/** nginx takes bodies of 1 MB unless told otherwise. */
const MOST_BYTES = 900_000
/** What each member adds to its own JSON: the parameter that keeps it apart, and a comma. */
const AROUND_MEMBER = 60
const FIRST_SIZE = 5
/** Two go together at least, or it would be no batch. */
const SMALLEST = 2
/** Members more after each full batch that was answered quickly. */
const STEP = 5
/** Milliseconds: an answer that takes longer was asked for too much at once. */
const QUICK_MS = 5_000
const HOUR_MS = 60 * 60_000
/** Where the site failed when it was asked what it takes: that says nothing about batches. */
const SOON_MS = 60_000

/** What is known of `/batch/v1` of a site: whether it works, and how much it takes at once. */
export class BatchRoute {
  /** `off` sends every request by itself. */
  mode: 'auto' | 'off'
  readonly #now: () => number
  #size = FIRST_SIZE
  #bytes = MOST_BYTES
  #most: { value: number; until: number } | null = null
  #restsUntil = 0
  /** Routes whose controller takes no batches. */
  readonly #alone = new Set<string>()

  constructor(mode: 'auto' | 'off', now: () => number = () => performance.now()) {
    this.mode = mode
    this.#now = now
  }

  /** Whether the site has said how much it takes; it is asked once an hour. */
  get isKnown(): boolean {
    return this.#most !== null && this.#now() < this.#most.until
  }

  /** Whether this request may go in a batch now. */
  takes({ member, most }: Waiting): boolean {
    if (this.mode === 'off' || this.#now() < this.#restsUntil) return false
    return member !== null && most >= SMALLEST && !this.#alone.has(member.base)
  }

  /** Of those who fit, those who go with the first: as many as the site takes, each about something else. */
  party(first: Waiting, others: Waiting[], share: number): Waiting[] {
    const party = [first]
    const members = [first.member as Member]
    let room = Math.min(this.#size, this.#most?.value ?? DEFAULT_MOST, first.most, share)
    let bytes = (first.member as Member).bytes + AROUND_MEMBER
    for (const other of others) {
      if (party.length >= room) break
      const member = other.member as Member
      const tooMany = party.length >= other.most
      const tooBig = bytes + member.bytes + AROUND_MEMBER > this.#bytes
      if (tooMany || tooBig || !members.every((one) => mayGoWith(one, member))) continue
      party.push(other)
      members.push(member)
      room = Math.min(room, other.most)
      bytes += member.bytes + AROUND_MEMBER
    }
    return party
  }

  /** Asks the site how much it takes. */
  async learn({ exchange }: Outgoing): Promise<void> {
    const { data } = await exchange(DESCRIBE, () => undefined)
    const described = describedSchema.safeParse(data)
    if (!described.success) return this.rest()
    const most = described.data.endpoints.find(({ args }) => args.requests !== undefined)?.args.requests
    if (most === undefined) return this.rest()
    const value = most.maxItems ?? DEFAULT_MOST
    if (value < SMALLEST) return this.rest()
    this.#most = { value: Math.min(value, HIGHEST_MOST), until: this.#now() + HOUR_MS }
  }

  /** @param ms until the answer was there */
  answered(members: number, ms: number): void {
    if (ms > QUICK_MS) this.#size = Math.max(SMALLEST, Math.floor((members * QUICK_MS) / ms))
    else if (members >= this.#size) this.#size = Math.min(this.#size + STEP, HIGHEST_MOST)
  }

  halve(): void {
    this.#size = Math.max(SMALLEST, Math.floor(this.#size / 2))
  }

  /** The site took no body of this size; no batch will have more than half of it. */
  tooBig(members: Member[]): void {
    this.#bytes = members.reduce((sum, { bytes }) => sum + bytes + AROUND_MEMBER, 0) / 2
  }

  /** No batches for a while: an hour, or a minute where the site itself failed. */
  rest(siteFailed = false): void {
    this.#restsUntil = this.#now() + (siteFailed ? SOON_MS : HOUR_MS)
  }

  /** The controller of this route takes no batches. */
  leaveOut({ base }: Member): void {
    this.#alone.add(base)
  }
}

const mayGoWith = (one: Member, other: Member): boolean =>
  one.as === other.as && !one.subjects.some((subject) => other.subjects.includes(subject))

const DESCRIBE: WordPressRequest = {
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
