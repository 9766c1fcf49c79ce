// From a document, or from a prompt, to a post: what the demo asks of Galley, and the steps that it shows.
import { setTimeout as sleep } from 'node:timers/promises'
import { GalleyError } from '../src/errors.ts'
import { type GalleyProcess, postWebhook } from './galley.ts'
import type { Show } from './output.ts'
import type { SampleWebhook } from './sample.ts'

const SETTLED_WITHIN_MS = 120_000
/** A model takes minutes for a long document. */
const GENERATED_WITHIN_MS = 15 * 60_000
const POLL_MS = 100

/** What the demo reads of a delivery. */
interface Delivery {
  id: string
  status: 'queued' | 'delivering' | 'delivered' | 'held' | 'failed'
  post: { id: number; url: string; edit_url: string; status: string } | null
  warnings: { code: string; message: string }[]
  error: { message: string } | null
  timeline: { at: string; step: string; outcome: string; detail?: string }[]
}

/** A delivery that has its post. */
type Delivered = Delivery & { post: NonNullable<Delivery['post']> }

/**
 * Creates a source, posts the webhook to it, and shows the steps of its delivery.
 *
 * @throws GalleyError `demo_not_delivered`
 */
export async function deliver(galley: GalleyProcess, webhook: SampleWebhook, show: Show): Promise<Delivered> {
  const source = await galley.call<{ url: string }>('POST', '/v1/sources', { name: 'demo' })
  show('Source', 'created; it has a secret webhook address')
  await postWebhook(source.url, webhook)
  show('Webhook', `"${webhook.data.title}" is stored and acknowledged`)
  return followDelivery(galley, webhook.id, show)
}

/**
 * Shows each step of the delivery's timeline as it is written, until the delivery has settled.
 *
 * @throws GalleyError `demo_not_delivered` where it is held, has failed, or takes longer than two minutes
 */
async function followDelivery(galley: GalleyProcess, documentId: string, show: Show): Promise<Delivered> {
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
  const deadline = Date.now() + SETTLED_WITHIN_MS
  for (let shown = 0; ; await sleep(POLL_MS)) {
    const delivery = await call<Delivery>('GET', `/v1/deliveries/${planned.id}`)
    for (const { step, outcome, detail } of delivery.timeline.slice(shown)) {
      show(`  ${step}`, detail ? `${outcome}: ${detail}` : outcome)
    }
    shown = delivery.timeline.length
    if (['delivered', 'held', 'failed'].includes(delivery.status) || Date.now() > deadline) return delivery
  }
}

/** A document with everything in it, at a length that a person reads while it is made. */
const prompt = {
  prompt:
    'How to read a tide table: what its columns mean, the rule of twelfths as a table, and a short piece of code that applies it. For people who have never sailed.',
  keywords: ['tide table', 'rule of twelfths'],
  text: { length: 600, formality: 'conversational' },
  image: { enabled: true },
  audio: { enabled: true, format: 'mp3' },
  categories: ['Seamanship'],
  tags: ['tides'],
} as const

/** What the demo reads of a generation job. */
interface Job {
  status: string
  progress?: Record<string, { done: number; of: number }>
  warnings?: { message: string }[]
  data?: {
    title: string
    word_count: number
    reading_time: string
    audio?: { url: string; duration: string }
  }
  error?: { step: string; message: string }
}

/**
 * Has a document generated, and shows the steps of that and of its delivery.
 *
 * @throws GalleyError `demo_not_generated`, `demo_not_delivered`
 */
export async function generate(
  galley: GalleyProcess,
  { siteId, postStatus }: { siteId: string; postStatus: 'draft' | 'publish' },
  show: Show,
): Promise<Delivered> {
  const { id } = await galley.call<{ id: string }>('POST', '/v1/document/create', {
    ...prompt,
    site_id: siteId,
    post_status: postStatus,
  })
  show('Prompt', `accepted; its document is ${id}`)
  const { data, warnings = [] } = await followJob(galley, id, show)
  for (const { message } of warnings) show('Note', message)
  if (data !== undefined) {
    show('Document', `"${data.title}", ${data.word_count} words, ${data.reading_time}`)
    if (data.audio) show('Narration', `${data.audio.duration}, ${data.audio.url}`)
  }
  return followDelivery(galley, id, show)
}

/** Shows each state and the progress of the job, until it has ended. */
async function followJob({ call }: GalleyProcess, id: string, show: Show): Promise<Job> {
  const deadline = Date.now() + GENERATED_WITHIN_MS
  for (let shown = ''; ; await sleep(POLL_MS)) {
    const job = await call<Job & { id: string }>('GET', `/v1/document/status/${id}`, undefined, 'whole')
    const { done, of } = job.progress?.[job.status] ?? {}
    const line = of === undefined ? job.status : `${job.status}: ${done} of ${of}`
    if (line !== shown) show('  step', line)
    shown = line
    if (job.status === 'completed') return job
    if (job.status === 'failed' || Date.now() > deadline)
      throw new GalleyError({
        code: 'demo_not_generated',
        message: `The document is ${job.status}. ${job.error?.message ?? ''}`.trim(),
      })
  }
}
