import { normaliseDocument } from '../../../src/blocks/read.ts'
import type { DocumentRequest } from '../../../src/contract/generation/requests.ts'
import type { DocumentResult } from '../../../src/contract/generation/results.ts'
import { parseWebhook } from '../../../src/contract/webhook.ts'
import type { Warning } from '../../../src/errors.ts'
import type { PartName } from '../../../src/generation/jobs/job.ts'
import type { JobRun } from '../../../src/generation/jobs/job-run.ts'
import { assembleDocument } from '../../../src/generation/pipeline/document.ts'
import { type WrittenDocument, writeText } from '../../../src/generation/pipeline/text/write-text.ts'
import type { Source } from '../../../src/generation/pipeline/types.ts'
import type { Providers, RawAnswer, TextProvider } from '../../../src/generation/providers/types.ts'
import { renderSettingsSchema } from '../../../src/render/options.ts'
import { renderDocument } from '../../../src/render/render.ts'
import { leaveOutWith } from '../../generation/attempt.ts'

/** What a writer makes of a request, with pictures that lie where Galley would serve them. */
export async function writeDocument(
  request: DocumentRequest,
  writer: TextProvider,
  { sources = [], parts }: { sources?: Source[]; parts?: MemoryRun['parts'] } = {},
): Promise<{ document: DocumentResult; text: WrittenDocument; run: MemoryRun }> {
  const run = memoryRun(request, parts)
  const text = await writeText(run, { providers: onlyWriter({ text: writer }) }, sources)
  const pictures = text.pictures.map(({ name, alt }) => [
    name,
    { url: `https://galley.example/files/${name}.jpg`, alt, width: 1536, height: 1024 },
  ])
  return { document: assembleDocument(text, Object.fromEntries(pictures)), text, run }
}

type Requested = Partial<Omit<DocumentRequest, 'text' | 'image' | 'audio'>> & {
  text?: Partial<DocumentRequest['text']>
  image?: Partial<DocumentRequest['image']>
  audio?: Partial<DocumentRequest['audio']>
}

/** A request with every default, without pictures, which most tests are not about. */
export const documentRequest = ({ text, image, audio, ...requested }: Requested = {}): DocumentRequest => ({
  prompt: 'How tides work, and why there are two of them each day',
  model: 'standard',
  content_type: 'article',
  keywords: [],
  research: { model: 'standard' },
  webhook_url: null,
  delivery: null,
  ...requested,
  text: { length: 2_000, formality: 'professional', voice: 'neutral', model: 'standard', ...text },
  image: { enabled: false, model: 'standard', ...image },
  audio: {
    enabled: false,
    model: 'standard',
    voice: 'Kore',
    language: 'en-US',
    format: 'mp3',
    style: null,
    ...audio,
  },
})

/** A run that keeps its parts in memory, and what the job's status would have said. */
export interface MemoryRun extends JobRun<'document'> {
  readonly steps: string[]
  readonly warnings: Warning[]
  /** The parts that were asked of a provider, in order; what came out of the store is not among them. */
  readonly asked: string[]
  readonly parts: Map<string, unknown>
}

/** @param parts what an earlier attempt left */
export function memoryRun(request: DocumentRequest, parts: MemoryRun['parts'] = new Map()): MemoryRun {
  const steps: string[] = []
  const warnings: Warning[] = []
  const asked: string[] = []
  const { signal } = new AbortController()
  return {
    id: '0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10',
    accountId: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
    createdAt: new Date('2026-11-27T09:00:00Z'),
    kind: 'document',
    request,
    mostCalls: 500,
    callsLeft: 500,
    signal,
    steps,
    warnings,
    asked,
    parts,
    enter: async (step) => {
      if (steps.at(-1) !== step) steps.push(step)
    },
    expect: async () => {},
    answer: async ({ step, name }, [provider], call) => {
      const key = `${step}/${name}`
      const stored = parts.get(key)
      if (stored !== undefined) return stored as RawAnswer
      if (provider === undefined) throw new Error('nobody to ask')
      asked.push(name)
      const answer = await call(provider, { idempotencyKey: key, signal })
      parts.set(key, answer)
      return answer
    },
    keep: async <Made>({ step, name }: PartName, make: () => Promise<Made>) => {
      const key = `${step}/${name}`
      const stored = parts.get(key) ?? (await make())
      parts.set(key, stored)
      return stored as Made
    },
    makeOrLeaveOut: leaveOutWith(parts, (warning) => void warnings.push(warning)),
    warn: ({ code, message }) => {
      if (!warnings.some((one) => one.code === code && one.message === message))
        warnings.push({ code, message })
    },
  }
}

/** One writer for every tier, and no other provider. */
export const onlyWriter = ({ text }: { text: TextProvider }): Providers => ({
  text: () => [text],
  research: () => [text],
  search: () => [],
  pictures: () => [],
  speech: () => [],
})

/** A finished document on its whole way to a post: the webhook, the reading of it, the markup. */
export interface Post {
  /** What the webhook's reading and the rendering had to say against it. */
  problems: string[]
  /** For the block editor. */
  markup: string
}

/** @throws Error with what is wrong, where a webhook with this document is refused */
export function renderPost(data: DocumentResult): Post {
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
    problems: [
      ...parsed.ignored.map(({ path, message }) => `${path} ${message}`),
      ...[...warnings, ...rendered.flatMap((one) => one.warnings)].map(({ message }) => message),
    ],
    markup: rendered[0]?.markup ?? '',
  }
}
