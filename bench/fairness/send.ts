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
