import { setTimeout as sleep } from 'node:timers/promises'
import { GalleyError } from '../src/errors.ts'
import type { GalleyProcess } from './galley.ts'
import { sampleWebhook } from './sample.ts'
import type { Show } from './show.ts'
import type { DemoSite } from './site.ts'

const settledWithinMs = 120_000

/** What the demo reads of a delivery (design.md, HTTP API). */
export interface Delivery {
  id: string
  status: 'queued' | 'delivering' | 'delivered' | 'held' | 'failed'
  post: { id: number; url: string; edit_url: string; status: string } | null
  warnings: { code: string; message: string }[]
  error: { message: string } | null
  timeline: { at: string; step: string; outcome: string; detail?: string }[]
}

/**
 * The way a document takes, with the calls that a user of Galley would make: connect the site, make a source,
 * post the webhook, follow the delivery.
 * @throws GalleyError `demo_not_delivered` where the delivery ends in any other way than delivered.
 */
export async function deliverSample(
  galley: GalleyProcess,
  site: DemoSite,
  picturesUrl: string,
  show: Show,
): Promise<Delivery> {
  const { id: siteId } = await galley.call<{ id: string }>('POST', '/v1/sites', {
    url: site.url,
    username: site.user,
    application_password: site.applicationPassword,
  })
  show('Site', `connected as ${site.user}; Galley knows it as ${siteId}`)
  const source = await galley.call<{ url: string }>('POST', '/v1/sources', { name: 'demo' })
  show('Source', 'made; its webhook address is a secret')

  const webhook = sampleWebhook({ siteId, picturesUrl, postStatus: site.postStatus })
  await post(source.url, webhook)
  show('Webhook', `"${webhook.data.title}" is stored and acknowledged`)

  const delivery = await follow(galley, webhook.id, show)
  if (delivery.status !== 'delivered' || !delivery.post) {
    throw new GalleyError({
      code: 'demo_not_delivered',
      message: `The delivery is ${delivery.status}. ${delivery.error?.message ?? ''}`.trim(),
    })
  }
  return delivery
}

async function post(url: string, webhook: object): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(webhook),
  })
  if (!response.ok) throw new GalleyError((await response.json()).error)
}

/** Shows each step of the delivery's timeline as it is written, until the delivery has settled. */
async function follow(galley: GalleyProcess, documentId: string, show: Show): Promise<Delivery> {
  const [planned] = await galley.call<Delivery[]>('GET', `/v1/deliveries?document_id=${documentId}`)
  if (!planned)
    throw new GalleyError({ code: 'demo_not_planned', message: 'The webhook planned no delivery.' })
  const deadline = Date.now() + settledWithinMs
  for (let shown = 0; ; await sleep(100)) {
    const delivery = await galley.call<Delivery>('GET', `/v1/deliveries/${planned.id}`)
    for (const { step, outcome, detail } of delivery.timeline.slice(shown)) {
      show(`  ${step}`, detail ? `${outcome}: ${detail}` : outcome)
    }
    shown = delivery.timeline.length
    if (['delivered', 'held', 'failed'].includes(delivery.status) || Date.now() > deadline) return delivery
  }
}
