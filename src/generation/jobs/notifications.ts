import type { JobError, Step } from '../../contract/generation/results.ts'
import { storableJson } from '../../database/storable.ts'
import type { Notification } from './ledger.ts'
import type { JobRow } from './row.ts'

/** How a step of a document is named in its events. */
const nameOf = {
  researching: 'research',
  generating: 'text',
  images: 'image',
  audio: 'audio',
} as const satisfies Record<Step, string>

/** What a job came to, as its notification tells it. */
export type Ending = { status: 'completed'; data: unknown } | { status: 'failed'; error: JobError }

/** The event at the end of a job, as it goes over the wire; with `delivery` where the request says where a document goes. */
export function jobEvent({ id, kind, request }: JobRow, ending: Ending): { event: string; body: string } {
  const event = `${kind}.${ending.status}`
  const delivery = 'delivery' in request && ending.status === 'completed' ? request.delivery : null
  return { event, body: storableJson({ event, id, ...ending, ...(delivery !== null && { delivery }) }) }
}

/** The same as a notification to whoever asked for it; null where nobody did. */
export function jobNotification(row: JobRow, ending: Ending): Notification | null {
  const url = row.request.webhook_url
  return url === null ? null : { url, ...jobEvent(row, ending) }
}

/** The event at the end of a step, where the account asks for those; only documents have steps of their own. */
export function stepNotification(
  row: JobRow,
  { step, error }: { step: Step; error?: JobError },
): Notification | null {
  const { id, kind, notify_steps, request } = row
  if (kind !== 'document' || !notify_steps || request.webhook_url === null) return null
  const parts = row.progress[step]
  const ending =
    error === undefined
      ? { status: 'completed', data: { step, ...(parts !== undefined && { parts }) } }
      : { status: 'failed', error }
  const event = `${nameOf[step]}.${ending.status}`
  return { event, url: request.webhook_url, body: storableJson({ event, id, ...ending }) }
}
