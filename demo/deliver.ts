import { setTimeout as sleep } from 'node:timers/promises'
import { GalleyError } from '../src/errors.ts'
import { postWebhook } from './api.ts'
import type { GalleyProcess } from './galley.ts'
import type { Show } from './output.ts'
import type { SampleWebhook } from './sample.ts'

const settledWithinMs = 120_000

/** What the demo reads of a delivery. */
interface Delivery {
  id: string
  status: 'queued' | 'delivering' | 'delivered' | 'held' | 'failed'
  post: { id: number; url: string; edit_url: string; status: string } | null
  warnings: { code: string; message: string }[]
  error: { message: string } | null
  timeline: { at: string; step: string; outcome: string; detail?: string }[]
}

/** A delivery that ended well. */
export type Delivered = Delivery & { post: NonNullable<Delivery['post']> }

/**
 * Makes a source, posts the webhook to it, and shows every step that Galley takes.
 * @throws GalleyError `demo_not_delivered` where the delivery ends in any other way than delivered.
 */
export async function deliver(galley: GalleyProcess, webhook: SampleWebhook, show: Show): Promise<Delivered> {
  const source = await galley.call<{ url: string }>('POST', '/v1/sources', { name: 'demo' })
  show('Source', 'made; its webhook address is a secret')
  await postWebhook(source.url, webhook)
  show('Webhook', `"${webhook.data.title}" is stored and acknowledged`)

  return follow(galley, webhook.id, show)
}

/**
 * Shows each step of the delivery's timeline as it is written, until the delivery has settled.
 *
 * @throws GalleyError `demo_not_delivered` where it ends in any other way than delivered
 */
export async function follow(galley: GalleyProcess, documentId: string, show: Show): Promise<Delivered> {
  const { post, ...delivery } = await settled(galley, documentId, show)
  if (delivery.status !== 'delivered' || !post) {
    throw new GalleyError({
      code: 'demo_not_delivered',
      message: `The delivery is ${delivery.status}. ${delivery.error?.message ?? ''}`.trim(),
    })
  }
  return { ...delivery, post }
}

async function settled({ call }: GalleyProcess, documentId: string, show: Show): Promise<Delivery> {
  const [planned] = await call<Delivery[]>('GET', `/v1/deliveries?document_id=${documentId}`)
  if (!planned)
    throw new GalleyError({ code: 'demo_not_planned', message: 'The webhook planned no delivery.' })
  const deadline = Date.now() + settledWithinMs
  for (let shown = 0; ; await sleep(100)) {
    const delivery = await call<Delivery>('GET', `/v1/deliveries/${planned.id}`)
    for (const { step, outcome, detail } of delivery.timeline.slice(shown)) {
      show(`  ${step}`, detail ? `${outcome}: ${detail}` : outcome)
    }
    shown = delivery.timeline.length
    if (['delivered', 'held', 'failed'].includes(delivery.status) || Date.now() > deadline) return delivery
  }
}
