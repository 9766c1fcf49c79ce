import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Caller } from '../accounts/caller.ts'
import { currentRights } from '../accounts/current-rights.ts'
import { mayUse } from '../accounts/rights.ts'
import type { Logger } from '../log.ts'
import { type SeenSites, sameSites, setOf } from '../seen-sites.ts'
import { stopping, tooManyStreams } from './failures.ts'
import { idOf, type Position, positionOf, readPosition } from './position.ts'
import { type Change, currentSnapshot, readChanges, type StoredChange } from './read.ts'
import { Wakeups } from './wakeups.ts'
import { Watches } from './watches.ts'

/** What a stream says. */
export type Saying =
  /** First of all. Unless it goes on where another one ended, everything has to be read. */
  | { event: 'ready'; data: { resumed: boolean }; id: string }
  | { event: 'changes'; data: { changes: Change[] }; id: string | undefined }
  /** Everything has to be read again. */
  | { event: 'reset'; data: Record<string, never>; id: string }

/** Whoever listens. */
export interface Listener {
  say(saying: Saying): void
  /** Nothing more will be said. */
  end(): void
}

/** A stream that is open, or about to be. */
interface Stream extends Pick<Caller, 'accountId' | 'keyId' | 'sessionId'> {
  /** One list for all streams of a key, as long as it sees the same: it may see tens of thousands. */
  siteIds: SeenSites
  listener: Listener
  /** It was told where it stands, and is told what changes from there on. */
  begun: boolean
}

export interface StreamsOptions {
  pool: Pool
  log: Logger
  /** Streams of this process at most. */
  most: number
}

/** Streams of one key, in one process: also those of a page that somebody has signed in to with it. */
const OF_KEY = 25

/** Changes in one event. */
const IN_ONE = 100

/** Milliseconds between two looks where nothing wakes, and where something always does. */
const LOOK_MS = { rarely: 1_000, often: 100 }

/** Tells those who listen what changed in their account, in whichever process it did. */
export class Streams {
  readonly #options: StreamsOptions
  readonly #wakeups: Wakeups
  readonly #watches: Watches
  readonly #streams = new Set<Stream>()
  /** What all streams that have begun have been told of. */
  #position: Position | undefined
  /** One look or beginning at a time, so that neither misses what the other sees. */
  #turn: Promise<unknown> = Promise.resolve()
  #running: Promise<void> | undefined
  #bell = new AbortController()
  #closed = false

  constructor(options: StreamsOptions) {
    this.#options = options
    this.#wakeups = new Wakeups(options.pool, () => this.#bell.abort())
    this.#watches = new Watches(options.pool)
  }

  /**
   * Opens a stream. What is said first is said before this resolves.
   *
   * @param after the id of the last event that was heard of an earlier one
   * @returns what ends it
   * @throws GalleyError 429 `TOO_MANY_STREAMS`, 503 `STOPPING`
   */
  async open(caller: Caller, after: string | undefined, listener: Listener): Promise<() => void> {
    if (this.#closed) throw stopping()
    const ofKey = [...this.#streams].filter(({ keyId }) => keyId === caller.keyId)
    if (ofKey.length >= OF_KEY || this.#streams.size >= this.#options.most) throw tooManyStreams(OF_KEY)
    const same = ofKey.find(({ siteIds }) => sameSites(siteIds, caller.siteIds))
    const { accountId, keyId, sessionId, siteIds } = caller
    const stream: Stream = {
      ...{ accountId, keyId, ...(sessionId !== undefined && { sessionId }) },
      siteIds: same === undefined ? siteIds : same.siteIds,
      listener,
      begun: false,
    }
    this.#streams.add(stream)
    const end = () => {
      this.#streams.delete(stream)
      this.#bell.abort()
    }
    try {
      await this.#watches.settle(caller.accountId)
      await this.#alone(() => this.#begin(stream, after))
    } catch (error) {
      end()
      throw error
    }
    this.#run()
    return end
  }

  /** Ends all streams; from now on none is opened. */
  close(): void {
    this.#closed = true
    for (const stream of this.#streams) this.#end(stream)
  }

  /** Closes, and resolves when no connection is held. */
  async stop(): Promise<void> {
    this.close()
    await this.#running
  }

  async #begin(stream: Stream, after: string | undefined): Promise<void> {
    const { pool } = this.#options
    const { accountId, listener } = stream
    // Those who listen already come to where this one begins: it is not told again what happened before.
    await this.#look()
    const last = after === undefined ? undefined : readPosition(after)
    const found = last && (await readChanges(pool, [accountId], last))
    const { epoch } = this.#watches.of(accountId)
    const position =
      last === undefined && this.#position !== undefined
        ? { ...this.#position, epoch }
        : positionOf(epoch, found?.snapshot ?? (await currentSnapshot(pool)))
    // It was ended while this waited for its turn.
    if (!this.#streams.has(stream)) return
    if (last && found && this.#watches.goesOn(accountId, last, found)) {
      listener.say({ event: 'ready', data: { resumed: true }, id: idOf(last) })
      tell(stream, found.changes, idOf(position))
    } else listener.say({ event: 'ready', data: { resumed: false }, id: idOf(position) })
    this.#position ??= position
    stream.begun = true
  }

  #run(): void {
    this.#running ??= this.#lookUntilIdle().finally(() => {
      this.#running = undefined
      if (this.#streams.size > 0) this.#run()
    })
  }

  /** Looks until nobody listens any more. */
  async #lookUntilIdle(): Promise<void> {
    const { log } = this.#options
    let failing = false
    while (this.#streams.size > 0) {
      this.#bell = new AbortController()
      try {
        await this.#wakeups.listen()
        await this.#alone(() => this.#look())
        failing = false
      } catch (err) {
        // Said once: what changes meanwhile is told when the database is back.
        if (!failing) log.warn({ err }, 'streams wait: what changed could not be read')
        failing = true
      }
      await wait(LOOK_MS.often)
      await wait(LOOK_MS.rarely, undefined, { signal: this.#bell.signal }).catch(() => undefined)
    }
    this.#wakeups.release()
    this.#position = undefined
  }

  async #look(): Promise<void> {
    const { pool } = this.#options
    const before = this.#position
    const streams = [...this.#streams].filter(({ begun }) => begun)
    // Nobody was told anything since: who comes next begins where it comes.
    if (streams.length === 0) this.#position = undefined
    if (before === undefined || streams.length === 0) return
    const accountIds = [...new Set(streams.map(({ accountId }) => accountId))]
    const found = await readChanges(pool, accountIds, before)
    const standing = await currentRights(pool, streams)
    const lost = await this.#watches.lost(accountIds, before, found)
    /** By what a key saw: whether it sees the same now. */
    const sees = new Map<SeenSites, boolean>()
    for (const stream of streams) {
      const { accountId, siteIds } = stream
      const key = standing(stream)
      if (key === undefined || !mayUse(key.role, 'changes.read')) {
        this.#end(stream)
        continue
      }
      const id = idOf(positionOf(this.#watches.of(accountId).epoch, found.snapshot))
      const same = sees.get(siteIds) ?? sameSites(siteIds, key.siteIds)
      sees.set(siteIds, same)
      if (!same) stream.siteIds = key.siteIds
      if (lost.has(accountId) || !same) stream.listener.say({ event: 'reset', data: {}, id })
      else
        tell(
          stream,
          found.changes.filter((change) => change.accountId === accountId),
          id,
        )
    }
    this.#position = positionOf(before.epoch, found.snapshot)
  }

  #end(stream: Stream): void {
    this.#streams.delete(stream)
    stream.listener.end()
    this.#bell.abort()
  }

  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => undefined)
    return mine
  }
}

/** Says those of the changes that the key sees, each once; the last event alone has the id, so that none is skipped over. */
function tell(stream: Stream, changes: readonly StoredChange[], id: string): void {
  const { listener } = stream
  const seen = seenBy(stream, changes)
  const each = [...new Map(seen.map(({ kind, id }) => [`${kind} ${id}`, { kind, id }])).values()]
  for (let from = 0; from < each.length; from += IN_ONE) {
    const isLast = from + IN_ONE >= each.length
    const data = { changes: each.slice(from, from + IN_ONE) }
    listener.say({ event: 'changes', data, id: isLast ? id : undefined })
  }
}

/** Those of the changes that a key sees: it may be limited to tens of thousands of sites. */
export function seenBy(
  { siteIds, keyId }: Pick<Stream, 'siteIds' | 'keyId'>,
  changes: readonly StoredChange[],
): readonly StoredChange[] {
  if (siteIds === null || changes.length === 0) return changes
  const sites = setOf(siteIds)
  return changes.filter((change) =>
    change.keyId === null
      ? (change.siteIds?.every((site) => sites.has(site)) ?? false)
      : change.keyId === keyId,
  )
}
