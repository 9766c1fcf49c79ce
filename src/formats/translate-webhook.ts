import { membersOf } from '../blocks/wire.ts'
import { type LimitCode, LimitError } from '../contract/limits.ts'
import { countTextUnits } from '../contract/payload.ts'
import type { Warning } from '../errors.ts'
import { createWorkerThread } from '../lib/worker-threads.ts'
import type { Members } from './foreign.ts'
import type { Translation, Written } from './translate.ts'

export interface TranslatedWebhook {
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

export const createTranslator = (heapMb: number, timeoutMs = TIMEOUT_MS) =>
  createWorkerThread<Task, Reply>('translate-document', { timeoutMs, heapMb })

const threads = { short: createTranslator(256), long: createTranslator(1024) }

interface Task {
  data: Members
  written: Written
}

type Reply = { translation: Translation } | { limit: { code: LimitCode; path: string } }

/**
 * Puts a document of ours in the place of a foreign one, or of one with marked-up texts. It is read in a thread, which is
 * ended where that takes too long.
 * @throws LimitError
 */
export async function translateWebhook(
  webhook: Members,
  data: Members,
  written: Written,
  thread = countTextUnits(data) > MAX_SHORT ? threads.long : threads.short,
): Promise<TranslatedWebhook> {
  const reply = await thread.run({ data, written }, new AbortController().signal).catch((cause) => {
    throw new LimitError('document_too_slow', undefined, cause)
  })
  if ('limit' in reply) throw new LimitError(reply.limit.code, reply.limit.path)
  const { terms, warnings, unreadable, data: ours } = reply.translation
  const delivery = withTerms(webhook.delivery, terms)
  return { json: { ...webhook, data: ours, ...(delivery && { delivery }) }, warnings, unreadable }
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
