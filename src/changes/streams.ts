import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { type Caller, hasRight } from '../accounts/authenticate.ts'
import { currentRights } from '../accounts/sessions.ts'
import { type GalleyError, tryLater } from '../errors.ts'
import { cachedSet, sameSites, type VisibleSites } from '../lib/visible-sites.ts'
import type { Logger } from '../log/log.ts'
import {
  AccountWatches,
  type Change,
  type ChangePosition,
  currentSnapshot,
  formatPosition,
  parsePosition,
  parseSnapshot,
  readChanges,
  type StoredChange,
} from './change-log.ts'

export type StreamMessage =
  /** First of all. Unless it goes on where another one ended, everything has to be read. */
  | { event: 'ready'; data: { resumed: boolean }; id: string }
  | { event: 'changes'; data: { changes: Change[] }; id: string | undefined }
  | { event: 'reset'; data: Record<string, never>; id: string }

interface StreamListener {
  send(message: StreamMessage): void
  end(): void
}

interface Stream extends Pick<Caller, 'accountId' | 'keyId' | 'sessionId'> {
  /** One list for all streams of a key, as long as it sees the same: it may see tens of thousands. */
  siteIds: VisibleSites
  listener: StreamListener
  /** It was told where it stands, and is told what changes from there on. */
  begun: boolean
}

interface ChangeStreamsOptions {
  pool: Pool
  log: Logger
  most: number
}

/** Streams of one key, in one process: also those of a page that somebody has signed in to with it. */
const MAX_STREAMS_PER_KEY = 25

const CHANGES_PER_EVENT = 100

/** Milliseconds between two looks. */
const POLL_MS = 400

/** Tells those who listen what changed in their account, in whichever process it did. */
export class ChangeStreams {
  readonly #options: ChangeStreamsOptions
  readonly #watches: AccountWatches
  readonly #streams = new Set<Stream>()
  /** What all streams that have begun have been told of. */
  #position: ChangePosition | undefined
  /** One look or beginning at a time, so that neither misses what the other sees. */
  #turn: Promise<unknown> = Promise.resolve()
  #running: Promise<void> | undefined
  #closed = false

  constructor(options: ChangeStreamsOptions) {
    this.#options = options
    this.#watches = new AccountWatches(options.pool)
  }

  /** Opens a stream. @param after the last event heard of an earlier one @throws 429 `TOO_MANY_STREAMS`, 503 `STOPPING` */
  async open(caller: Caller, after: string | undefined, listener: StreamListener): Promise<() => void> {
    if (this.#closed)
      throw tryLater('STOPPING', 'This process of Galley is stopping. Open the stream again in a moment.', {
        retryAfterMs: 1_000,
      })
    const ofKey = [...this.#streams].filter(({ keyId }) => keyId === caller.keyId)
    if (ofKey.length >= MAX_STREAMS_PER_KEY || this.#streams.size >= this.#options.most)
      throw tooManyStreams(MAX_STREAMS_PER_KEY)
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

  close(): void {
    this.#closed = true
    for (const stream of this.#streams) this.#end(stream)
  }

  async stop(): Promise<void> {
    this.close()
    await this.#running
  }

  async #begin(stream: Stream, after: string | undefined): Promise<void> {
    const { pool } = this.#options
    const { accountId, listener } = stream
    // Those who listen already come to where this one begins: it is not told again what happened before.
    await this.#look()
    const last = after === undefined ? undefined : parsePosition(after)
    const found = last && (await readChanges(pool, [accountId], last))
    const { epoch } = this.#watches.get(accountId)
    const position =
      last === undefined && this.#position !== undefined
        ? { ...this.#position, epoch }
        : parseSnapshot(epoch, found?.snapshot ?? (await currentSnapshot(pool)))
    // It was ended while this waited for its turn.
    if (!this.#streams.has(stream)) return
    if (last && found && this.#watches.isContinuous(accountId, last, found)) {
      listener.send({ event: 'ready', data: { resumed: true }, id: formatPosition(last) })
      sendChanges(stream, found.changes, formatPosition(position))
    } else listener.send({ event: 'ready', data: { resumed: false }, id: formatPosition(position) })
    this.#position ??= position
    stream.begun = true
  }

  #run(): void {
    this.#running ??= this.#lookUntilIdle().finally(() => {
      this.#running = undefined
      if (this.#streams.size > 0) this.#run()
    })
  }

  async #lookUntilIdle(): Promise<void> {
    const { log } = this.#options
    let failing = false
    while (this.#streams.size > 0) {
      try {
        await this.#alone(() => this.#look())
        failing = false
      } catch (err) {
        // Said once: what changes meanwhile is told when the database is back.
        if (!failing) log.warn({ err }, 'streams wait: what changed could not be read')
        failing = true
      }
      await wait(POLL_MS)
    }
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
    const sees = new Map<VisibleSites, boolean>()
    for (const stream of streams) {
      const { accountId, siteIds } = stream
      const key = standing(stream)
      if (key === undefined || !hasRight(key.role, 'changes.read')) {
        this.#end(stream)
        continue
      }
      const id = formatPosition(parseSnapshot(this.#watches.get(accountId).epoch, found.snapshot))
      const same = sees.get(siteIds) ?? sameSites(siteIds, key.siteIds)
      sees.set(siteIds, same)
      if (!same) stream.siteIds = key.siteIds
      if (lost.has(accountId) || !same) stream.listener.send({ event: 'reset', data: {}, id })
      else
        sendChanges(
          stream,
          found.changes.filter((change) => change.accountId === accountId),
          id,
        )
    }
    this.#position = parseSnapshot(before.epoch, found.snapshot)
  }

  #end(stream: Stream): void {
    this.#streams.delete(stream)
    stream.listener.end()
  }

  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => undefined)
    return mine
  }
}

/** Says those of the changes that the key sees, each once; the last event alone has the id, so that none is skipped over. */
function sendChanges(stream: Stream, changes: readonly StoredChange[], id: string): void {
  const { listener } = stream
  const seen = visibleChanges(stream, changes)
  const each = [...new Map(seen.map(({ kind, id }) => [`${kind} ${id}`, { kind, id }])).values()]
  for (let from = 0; from < each.length; from += CHANGES_PER_EVENT) {
    const isLast = from + CHANGES_PER_EVENT >= each.length
    const data = { changes: each.slice(from, from + CHANGES_PER_EVENT) }
    listener.send({ event: 'changes', data, id: isLast ? id : undefined })
  }
}

function visibleChanges(
  { siteIds, keyId }: Pick<Stream, 'siteIds' | 'keyId'>,
  changes: readonly StoredChange[],
): readonly StoredChange[] {
  if (siteIds === null || changes.length === 0) return changes
  const sites = cachedSet(siteIds)
  return changes.filter((change) =>
    change.keyId === null
      ? (change.siteIds?.every((site) => sites.has(site)) ?? false)
      : change.keyId === keyId,
  )
}

const tooManyStreams = (ofKey: number): GalleyError =>
  tryLater(
    'TOO_MANY_STREAMS',
    `A key has ${ofKey} streams at one process at most, and a process has so many in all. Close one you do not need; a single stream covers the whole account.`,
    { httpStatus: 429, retryAfterMs: 10_000 },
  )
