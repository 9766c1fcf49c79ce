import type { WordPressClient } from '../client/index.ts'
import { createTerm } from './create.ts'
import { findTerm } from './find.ts'
import type { Lookups } from './lookups.ts'
import { foldSpaces } from './names.ts'
import type { RecalledTerm, WantedTerm } from './types.ts'

interface Recall {
  /** A term that is missing is made. */
  makes: boolean
  /** What is remembered is not to be trusted. */
  anew: boolean
  /** The others of the same document. */
  lookups: Lookups
}

/**
 * A term by its name: as the traffic of its site remembers it, or found there, or made; null where there is none. What
 * is missing is not remembered. Who asks while it is looked for waits for the same, so that two documents that want one
 * missing term make one. By its exact spelling: of `AI` and `ai`, where a site has both, each is its own.
 */
export async function recallTerm(
  client: WordPressClient,
  term: WantedTerm,
  { makes, anew, lookups }: Recall,
): Promise<RecalledTerm | null> {
  const { taxonomy, name, parent, language } = term
  const { restRoot } = client.site
  const key = JSON.stringify([restRoot, taxonomy, language ?? null, parent ?? null, foldSpaces(name), makes])
  if (anew) client.traffic.forget(key)
  let remembered = true
  const learn = async () => {
    remembered = false
    const found = await lookups.look(() => findTerm(client, term))
    if (found !== null) return found.id
    if (!makes) throw new Missing()
    await lookups.over()
    return createTerm(client, term)
  }
  try {
    const id = await client.traffic.remember(key, learn)
    return { id, remembered }
  } catch (error) {
    if (error instanceof Missing) return null
    throw error
  }
}

/** Thrown, since what fails is not remembered. */
class Missing extends Error {}
