import type { z } from 'zod'
import { failure } from '../failures/index.ts'
import type { Answer, WordPressClient, WordPressRequest } from './types.ts'

/** Makes a request and reads its answer with a schema; an answer of another shape is a failure of the site. */
export async function read<Schema extends z.ZodType>(
  client: WordPressClient,
  schema: Schema,
  request: WordPressRequest,
): Promise<{ value: z.output<Schema>; answer: Answer }> {
  const answer = await client.request(request)
  return { value: interpret(client, schema, request, answer.data), answer }
}

function interpret<Schema extends z.ZodType>(
  client: WordPressClient,
  schema: Schema,
  { method = 'GET', doing, subject }: WordPressRequest,
  data: unknown,
): z.output<Schema> {
  const result = schema.safeParse(data)
  if (result.success) return result.data
  const found = result.error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`)
    .join('; ')
  throw failure('answer_unexpected', { site: client.site.name, method, doing, subject }, { found })
}
