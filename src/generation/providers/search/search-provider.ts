import type { Access } from '../access.ts'
import type { Question } from '../exchange.ts'
import type { CallContext, SearchProvider } from '../types.ts'
import { askSearch } from './ask.ts'
import { type ReadResults, readHits } from './read-hits.ts'

/** What is asked of a search: one question to its provider. */
type Ask = (
  query: Parameters<SearchProvider['search']>[0],
) => Pick<Question, 'path' | 'method' | 'body' | 'headers'>

/** A search provider of a question and of what its answer means. What is no answer is a failure of the call. */
export function searchProvider(access: Access, ask: Ask, results: ReadResults): SearchProvider {
  const { name, model, concurrency } = access
  const read: SearchProvider['read'] = (answer) => readHits(access, answer, results)
  return {
    name,
    model,
    concurrency,
    read,
    async search(query, context: CallContext) {
      const answer = await askSearch(access, ask(query), context)
      read(answer)
      return answer
    },
  }
}
