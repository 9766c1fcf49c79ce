import type { DocumentResult } from '../../../src/contract/generation/results.ts'
import { normaliseDocument } from '../../../src/contract/normalise.ts'
import { parseWebhook } from '../../../src/contract/webhook.ts'
import { renderSettingsSchema } from '../../../src/render/options.ts'
import { renderDocument } from '../../../src/render/render.ts'

/** A finished document on its whole way to a post: the webhook, the reading of it, the markup. */
export interface Post {
  /** What the webhook's reading and the rendering had to say against it. */
  said: string[]
  /** For the block editor. */
  markup: string
}

/** @throws Error with what is wrong, where a webhook with this document is refused */
export function postOf(data: DocumentResult): Post {
  const body: unknown = JSON.parse(
    JSON.stringify({
      event: 'document.completed',
      id: '0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10',
      status: 'completed',
      data,
      delivery: {
        id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
        post_status: 'draft',
        metadata: { categories: [], tags: [] },
      },
    }),
  )
  const parsed = parseWebhook(body)
  if (!parsed.ok) throw new Error(parsed.issues.map(({ path, message }) => `${path} ${message}`).join('\n'))
  if (parsed.event.event !== 'document.completed') throw new Error(`got a ${parsed.event.event}`)
  const { document, warnings } = normaliseDocument(parsed.event.data)
  const settings = renderSettingsSchema.parse({ featured_image_in_body: 'keep' })
  const rendered = (['block', 'classic'] as const).map((format) =>
    renderDocument(document, { format, settings, media: new Map() }),
  )
  return {
    said: [
      ...parsed.ignored.map(({ path, message }) => `${path} ${message}`),
      ...[...warnings, ...rendered.flatMap((one) => one.warnings)].map(({ message }) => message),
    ],
    markup: rendered[0]?.markup ?? '',
  }
}
