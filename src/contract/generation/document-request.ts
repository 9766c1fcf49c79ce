import { z } from 'zod'
import { line } from '../text.ts'
import { postStatuses, termNames } from '../webhook.ts'
import { uuid } from '../wire.ts'
import { contentTypes, formalities, textVoices, tiers } from './choices.ts'
import { always, model, webhookUrl, words } from './request-members.ts'
import type { DocumentRequest } from './requests.ts'
import { speechMembers } from './speech-members.ts'

/** Not `max`, after which nothing else that is wrong would be named. */
const keywords = z
  .array(line(200))
  .refine(({ length }) => length <= 10, 'must have at most 10 entries')
  .meta({ maxItems: 10 })

const text = z
  .strictObject({
    length: z.int().min(100).max(10_000).default(2_000).describe('Words to aim for.'),
    formality: z.enum(formalities).default('professional'),
    voice: z.enum(textVoices).default('neutral'),
    model: model.optional().describe('For the text alone; the tier of the document where left out.'),
  })
  .prefault({})

const image = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Whether it gets pictures.'),
    model: z
      .enum(['auto', ...tiers])
      .default('auto')
      .describe('For the pictures alone; auto is the tier of the document.'),
  })
  .prefault({})

const research = z
  .strictObject({
    model: model.optional().describe('For the research alone; the tier of the document where left out.'),
  })
  .prefault({})

const audio = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Whether it is read out as well.'),
    model: model.optional().describe('For the narration alone; the tier of the document where left out.'),
    ...speechMembers,
  })
  .prefault({})

const members = z.strictObject({
  prompt: words(10, 5_000).describe('What the document is about.'),
  model: model.default('standard').describe('The tier of models for all of it.'),
  content_type: z.enum(contentTypes).default('article'),
  keywords: keywords.default([]).describe('What people should find it by.'),
  text,
  image,
  research,
  audio,
  webhook_url: webhookUrl,
  site_id: uuid.optional().describe('A connected site, to which the finished document is delivered.'),
  post_status: z.enum(postStatuses).optional().describe('Of the post; draft where left out. Needs site_id.'),
  categories: termNames('category').optional().describe('Categories of the post. Needs site_id.'),
  tags: termNames('tag').optional().describe('Tags of the post. Needs site_id.'),
})

type Sent = z.output<typeof members>

type OfPost = 'post_status' | 'categories' | 'tags'

/** A member that means nothing where nothing is delivered. */
const hasSite = (name: OfPost) => (sent: Partial<Sent>) =>
  sent[name] === undefined || sent.site_id !== undefined

const needsSite = (name: OfPost) => ({
  path: [name],
  error: 'needs site_id: without a site there is no post',
  when: always,
})

/** Body of `POST /v1/document/create`. */
export const documentRequestSchema = members
  .refine(hasSite('post_status'), needsSite('post_status'))
  .refine(hasSite('categories'), needsSite('categories'))
  .refine(hasSite('tags'), needsSite('tags'))
  .transform(complete)

const named = (names: string[] | undefined): string[] =>
  (names ?? []).map((name) => name.trim()).filter((name) => name !== '')

/** Every default in its place: the tier of a step is that of the document where it has none of its own. */
function complete(sent: Sent): DocumentRequest {
  const { prompt, model, content_type, keywords, text, image, research, audio, webhook_url, site_id } = sent
  return {
    prompt,
    model,
    content_type,
    keywords,
    text: { ...text, model: text.model ?? model },
    image: { ...image, model: image.model === 'auto' ? model : image.model },
    research: { model: research.model ?? model },
    audio: { ...audio, model: audio.model ?? model, style: audio.style || null },
    webhook_url: webhook_url ?? null,
    delivery:
      site_id === undefined
        ? null
        : {
            id: site_id,
            post_status: sent.post_status ?? 'draft',
            metadata: { categories: named(sent.categories), tags: named(sent.tags) },
          },
  }
}
