import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'

const sample = readFileSync(new URL('sample.json', import.meta.url), 'utf8')

export interface SampleRequested {
  /** UUID of the connected site. */
  siteId: string
  /** Address that the pictures' names are appended to, ending in `/`. */
  picturesUrl: string
  postStatus: 'draft' | 'publish'
}

/** A `document.completed` webhook (docs/contract.md), as far as the demo looks into it. */
export interface SampleWebhook {
  id: string
  data: { title: string }
  delivery: object
}

/** The shipped webhook, with a document id of its own every time. */
export function sampleWebhook({ siteId, picturesUrl, postStatus }: SampleRequested): SampleWebhook {
  const webhook: SampleWebhook = JSON.parse(sample, (_key, value) =>
    // nobody knew where the pictures would be served when the file was written
    typeof value === 'string' ? value.replace(/^pictures\//, picturesUrl) : value,
  )
  const delivery = { ...webhook.delivery, id: siteId, post_status: postStatus }
  return { ...webhook, id: randomUUID(), delivery }
}
