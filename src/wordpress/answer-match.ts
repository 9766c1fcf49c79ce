import type { WordPressClient, WordPressRequest } from './client/index.ts'
import { wordPressFailure } from './failures/index.ts'

/**
 * An answer is believed only where it fits its request: a plugin that caches answers by address gives away those of
 * other requests.
 *
 * @param found what was answered instead, in words
 * @throws GalleyError `answer_of_another`
 */
export function assertAnswerMatchesRequest(
  client: WordPressClient,
  { method = 'GET', doing, subject }: Pick<WordPressRequest, 'method' | 'doing' | 'subject'>,
  fits: boolean,
  found: string,
): void {
  if (!fits)
    throw wordPressFailure('answer_of_another', { site: client.site.name, method, doing, subject }, { found })
}
