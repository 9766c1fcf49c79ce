import { decodeHTML } from 'entities'
import { z } from 'zod'
import { read, type WordPressClient } from '../client/index.ts'
import { cleaned, id, idOrNone, listOf } from '../fields.ts'
import { sameName, stored } from './names.ts'
import type { Taxonomy, Term, WantedTerm } from './types.ts'

const termSchema = z
  // A name is compared and never shown; the longest that WordPress keeps has 200 characters.
  .object({ id, name: z.string(), parent: idOrNone.default(0) })
  .transform((term): Term => ({ ...term, name: cleaned(decodeHTML(term.name.slice(0, 2000))) }))

const PER_PAGE = 100
/** `search` finds every name that contains ours; beyond this, creating it finds out. */
const MAX_PAGES = 10

/** The term of exactly this name; of several the one spelt alike, then the one nearest the top. */
export async function findTerm(client: WordPressClient, term: WantedTerm): Promise<Term | null> {
  // `AT&amp;T` is how WordPress has `AT&T`, and what some senders call it.
  const called = decodeHTML(term.name)
  const found = await findSpelt(client, term, called)
  const apart = called.normalize('NFD')
  // A search goes by the characters: a term that was made with accents of their own is found by these alone.
  return found !== null || apart === called ? found : findSpelt(client, term, apart)
}

async function findSpelt(
  client: WordPressClient,
  { taxonomy, name, parent, language }: WantedTerm,
  called: string,
): Promise<Term | null> {
  const matches: Term[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { value, answer } = await read(client, listOf(termSchema), {
      path: `/wp/v2/${taxonomy}`,
      query: {
        search: stored(called),
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
    matches.push(...value.filter((term) => sameName(term.name, called)))
    pages = Math.min(Number(answer.headers['x-wp-totalpages'] ?? 1), MAX_PAGES)
  }
  const rank = (term: Term) => (term.name === called ? 0 : 2) + (term.parent === 0 ? 0 : 1)
  return matches.sort((a, b) => rank(a) - rank(b) || a.id - b.id)[0] ?? null
}

/** The names of terms by their ids; of those that are not there, none. */
export async function termNames(
  client: WordPressClient,
  { taxonomy, ids }: { taxonomy: Taxonomy; ids: readonly number[] },
): Promise<Map<number, string>> {
  const { value } = await read(client, listOf(termSchema), {
    path: `/wp/v2/${taxonomy}`,
    query: { include: ids.slice(0, PER_PAGE).join(), per_page: PER_PAGE, _fields: 'id,name,parent' },
    doing: 'reading what the terms are called',
    subject: 'term',
  })
  return new Map(value.map(({ id, name }) => [id, name]))
}
