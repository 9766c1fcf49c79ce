import { membersOf } from '../blocks/wire.ts'
import { type LimitCode, LimitError } from '../contract/limits.ts'
import { countTextUnits } from '../contract/payload.ts'
import { type WrittenDefaults, writtenSchema } from '../contract/written.ts'
import type { Warning } from '../errors.ts'
import { createWorkerThread } from '../lib/worker-threads.ts'
import { isOurs, type Members } from './foreign.ts'
import { warnOfMarkup } from './plain-text.ts'
import type { Translation, Written } from './translate.ts'

interface TranslatedWebhook {
  /** The webhook with a document of ours. */
  json: unknown
  warnings: readonly Warning[]
  /** The format that is known and cannot be read. */
  unreadable?: string | undefined
}

/** Milliseconds for one document: its sender waits five seconds for the acknowledgement. */
const TIMEOUT_MS = 4_000

/** Characters of an ordinary document. A longer one has a thread of its own, so that the short do not wait for it. */
const MAX_SHORT = 100_000

const threads = {
  short: createWorkerThread<Task, Reply>('translate-document', { timeoutMs: TIMEOUT_MS, heapMb: 256 }),
  long: createWorkerThread<Task, Reply>('translate-document', { timeoutMs: TIMEOUT_MS, heapMb: 1024 }),
}

interface Task {
  data: Members
  written: Written
}

type Reply = { translation: Translation } | { limit: { code: LimitCode; path: string } }

/**
 * Puts a document of ours in the place of a foreign one. A document that needs a parser is read in a thread, which is ended
 * where that takes too long.
 * @param json a webhook, whose mistakes are not looked at here
 * @throws LimitError
 */
export async function translateWebhook(
  json: unknown,
  defaults: WrittenDefaults = {},
): Promise<TranslatedWebhook> {
  const webhook = membersOf(json)
  const data = membersOf(webhook.data)
  if (webhook.event !== 'document.completed' || data.content === undefined) return { json, warnings: [] }
  const said = writtenSchema.safeParse(webhook.delivery ?? {})
  if (!said.success) return { json, warnings: [] }
  const contentFormat = said.data.content_format ?? defaults.content_format ?? undefined
  const textFormat = said.data.text_format ?? defaults.text_format ?? 'plain'
  if (isOurs(data.content) && contentFormat === undefined && textFormat === 'plain')
    return { json, warnings: warnOfMarkup([data.title, data.description, membersOf(data.content).content]) }
  const length = countTextUnits(data)
  const { terms, unreadable, ...translation } = await translateInThread(
    { data, written: { contentFormat, textFormat } },
    length,
  )
  const delivery = withTerms(webhook.delivery, terms)
  return {
    json: { ...webhook, data: translation.data, ...(delivery && { delivery }) },
    warnings: translation.warnings,
    unreadable,
  }
}

async function translateInThread(task: Task, length: number): Promise<Translation> {
  const thread = length > MAX_SHORT ? threads.long : threads.short
  let reply: Reply
  try {
    reply = await thread.run(task, new AbortController().signal)
  } catch (cause) {
    throw new LimitError('document_too_slow', undefined, cause)
  }
  if ('limit' in reply) throw new LimitError(reply.limit.code, reply.limit.path)
  return reply.translation
}

function withTerms(delivery: unknown, { categories, tags }: Translation['terms']): Members | undefined {
  if (delivery === undefined || delivery === null || (categories ?? tags) === undefined) return undefined
  const { metadata, ...others } = membersOf(delivery)
  const said = membersOf(metadata)
  return {
    ...others,
    metadata: { ...said, categories: said.categories ?? categories, tags: said.tags ?? tags },
  }
}
