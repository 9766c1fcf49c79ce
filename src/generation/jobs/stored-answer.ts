import pRetry from 'p-retry'
import { GenerationError } from '../failure.ts'
import type { RawAnswer } from '../providers/types.ts'
import type { Storage } from '../storage/types.ts'

/** A stored part: who answered, and what, as text or as a file. What `keep` made names nobody. */
export type StoredAnswer = {
  provider?: string
  model?: string
  contentType?: string
  usage?: Record<string, number>
  costMicros?: number
} & ({ text: string } | { file: string; binary: boolean })

/** Bytes of a text kept in the row; longer texts and binary go to the storage. */
const MAX_INLINE_BYTES = 1024 * 1024

/** Stores an answer. @throws GenerationError `STORAGE_FAILED` */
export async function storeAnswer(
  storage: Storage,
  accountId: string,
  { body, ...known }: Partial<RawAnswer> & Pick<RawAnswer, 'body'>,
): Promise<StoredAnswer> {
  if (
    typeof body === 'string' &&
    body.length <= MAX_INLINE_BYTES &&
    Buffer.byteLength(body) <= MAX_INLINE_BYTES
  )
    return { ...known, text: body }
  const binary = typeof body !== 'string'
  const { token } = await storage.keep({
    accountId,
    type: 'application/octet-stream',
    extension: 'bin',
    body: binary ? body : Buffer.from(body),
    served: false,
  })
  return { ...known, file: token, binary }
}

/** Doubling pauses: eight seconds in all. */
const STORE_ATTEMPTS = 6

/**
 * Stores a paid answer with retries, so that a store's short failure does not cost it again.
 *
 * @throws GenerationError `STORAGE_FAILED`; the signal's reason when aborted
 */
export const storePaidAnswer = (
  storage: Storage,
  accountId: string,
  answer: RawAnswer,
  { signal, firstMs }: { signal: AbortSignal; firstMs: number },
): Promise<StoredAnswer> =>
  pRetry(() => storeAnswer(storage, accountId, answer), {
    retries: STORE_ATTEMPTS - 1,
    minTimeout: firstMs,
    signal,
    shouldRetry: ({ error }) => error instanceof GenerationError && error.of === 'provider',
  })

export async function readAnswerBody(storage: Storage, answer: StoredAnswer): Promise<string | Buffer> {
  if ('text' in answer) return answer.text
  const bytes = await storage.read(answer.file)
  return answer.binary ? bytes : bytes.toString('utf8')
}

export async function readRawAnswer(storage: Storage, answer: StoredAnswer): Promise<RawAnswer> {
  const { provider = '', model = '', contentType, usage, costMicros } = answer
  return {
    provider,
    model,
    body: await readAnswerBody(storage, answer),
    ...(contentType !== undefined && { contentType }),
    ...(usage !== undefined && { usage }),
    ...(costMicros !== undefined && { costMicros }),
  }
}
