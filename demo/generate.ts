import { setTimeout as sleep } from 'node:timers/promises'
import { GalleyError } from '../src/errors.ts'
import { type Delivered, follow } from './deliver.ts'
import type { GalleyProcess } from './galley.ts'
import type { Show } from './output.ts'

/** A model has its time: minutes for a long document. */
const madeWithinMs = 15 * 60_000

/** What the demo asks for: everything that a document can have, at a length that a person reads while it is made. */
const asked = {
  prompt:
    'How to read a tide table: what its columns mean, the rule of twelfths as a table, and a short piece of code that applies it. For people who have never sailed.',
  keywords: ['tide table', 'rule of twelfths'],
  text: { length: 600, formality: 'conversational' },
  image: { enabled: true },
  audio: { enabled: true, format: 'mp3' },
  categories: ['Seamanship'],
  tags: ['tides'],
} as const

/** What the demo reads of a job. */
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
 * From a prompt to a post: asks for a document, shows the steps of making it, and then those of delivering it.
 *
 * @throws GalleyError `demo_not_generated`, `demo_not_delivered`
 */
export async function generate(
  galley: GalleyProcess,
  requested: { siteId: string; postStatus: 'draft' | 'publish' },
  show: Show,
): Promise<Delivered> {
  const { id } = await galley.call<{ id: string }>('POST', '/v1/document/create', {
    ...asked,
    site_id: requested.siteId,
    post_status: requested.postStatus,
  })
  show('Prompt', `accepted; its document is ${id}`)
  const { data, warnings = [] } = await followJob(galley, id, show)
  for (const { message } of warnings) show('Note', message)
  if (data !== undefined) {
    show('Document', `"${data.title}", ${data.word_count} words, ${data.reading_time}`)
    if (data.audio) show('Narration', `${data.audio.duration}, ${data.audio.url}`)
  }
  return follow(galley, id, show)
}

/** Shows each state of the job as it comes, and how far it is, until it has ended. */
async function followJob({ call }: GalleyProcess, id: string, show: Show): Promise<Job> {
  const deadline = Date.now() + madeWithinMs
  for (let shown = ''; ; await sleep(100)) {
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
