import pRetry from 'p-retry'
import { GenerationError } from '../failure.ts'
import type { RawAnswer } from '../providers/types.ts'
import type { Storage } from '../storage/types.ts'

/**
 * What stands in the row of a part: who answered, and what, as text or as a file in the storage. What `keep` made has
 * nobody who answered.
 */
export type StoredAnswer = {
  provider?: string
  model?: string
  contentType?: string
  usage?: Record<string, number>
  costMicros?: number
} & ({ text: string } | { file: string; binary: boolean })

/** Bytes of a text that stands in the row; a longer one, and what is no text, lies in the storage. */
const MAX_INLINE_BYTES = 1024 * 1024

/** Puts an answer away. @throws GenerationError `STORAGE_FAILED` */
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

/** Tries of a store that fails, with pauses between that double: eight seconds in all with the standard first one. */
const STORE_ATTEMPTS = 6

/**
 * Puts away an answer that was paid for: a store that fails for a moment must not have it paid for again.
 *
 * @throws GenerationError `STORAGE_FAILED`; the signal's reason when it is aborted meanwhile
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

/** The body of an answer that was put away. @throws GenerationError `STORAGE_FAILED` */
export async function readAnswerBody(storage: Storage, answer: StoredAnswer): Promise<string | Buffer> {
  if ('text' in answer) return answer.text
  const bytes = await storage.read(answer.file)
  return answer.binary ? bytes : bytes.toString('utf8')
}

/** The answer as its provider gave it. @throws GenerationError `STORAGE_FAILED` */
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
