import type { Pool } from 'pg'
import type { ByteBudget } from '../bytes/index.ts'
import { GalleyError } from '../errors.ts'
import type { Unplanned, UpstreamEvent } from '../intake/upstream.ts'
import type { SourceId } from '../sources/sources.ts'
import type { Upstreams } from '../upstream/ask.ts'
import { isOfUpstream } from '../upstream/failures.ts'
import { askInRoom } from '../upstream/room.ts'
import { askAgain, type Due, ended, nextDue } from './ledger.ts'
import type { BackfillDocumentStatus } from './schema.ts'

/** What asking takes. */
export interface Asking {
  pool: Pool
  budget: ByteBudget
  upstreams: Upstreams
  /** Intake's way in for what an upstream answers. */
  store(event: UpstreamEvent): Promise<Unplanned>
  stopping: AbortSignal
  /** Milliseconds until a document that is not completed is asked for again; doubled every time, up to six hours. */
  firstMs: number
}

const LONGEST_MS = 6 * 3_600_000

/** A document that is not completed by then never will be. */
const TOO_OLD_MS = 7 * 86_400_000

/** Milliseconds that a source has before others of its lane have their turn. */
const TURN_MS = 25_000

/**
 * Asks the upstream of one source for what is due, one after the other. One that is in trouble is not asked further.
 *
 * @returns whether more may be due
 */
export async function askForDue(asking: Asking, source: SourceId): Promise<boolean> {
  const end = performance.now() + TURN_MS
  while (!asking.stopping.aborted && performance.now() < end) {
    const due = await nextDue(asking.pool, source)
    if (due === null || !(await askFor(asking, source, due))) return false
  }
  return true
}

/** @returns whether the upstream is well */
async function askFor(asking: Asking, source: SourceId, due: Due): Promise<boolean> {
  const { pool } = asking
  if (due.announced) {
    await ended(pool, source, due, { status: 'announced' })
    return true
  }
  try {
    const problem = await takeIn(asking, source, due)
    await ended(pool, source, due, { status: 'found', problem })
    return true
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const status = ENDS[error.code]
    if (status !== undefined) await ended(pool, source, due, { status, problem: error })
    else if (error.code === 'upstream_not_completed') await later(asking, source, due, error)
    else await waits(asking, source, due, error)
    return !isOfUpstream(error)
  }
}

/** Answers after which a document is asked for no more. */
const ENDS: Readonly<Record<string, Exclude<BackfillDocumentStatus, 'waiting'>>> = {
  upstream_document_failed: 'failed',
  upstream_document_unknown: 'unknown',
  upstream_answer_unusable: 'unusable',
  upstream_answer_too_big: 'unusable',
}

async function takeIn(asking: Asking, source: SourceId, due: Due): Promise<Unplanned> {
  const { documentId, delivery, siteIds, labels } = due
  const { body, room } = await askInRoom(asking, { source, documentId, delivery })
  try {
    return await asking.store({ source: { ...source, siteIds, labels }, body })
  } finally {
    room.release()
  }
}

async function later(
  { pool, firstMs }: Asking,
  source: SourceId,
  due: Due,
  problem: GalleyError,
): Promise<void> {
  const { tries, ageMs } = due
  if (ageMs > TOO_OLD_MS) return ended(pool, source, due, { status: 'given_up', problem })
  const inMs = Math.min(firstMs * 2 ** Math.min(tries - 1, 20), LONGEST_MS)
  await askAgain(pool, source, due, { problem, inMs, counts: true })
}

/** The upstream, or Galley itself, is in trouble: that says nothing about the document, however old that gets. */
const waits = ({ pool, firstMs }: Asking, source: SourceId, due: Due, problem: GalleyError): Promise<void> =>
  askAgain(pool, source, due, { problem, inMs: problem.retryAfterMs ?? firstMs, counts: false })
