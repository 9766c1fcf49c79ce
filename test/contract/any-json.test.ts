import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findUnreadEmbargo } from '../../src/contract/embargo.ts'
import { postFields } from '../../src/contract/post-fields.ts'
import { readWebhook } from '../../src/contract/webhook.ts'
import { hostileChange, withChanges } from '../support/hostile-json.ts'
import { samples, seed } from '../support/random.ts'
import { completed } from '../support/webhooks.ts'

const siteId = '7f9c24e8-3b12-4f5a-9d6e-0a1b2c3d4e5f'
const examples = Object.fromEntries(Object.entries(postFields).map(([name, { example }]) => [name, example]))

/** A webhook that says all that one can say. */
const everything = {
  ...completed({
    siteId,
    featured_image: 'https://example.com/a.png',
    slug: 'a-slug',
    metadata: { ...examples, categories: ['News'], tags: ['tide'] },
  }),
  error: { step: 'generating', code: 'CONTENT_MODERATION', message: 'declined' },
}

const defaults = { ...examples, post_status: 'draft', on_loss: 'publish' } as never

const change = hostileChange([
  ...['event', 'id', 'status', 'data', 'delivery', 'metadata', 'content', 'meta', 'warnings', 'on_loss'],
  ...['content_format', 'text_format', 'canonical', 'scheduled_at', 'draft', ...Object.keys(examples)],
])

describe(`whatever a webhook says (GALLEY_TEST_SEED=${seed})`, () => {
  it('is taken, or refused with its mistakes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(undefined, defaults),
        async (changes, defaults) => {
          const json = withChanges(everything, changes)
          const read = await readWebhook(json, { defaults, siteId })
          expect(read.ok || read.issues.length > 0).toBe(true)
          expect(findUnreadEmbargo(json, new Date(0)) ?? '').toBeTypeOf('string')
        },
      ),
      { numRuns: samples(5_000), seed },
    )
  })
})
