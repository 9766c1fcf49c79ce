import type { Access } from '../access.ts'
import type { RawAnswer } from '../answer.ts'
import { exchange, type Question } from '../exchange.ts'
import { withoutKey } from '../keep-secret.ts'
import type { CallContext } from '../types.ts'

const TIMEOUT_MS = 20_000

/** Bytes; ten results with their snippets have some tens of kilobytes. */
const MAX_BYTES = 1024 * 1024

/** Sends one search, and gives back what came. @throws GenerationError */
export async function askSearch(
  access: Access,
  { headers, ...question }: Pick<Question, 'path' | 'method' | 'body' | 'headers'>,
  context: CallContext,
): Promise<RawAnswer> {
  const asked = {
    ...question,
    headers: { accept: 'application/json', ...headers },
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
  }
  const { contentType, body } = await exchange(access, asked, context)
  const text = withoutKey(body.toString('utf8'), access)
  return { provider: access.name, model: access.model, body: text, contentType }
}
