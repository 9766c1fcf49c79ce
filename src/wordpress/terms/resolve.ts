import pMap from 'p-map'
import { GalleyError, type Warning } from '../../errors.ts'
import type { WordPressClient } from '../client/index.ts'
import { wordPressFailure } from '../failures/index.ts'
import type { CurrentUser, TermResult } from '../types.ts'
import {
  findOrCreateTerm,
  LookupBarrier,
  type MakeTerm,
  type ResolvedTerm,
  type TermRequest,
  type TermResolution,
  type WantedTerm,
} from './find-or-create.ts'
import { applyAlias, collapseSpaces, roughSlug, splitTermPath } from './names.ts'

/** Names of one document that are looked for at once, where the site's traffic does not say less. */
const MAX_CONCURRENT_LOOKUPS = 10

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
    .map((name): AliasedPath => {
      const called = applyAlias(name, aliases)
      const path =
        taxonomy === 'categories'
          ? splitTermPath(called)
          : [collapseSpaces(called)].filter((part) => part !== '')
      return { path, ...(called !== name && { instead: name }) }
    })
    .filter(({ path }) => path.length > 0)
  const termOf = deduplicatedLookup(client, request, plan)
  const resolutions = await mapConcurrently(wanted, (name) =>
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
async function mapConcurrently<Item, Result>(
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
    { concurrency: MAX_CONCURRENT_LOOKUPS },
  )
  if (failures.length > 0) throw failures[0]
  return results
}

/** A name as a path, and what the site's aliases have put it in the place of. */
interface AliasedPath {
  path: string[]
  instead?: string
}

/** A request, and how its site is named to people. */
type SiteTermRequest = TermRequest & { site: string }

/** A term by its name; null where there is none and none is to be made. */
type TermLookup = (term: Pick<WantedTerm, 'name' | 'parent'>) => Promise<ResolvedTerm | null>

/**
 * Each term once, however many names of the document ask for it, as `News > Local` and `News > World` do for `News`; and
 * one after the other where WordPress would give both the same slug, as `Café` and `Cafe`: of two such that are made in
 * the same moment it keeps one.
 */
function deduplicatedLookup(
  client: WordPressClient,
  request: TermRequest,
  plan: MakeTerm | undefined,
): TermLookup {
  const { taxonomy, policy, language, anew = false } = request
  const asked = new Map<string, Promise<ResolvedTerm | null>>()
  const ofSlug = new Map<string, Promise<unknown>>()
  const lookups = new LookupBarrier()
  const recall = async (term: WantedTerm): Promise<ResolvedTerm | null> => {
    const makes = policy === 'create'
    // Below a term that is not there yet, there is nothing to find.
    const found = isDryRunTerm(term.parent)
      ? null
      : await findOrCreateTerm(client, term, { makes: makes && plan === undefined, anew, lookups })
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
async function resolvePath(
  termOf: TermLookup,
  request: SiteTermRequest,
  wanted: AliasedPath,
): Promise<TermResolution> {
  const { path } = wanted
  let found: ResolvedTerm = { id: 0, remembered: false }
  for (const name of path) {
    try {
      const term = await termOf({ name, parent: path.length > 1 ? found.id : undefined })
      if (term === null) return missingTerm(request, wanted)
      found = term
    } catch (error) {
      if (!(error instanceof GalleyError) || !REFUSALS.has(error.code)) throw error
      const what = nameOf(request, wanted)
      return omittedTerm('term_not_created', `The ${what} was left out. ${error.message}`)
    }
  }
  return found
}

/** Of a name without a term, where none is to be made. */
function missingTerm(request: SiteTermRequest, wanted: AliasedPath): TermResolution {
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
  return omittedTerm(
    'term_missing',
    `${site} has no ${what}, and its settings create none, so it was left out.`,
  )
}

/** Whoever looks for a name that no document has must know where it comes from. */
const nameOf = ({ taxonomy, setting }: TermRequest, { path, instead }: AliasedPath): string => {
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

const omittedTerm = (code: string, message: string): TermResolution => ({ warning: { code, message } })

/**
 * Stands for making terms where nothing may be written: `resolveTerms` with it says what would become of each name. A
 * term that would be made gets a negative id, the same one for the same name; a user who may not make it meets the
 * failure that WordPress would answer.
 */
export function createDryRunTermMaker({ capabilities }: CurrentUser): MakeTerm {
  const planned = new Map<string, number>()
  return async (client, { taxonomy, name, parent }) => {
    if (!capabilities[REQUIRED_CAPABILITIES[taxonomy]]) {
      const doing = `creating “${name}”`
      throw wordPressFailure(
        'cannot_create_terms',
        { site: client.site.name, method: 'POST', doing, subject: 'term' },
        {},
      )
    }
    const key = JSON.stringify([taxonomy, parent ?? 0, name.toLowerCase()])
    const id = planned.get(key) ?? -(planned.size + 1)
    planned.set(key, id)
    return id
  }
}

/** Whether an id is one that `createDryRunTermMaker` gave. */
export const isDryRunTerm = (id: number | undefined): boolean => id !== undefined && id < 0

/** What WordPress asks of whoever makes a category (edit_terms) or a tag (assign_terms). */
const REQUIRED_CAPABILITIES = { categories: 'manage_categories', tags: 'edit_posts' } as const
