import pMap from 'p-map'
import { GalleyError, type Warning } from '../../errors.ts'
import type { WordPressClient } from '../client/index.ts'
import type { TermResult } from '../types.ts'
import { recallTerm } from './known.ts'
import { Lookups } from './lookups.ts'
import { aliased, foldSpaces, pathOf, roughSlug } from './names.ts'
import { isPlanned } from './plan.ts'
import type { MakeTerm, RecalledTerm, Resolution, TermRequest, WantedTerm } from './types.ts'

/** Names of one document that are looked for at once, where the site's traffic does not say less. */
const AT_ONCE = 10

/**
 * Term names to ids. A name without a term is made, left out with a warning, or refused, as the policy says;
 * a user who may not make terms gets a warning for each. May be repeated: what was made is then found.
 * @param plan stands for making a missing term where nothing may be written
 * @throws GalleyError `term_rejected`, under the policy `reject`.
 */
export async function resolveTerms(
  client: WordPressClient,
  request: TermRequest,
  plan?: MakeTerm,
): Promise<TermResult> {
  const { taxonomy, names, aliases = {} } = request
  const wanted = names
    .map((name): Named => {
      const called = aliased(name, aliases)
      const path =
        taxonomy === 'categories' ? pathOf(called) : [foldSpaces(called)].filter((part) => part !== '')
      return { path, ...(called !== name && { instead: name }) }
    })
    .filter(({ path }) => path.length > 0)
  const termOf = onceEach(client, request, plan)
  const resolutions = await together(wanted, (name) =>
    resolvePath(termOf, { ...request, site: client.site.name }, name),
  )
  const ids = new Set<number>()
  const remembered = new Set<number>()
  const warnings: Warning[] = []
  for (const resolution of resolutions) {
    if ('warning' in resolution) warnings.push(resolution.warning)
    else {
      ids.add(resolution.id)
      if (resolution.remembered) remembered.add(resolution.id)
    }
  }
  return { ids: [...ids], warnings, ...(remembered.size > 0 && { remembered: [...remembered] }) }
}

/** All of them, in their order. After the first failure no other begins; it is thrown when those under way have ended. */
async function together<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const failures: unknown[] = []
  const results: Result[] = []
  await pMap(
    items,
    async (item, index) => {
      if (failures.length > 0) return
      try {
        results[index] = await work(item)
      } catch (error) {
        failures.push(error)
      }
    },
    { concurrency: AT_ONCE },
  )
  if (failures.length > 0) throw failures[0]
  return results
}

/** A name as a path, and what the site's aliases have put it in the place of. */
interface Named {
  path: string[]
  instead?: string
}

/** A request, and how its site is named to people. */
type Asked = TermRequest & { site: string }

/** A term by its name; null where there is none and none is to be made. */
type TermOf = (term: Pick<WantedTerm, 'name' | 'parent'>) => Promise<RecalledTerm | null>

/**
 * Each term once, however many names of the document ask for it, as `News > Local` and `News > World` do for `News`; and
 * one after the other where WordPress would give both the same slug, as `Café` and `Cafe`: of two such that are made in
 * the same moment it keeps one.
 */
function onceEach(client: WordPressClient, request: TermRequest, plan: MakeTerm | undefined): TermOf {
  const { taxonomy, policy, language, anew = false } = request
  const asked = new Map<string, Promise<RecalledTerm | null>>()
  const ofSlug = new Map<string, Promise<unknown>>()
  const lookups = new Lookups()
  const recall = async (term: WantedTerm): Promise<RecalledTerm | null> => {
    const makes = policy === 'create'
    // Below a term that is not there yet, there is nothing to find.
    const found = isPlanned(term.parent)
      ? null
      : await recallTerm(client, term, { makes: makes && plan === undefined, anew, lookups })
    if (found !== null || !makes || plan === undefined) return found
    return { id: await plan(client, term), remembered: false }
  }
  return ({ name, parent }) => {
    const key = JSON.stringify([name, parent])
    const known = asked.get(key)
    if (known !== undefined) return known
    const slug = roughSlug(name)
    const before = ofSlug.get(slug) ?? Promise.resolve()
    const term = { taxonomy, name, parent, language }
    const recalled = before.then(
      () => recall(term),
      () => recall(term),
    )
    asked.set(key, recalled)
    ofSlug.set(slug, recalled)
    return recalled
  }
}

/** Each part under the one before; of a path without a parent, anywhere. */
async function resolvePath(termOf: TermOf, request: Asked, wanted: Named): Promise<Resolution> {
  const { path } = wanted
  let found: RecalledTerm = { id: 0, remembered: false }
  for (const name of path) {
    try {
      const term = await termOf({ name, parent: path.length > 1 ? found.id : undefined })
      if (term === null) return missing(request, wanted)
      found = term
    } catch (error) {
      if (!(error instanceof GalleyError) || !REFUSALS.has(error.code)) throw error
      const what = nameOf(request, wanted)
      return leftOut('term_not_created', `The ${what} was left out. ${error.message}`)
    }
  }
  return found
}

/** Of a name without a term, where none is to be made. */
function missing(request: Asked, wanted: Named): Resolution {
  const { site, taxonomy, policy } = request
  const what = nameOf(request, wanted)
  if (policy === 'reject')
    throw new GalleyError({
      code: 'term_rejected',
      message: `${site} has no ${what}, and its settings refuse documents with unknown ones. Create it in WordPress, or change the setting, then retry.`,
      fault: 'delivery',
      action: 'owner',
      details: { taxonomy, name: wanted.path.join(' > ') },
    })
  return leftOut('term_missing', `${site} has no ${what}, and its settings create none, so it was left out.`)
}

/** Whoever looks for a name that no document has must know where it comes from. */
const nameOf = ({ taxonomy, setting }: TermRequest, { path, instead }: Named): string => {
  const what = `${KINDS[taxonomy]} “${path.join(' > ')}”`
  if (instead !== undefined)
    return `${what} (which the setting “category_aliases” puts in the place of “${instead}”)`
  return setting === undefined ? what : `${what} (which the setting “${setting}” names)`
}

const KINDS = { categories: 'category', tags: 'tag' } satisfies Record<TermRequest['taxonomy'], string>

/** The post can go on without the term. */
const REFUSALS = new Set([
  ...['cannot_create_terms', 'rights_missing', 'term_slug_taken', 'field_refused'],
  // Whether it takes the language of the post itself is for the post to find out.
  'setting_refused',
])

const leftOut = (code: string, message: string): Resolution => ({ warning: { code, message } })
