import { beginning } from '../text.ts'
import { oneLine } from './normalise/fields.ts'
import type { WebhookEvent } from './webhook.ts'

/** Characters of a title that lists keep; the post has all of it. */
const LONGEST_TITLE = 300

/** The title of a document as lists show it; null where it has none. May hold what the database takes no text with. */
export function shownTitle(event: WebhookEvent | null): string | null {
  if (event?.event !== 'document.completed') return null
  const { title, content } = event.data
  const text = oneLine(title ?? '') || oneLine(content.meta?.title ?? '')
  return beginning(text, LONGEST_TITLE) || null
}
