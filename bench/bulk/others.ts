import { setTimeout as sleep } from 'node:timers/promises'
import { allPosted, sendSteadily } from '../fairness/send.ts'
import { ask, type Stage } from './stage.ts'

/** What another account meets, in milliseconds each. */
export interface Met {
  /** The first page of its deliveries. */
  lists: number[]
  /** From a webhook to its post. */
  posts: number[]
}

const PER_SECOND = 10
const LOOK_EVERY_MS = 100

/** Has the other account look at its list and send documents for as long as `work` is under way. */
export async function besides<T>(stage: Stage, work: () => Promise<T>): Promise<Met & { answer: T }> {
  const { mailing } = stage
  const lists: number[] = []
  mailing.postedAfterMs = []
  let going = true
  const look = async () => {
    while (going) {
      const from = performance.now()
      await ask(stage.galley, stage.others, 'GET', '/v1/deliveries?limit=20')
      lists.push(performance.now() - from)
      await sleep(LOOK_EVERY_MS)
    }
  }
  const send = async () => {
    const webhook = new URL(stage.webhook, stage.galley.url)
    while (going)
      await sendSteadily(mailing, { webhook, siteIds: stage.siteIds, perSecond: PER_SECOND, seconds: 1 })
  }
  const finish = async () => {
    try {
      return await work()
    } finally {
      going = false
    }
  }
  const [answer] = await Promise.all([finish(), look(), send()])
  await allPosted(mailing)
  return { answer, lists, posts: mailing.postedAfterMs }
}
