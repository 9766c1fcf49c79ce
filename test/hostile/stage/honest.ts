import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { completed } from '../../support/webhooks.ts'
import { call } from './api.ts'
import type { Findings } from './findings.ts'
import { long } from './random.ts'
import type { World } from './world.ts'

/** Milliseconds between two good documents: each takes as much of the processor as what is hostile beside it. */
const GAP_MS = long ? 400 : 2_000

/** Sends good documents and asks whether the service lives, while others attack it. */
export interface HonestSender {
  sent(): number
  /** Stops, and waits until every document is one post on its site. */
  end(): Promise<void>
}

export function sendHonestly({ service, honest, files }: World, findings: Findings): HonestSender {
  const titles: string[] = []
  let going = true
  const sending = (async () => {
    while (going) {
      const title = `Honest ${randomUUID()}`
      const document = completed({
        siteId: honest.siteId,
        title,
        post_status: 'publish',
        tags: ['honest'],
        blocks: [
          { type: 'paragraph', content: [{ type: 'text', text: `Text of ${title}.` }] },
          { type: 'image', url: `${files.url}/good.png?${title.slice(7)}`, alt: 'A picture' },
        ],
      })
      try {
        const { status, body } = await call(
          service.port,
          honest.key,
          'POST',
          `/v1/webhooks/${honest.token}`,
          document,
        )
        // A sender that hears "later" sends again.
        if (status === 202 || status === 200) titles.push(title)
        else if (status !== 503) findings.add(`a good webhook was answered ${status}`, body)
        const { status: alive } = await call(service.port, honest.key, 'GET', '/healthz')
        if (alive !== 200) findings.add(`/healthz answered ${alive}`, '')
      } catch (error) {
        findings.add('a good request had no answer', String(error))
      }
      await wait(GAP_MS)
    }
  })()
  const posted = (title: string) =>
    [...honest.site.wordpress.posts.values()].filter(
      (post) => post.title === title && post.status === 'publish',
    ).length
  return {
    sent: () => titles.length,
    async end() {
      going = false
      await sending
      for (let tries = 0; tries < 600 && titles.some((title) => posted(title) === 0); tries += 1)
        await wait(100)
      for (const title of titles)
        if (posted(title) !== 1) findings.add(`a good document became ${posted(title)} posts`, title)
    },
  }
}
