import { decodeHTML } from 'entities'
import { z } from 'zod'
import { GalleyError, type Warning } from '../../errors.ts'
import { assertAnswerMatchesRequest, requestParsed, type WordPressClient } from '../client/client.ts'
import {
  boundedArray,
  decodedNameSchema,
  idOrZeroSchema,
  idSchema,
  keywordSchema,
  storedName,
} from '../fields.ts'
import type { TermPolicy } from '../types.ts'
import { isSameTermName, mayBeSameTermName, readTermName, roughSlug } from './names.ts'

export type Taxonomy = 'categories' | 'tags'

export interface TermRequest {
  /** REST base: `categories`, `tags`, or a custom one's. */
  taxonomy: string
  /** Its terms may have parents, so that names may be paths; of a custom taxonomy. */
  isHierarchical?: boolean
  /** As the document has them. Categories may be paths: `News > Local`. */
  names: string[]
  policy: TermPolicy
  /** Code of the language that the terms are to be of, on a site with several. */
  language?: string | undefined
  /** The site's names for a sender's: `{ "AI": "News > Artificial intelligence" }`. Letter case is ignored. */
  aliases?: Record<string, string>
  /** Which of the site's settings names them; left out where the document does. */
  setting?: 'default_categories' | 'fallback_category'
  /** Looks each up, whatever is remembered of it. */
  anew?: boolean
}

type Term = z.output<typeof termSchema> & Pick<ResolvedTerm, 'homonyms'>

/** A term by its id, and whether that is remembered from before: it may be gone meanwhile, or called otherwise. */
export interface ResolvedTerm {
  id: number
  remembered: boolean
  /** Paths of the categories of this name, that of the chosen one first; only where none of several is at the top. */
  homonyms?: string[]
}

/** A name led to a term, or to a reason why not. */
export type TermResolution = ResolvedTerm | { warning: Warning }

export interface WantedTerm {
  taxonomy: string
  name: string
  /** Under this parent alone; anywhere where left out. */
  parent?: number | undefined
  /** In this language alone; in any where left out. */
  language?: string | undefined
}

export type MakeTerm = (client: WordPressClient, term: WantedTerm) => Promise<number>

const termSchema = z.object({
  id: idSchema,
  name: decodedNameSchema,
  /** 0 at the top, and for tags. */
  parent: idOrZeroSchema.default(0),
})

const PER_PAGE = 100
/** `search` finds every name that contains ours; beyond this, creating it finds out. */
const MAX_PAGES = 10

/** The term of exactly this name; of several the one spelt alike, then the one nearest the top. */
async function findTerm(client: WordPressClient, term: WantedTerm): Promise<Term | null> {
  // `AT&amp;T` is how WordPress has `AT&T`, and what some senders call it.
  const called = decodeHTML(term.name)
  const found = await searchTerm(client, term, called)
  const apart = called.normalize('NFD')
  // A search goes by the characters: a term that was made with accents of their own is found by these alone.
  return found !== null || apart === called ? found : searchTerm(client, term, apart)
}

async function searchTerm(
  client: WordPressClient,
  { taxonomy, name, parent, language }: WantedTerm,
  called: string,
): Promise<Term | null> {
  const matches: Term[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { value, answer } = await requestParsed(client, boundedArray(termSchema), {
      path: `/wp/v2/${taxonomy}`,
      query: {
        search: storedName(called),
        parent,
        lang: language,
        per_page: PER_PAGE,
        page,
        orderby: 'id',
        order: 'asc',
        _fields: 'id,name,parent',
      },
      doing: `looking for “${name}”`,
      subject: 'term',
    })
    matches.push(...value.filter((term) => isSameTermName(term.name, called)))
    pages = Math.min(Number(answer.headers['x-wp-totalpages'] ?? 1), MAX_PAGES)
  }
  const rank = (term: Term) => (term.name === called ? 0 : 2) + (term.parent === 0 ? 0 : 1)
  const [best, ...others] = matches.sort((a, b) => rank(a) - rank(b) || a.id - b.id)
  if (best === undefined) return null
  const equal = others.filter((other) => rank(other) === rank(best))
  if (taxonomy === 'tags' || parent !== undefined || best.parent === 0 || equal.length === 0) return best
  const ids = [best, ...equal].map((term) => term.parent)
  const parents = await fetchTermNames(client, { taxonomy, ids })
  return { ...best, homonyms: ids.map((id) => `${parents.get(id) ?? id} > ${best.name}`) }
}

/** The names of terms by their ids; of those that are not there, none. */
export async function fetchTermNames(
  client: WordPressClient,
  { taxonomy, ids }: { taxonomy: string; ids: readonly number[] },
): Promise<Map<number, string>> {
  const { value } = await requestParsed(client, boundedArray(termSchema), {
    path: `/wp/v2/${taxonomy}`,
    query: { include: ids.slice(0, PER_PAGE).join(), per_page: PER_PAGE, _fields: 'id,name,parent' },
    doing: 'reading what the terms are called',
    subject: 'term',
  })
  return new Map(value.map(({ id, name }) => [id, name]))
}

const createdSchema = z.object({
  id: idSchema,
  name: z.string(),
  parent: idOrZeroSchema.optional().catch(undefined),
  taxonomy: keywordSchema().optional().catch(undefined),
})
const existsSchema = z.object({
  wordpress: z.object({ data: z.object({ term_id: z.coerce.number().pipe(idSchema) }) }),
})

/** Makes a term, or adopts one that WordPress considers equal. @param tries how often it may be asked for */
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
    const { value } = await requestParsed(client, createdSchema, request)
    if (mayBeSameTermName(value.name, name) && isSamePlace(value, term)) return value.id
    // Made under another name by a plugin, or not made at all: what stands there decides.
    const found = await findTerm(client, term)
    if (found !== null) return found.id
    const called = decodeHTML(value.name)
    // Of `Café` and `Cafe`, made in the same moment, WordPress keeps one; the other has another slug a moment later.
    const collided = tries > 1 && roughSlug(called) === roughSlug(name)
    assertAnswerMatchesRequest(client, request, collided, `“${called}” instead`)
    return await createTerm(client, term, tries - 1)
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== 'term_exists') throw error
    const existing = existsSchema.safeParse(error.details)
    if (!existing.success) throw error
    return existingTerm(client, term, request, existing.data.wordpress.data.term_id)
  }
}

/** What the REST API calls the taxonomies of these routes. */
const TAXONOMY_SLUGS: Readonly<Record<string, string>> = { categories: 'category', tags: 'post_tag' }

/** Of two terms of one name, which are made in the same moment, one is below another parent, or a tag. */
const isSamePlace = (
  made: { parent?: number | undefined; taxonomy?: string | undefined },
  { taxonomy, parent }: WantedTerm,
): boolean =>
  (made.taxonomy === undefined || made.taxonomy === (TAXONOMY_SLUGS[taxonomy] ?? made.taxonomy)) &&
  (parent === undefined || made.parent === undefined || made.parent === parent)

/** The one that WordPress says exists, where its name proves it: an answer may be another request's. */
async function existingTerm(
  client: WordPressClient,
  term: WantedTerm,
  request: Parameters<typeof assertAnswerMatchesRequest>[1],
  id: number,
): Promise<number> {
  const { taxonomy, name } = term
  const called = (await fetchTermNames(client, { taxonomy, ids: [id] })).get(id)
  if (called !== undefined && mayBeSameTermName(called, name)) return id
  const found = await findTerm(client, term)
  assertAnswerMatchesRequest(client, request, found !== null, `that “${called ?? id}” exists`)
  return found?.id ?? id
}

/** Missing names wait until all were looked for, so that they are made together where the site takes that. */
export class LookupBarrier {
  #looking = 0
  #waiting: (() => void)[] = []

  async look<Found>(work: () => Promise<Found>): Promise<Found> {
    this.#looking += 1
    try {
      return await work()
    } finally {
      this.#looking -= 1
      if (this.#looking === 0) for (const go of this.#waiting.splice(0)) go()
    }
  }

  over(): Promise<void> {
    return this.#looking === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#waiting.push(resolve)
        })
  }
}

interface TermLookupOptions {
  makes: boolean
  /** What is remembered is not to be trusted. */
  anew: boolean
  lookups: LookupBarrier
}

/**
 * A term by its exact spelling: remembered, found, or made; null where there is none, which is not remembered. Two documents that want one
 * missing term at once make one.
 */
export async function findOrCreateTerm(
  client: WordPressClient,
  term: WantedTerm,
  { makes, anew, lookups }: TermLookupOptions,
): Promise<ResolvedTerm | null> {
  const { taxonomy, name, parent, language } = term
  const { restRoot } = client.site
  const key = JSON.stringify([
    restRoot,
    taxonomy,
    language ?? null,
    parent ?? null,
    readTermName(name),
    makes,
  ])
  if (anew) client.traffic.forget(key)
  let remembered = true
  const learn = async () => {
    remembered = false
    const found = await lookups.look(() => findTerm(client, term))
    if (found !== null) return { id: found.id, ...(found.homonyms && { homonyms: found.homonyms }) }
    if (!makes) throw new TermMissing()
    await lookups.over()
    return { id: await createTerm(client, term) }
  }
  try {
    return { ...(await client.traffic.remember(key, learn)), remembered }
  } catch (error) {
    if (error instanceof TermMissing) return null
    throw error
  }
}

/** Thrown, since what fails is not remembered. */
class TermMissing extends Error {}
