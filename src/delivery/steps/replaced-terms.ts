import { GalleyError, type Warning } from '../../errors.ts'
import type { DeliverySite } from '../../sites/connected-site.ts'
import { oneLine } from '../../wordpress/fields.ts'
import { sameName, type Taxonomy, termNames } from '../../wordpress/terms/index.ts'
import type { PostFields, PostRecord } from '../../wordpress/types.ts'

/**
 * The warnings of a fill, with what a plugin put in the place of a term called by its name: a plugin for several
 * languages exchanges a term of another language than the post's for its translation. A term of the same name is what
 * the document asked for, whatever its number.
 */
export async function nameReplaced(
  site: DeliverySite,
  { sent, post, warnings }: { sent: PostFields; post: PostRecord; warnings: readonly Warning[] },
): Promise<Warning[]> {
  const named: Warning[] = []
  for (const warning of warnings) {
    const taxonomy = DROPPED[warning.code]
    const found = taxonomy && (await replaced(site, taxonomy, sent[taxonomy], post[taxonomy]))
    if (found !== 'same') named.push(found ?? warning)
  }
  return named
}

const DROPPED: Readonly<Record<string, Taxonomy>> = { categories_dropped: 'categories', tags_dropped: 'tags' }

/** In one sentence. */
const MOST_NAMED = 20

async function replaced(
  { name, client }: DeliverySite,
  taxonomy: Taxonomy,
  asked: readonly number[] = [],
  stands: readonly number[] = [],
): Promise<Warning | 'same' | null> {
  const missing = asked.filter((id) => !stands.includes(id)).slice(0, MOST_NAMED)
  const instead = stands.filter((id) => !asked.includes(id)).slice(0, MOST_NAMED)
  if (instead.length === 0) return null
  try {
    const names = await termNames(client, { taxonomy, ids: [...missing, ...instead] })
    const nameOf = (id: number) => names.get(id) ?? String(id)
    const stand = instead.map(nameOf)
    if (missing.every((id) => stand.some((name) => sameName(name, nameOf(id))))) return 'same'
    const list = (ids: readonly number[]) => ids.map((id) => `“${oneLine(nameOf(id), 200)}”`).join(', ')
    return {
      code: `${taxonomy}_replaced`,
      message: `The post has the ${taxonomy} ${list(instead)} instead of ${list(missing)}: a plugin on ${name} exchanged them, as Polylang does with terms of another language than the post’s. If the site has several languages, name that of the documents in its settings (language).`,
    }
  } catch (error) {
    // The post stands, and what it lacks is said by number.
    if (error instanceof GalleyError) return null
    throw error
  }
}
