import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { random } from '../support/statistics.ts'
import { post } from './post.ts'

/** The documents on their way, and how long those took that have arrived. */
export interface Mailing {
  /** When each document that has no post yet was due to be sent, by `performance.now()`. */
  sentAt: Map<string, number>
  /** Milliseconds. */
  postedAfterMs: number[]
}

interface Plan {
  webhook: URL
  siteIds: readonly string[]
  perSecond: number
  seconds: number
}

/** Sends documents at a fixed rate, each for a site drawn by lot, and resolves when all are acknowledged. */
export async function sendSteadily({ sentAt }: Mailing, plan: Plan): Promise<void> {
  const { webhook, siteIds, perSecond, seconds } = plan
  const draw = random(2)
  const began = performance.now()
  const sent: Promise<void>[] = []
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const due = began + (n * 1_000) / perSecond
    await sleep(Math.max(0, due - performance.now()))
    const documentId = randomUUID()
    sentAt.set(documentId, due)
    sent.push(post(webhook, siteIds[Math.floor(draw() * siteIds.length)] as string, documentId))
  }
  await Promise.all(sent)
}

/** A post was filled. */
export function arrived({ sentAt, postedAfterMs }: Mailing, documentId: string): void {
  const from = sentAt.get(documentId)
  if (from === undefined) return
  sentAt.delete(documentId)
  postedAfterMs.push(performance.now() - from)
}

const ARRIVE_WITHIN_MS = 60_000

/** @throws where a document for a healthy site has no post within a minute of the last webhook */
export async function allPosted({ sentAt }: Mailing): Promise<void> {
  const deadline = performance.now() + ARRIVE_WITHIN_MS
  while (sentAt.size > 0) {
    if (performance.now() > deadline)
      throw new Error(`${sentAt.size} documents for healthy sites have no post`)
    await sleep(50)
  }
}
