import { decodeHTML } from 'entities'
import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import { read, type WordPressClient } from '../client/index.ts'
import { id, idOrNone, word } from '../fields.ts'
import { requireOwnAnswer } from '../own-answer.ts'
import { findTerm, termNames } from './find.ts'
import { mayBeNamed, roughSlug } from './names.ts'
import type { Taxonomy, WantedTerm } from './types.ts'

const createdSchema = z.object({
  id,
  name: z.string(),
  parent: idOrNone.optional().catch(undefined),
  taxonomy: word().optional().catch(undefined),
})
const existsSchema = z.object({
  wordpress: z.object({ data: z.object({ term_id: z.coerce.number().pipe(id) }) }),
})

/**
 * Makes a term. Where WordPress knows it already, by its own idea of equal names, that one is adopted.
 *
 * @param tries how often it may be asked for
 */
export async function createTerm(client: WordPressClient, term: WantedTerm, tries = 2): Promise<number> {
  const { taxonomy, name, parent, language } = term
  const request = {
    method: 'POST',
    path: `/wp/v2/${taxonomy}`,
    query: { lang: language, _fields: 'id,name,parent,taxonomy' },
    data: { name, ...(parent === undefined ? {} : { parent }) },
    doing: `creating “${name}”`,
    subject: 'term',
    // The second time it is there, and WordPress says which it is.
    repeatable: true,
  } as const
  try {
    const { value } = await read(client, createdSchema, request)
    if (mayBeNamed(value.name, name) && isOfPlace(value, term)) return value.id
    // Made under another name by a plugin, or not made at all: what stands there decides.
    const found = await findTerm(client, term)
    if (found !== null) return found.id
    const called = decodeHTML(value.name)
    // Of `Café` and `Cafe`, made in the same moment, WordPress keeps one; the other has another slug a moment later.
    const collided = tries > 1 && roughSlug(called) === roughSlug(name)
    requireOwnAnswer(client, request, collided, `“${called}” instead`)
    return await createTerm(client, term, tries - 1)
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== 'term_exists') throw error
    const existing = existsSchema.safeParse(error.details)
    if (!existing.success) throw error
    return existingTerm(client, term, request, existing.data.wordpress.data.term_id)
  }
}

/** What the REST API calls the taxonomies of these routes. */
const TAXONOMIES: Record<Taxonomy, string> = { categories: 'category', tags: 'post_tag' }

/** Of two terms of one name, which are made in the same moment, one is below another parent, or a tag. */
const isOfPlace = (
  made: { parent?: number | undefined; taxonomy?: string | undefined },
  { taxonomy, parent }: WantedTerm,
): boolean =>
  (made.taxonomy ?? TAXONOMIES[taxonomy]) === TAXONOMIES[taxonomy] &&
  (parent === undefined || made.parent === undefined || made.parent === parent)

/** The one that WordPress says exists, where its name proves it: an answer may be another request's. */
async function existingTerm(
  client: WordPressClient,
  term: WantedTerm,
  request: Parameters<typeof requireOwnAnswer>[1],
  id: number,
): Promise<number> {
  const { taxonomy, name } = term
  const called = (await termNames(client, { taxonomy, ids: [id] })).get(id)
  if (called !== undefined && mayBeNamed(called, name)) return id
  const found = await findTerm(client, term)
  requireOwnAnswer(client, request, found !== null, `that “${called ?? id}” exists`)
  return found?.id ?? id
}
