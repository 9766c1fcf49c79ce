import pMap from 'p-map'
import { GalleyError, type Warning } from '../../errors.ts'
import type { WarningCode } from '../../warnings.ts'
import type { WordPressClient } from '../client/client.ts'
import { wordPressFailure } from '../failures/classify.ts'
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
import { applyAlias, readTermName, roughSlug, splitTermPath } from './names.ts'

/** Names of one document that are looked for at once, where the site's traffic does not say less. */
const MAX_CONCURRENT_LOOKUPS = 10

/**
 * Term names to ids; a user who may not make terms gets a warning for each. May be repeated: what was made is then found.
 * @param plan stands for making a missing term where nothing may be written
 * @throws GalleyError `term_rejected`, under the policy `reject`.
 */
export async function resolveTerms(
  client: WordPressClient,
  request: TermRequest,
  plan?: MakeTerm,
): Promise<TermResult> {
  const { taxonomy, names, aliases = {}, isHierarchical = taxonomy === 'categories' } = request
  const wanted = names
    .map((name): AliasedPath => {
      const called = applyAlias(name, aliases)
      const path = isHierarchical
        ? splitTermPath(called)
        : [readTermName(called)].filter((part) => part !== '')
      return { path, ...(called !== name && { instead: name }) }
    })
    .filter(({ path }) => path.length > 0)
  const lookups = {
    usual: deduplicatedLookup(client, request, plan),
    anew: deduplicatedLookup(client, { ...request, anew: true }, plan),
  }
  const resolutions = await pMap(
    wanted,
    (name) => resolvePath(lookups, { ...request, site: client.site.name }, name),
    { concurrency: MAX_CONCURRENT_LOOKUPS, stopOnError: false },
  ).catch(throwFirstFailure)
  const ids = new Set<number>()
  const remembered = new Set<number>()
  const warnings: Warning[] = []
  for (const resolution of resolutions) {
    if ('warning' in resolution) warnings.push(resolution.warning)
    else {
      const { homonyms } = resolution
      if (homonyms !== undefined) warnings.push(ambiguousCategory(client.site.name, homonyms))
      ids.add(resolution.id)
      if (resolution.remembered) remembered.add(resolution.id)
    }
  }
  return { ids: [...ids], warnings, ...(remembered.size > 0 && { remembered: [...remembered] }) }
}

/** Of several that failed, what the first one says; thrown when all have ended, so that none is left under way. */
function throwFirstFailure(error: unknown): never {
  throw error instanceof AggregateError ? error.errors[0] : error
}

/** A name as a path, and what the site's aliases have put it in the place of. */
interface AliasedPath {
  path: string[]
  instead?: string
}

type SiteTermRequest = TermRequest & { site: string }

/** A term by its name; null where there is none and none is to be made. */
type TermLookup = (term: Pick<WantedTerm, 'name' | 'parent'>) => Promise<ResolvedTerm | null>

/** Each term once, and one after the other where two get the same slug (`Café`, `Cafe`): WordPress would keep one. */
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
    const recalled = before.catch(() => undefined).then(() => recall(term))
    asked.set(key, recalled)
    ofSlug.set(slug, recalled)
    return recalled
  }
}

/** Each part under the one before; of a path without a parent, anywhere. */
async function resolvePath(
  { usual: termOf, anew }: Record<'usual' | 'anew', TermLookup>,
  request: SiteTermRequest,
  wanted: AliasedPath,
): Promise<TermResolution> {
  const { path } = wanted
  let found: ResolvedTerm = { id: 0, remembered: false }
  for (const name of path) {
    const parent = path.length > 1 ? found.id : undefined
    const term = await termOf({ name, parent }).catch(refusalOf)
    if (term !== null && !(term instanceof GalleyError)) found = term
    // The parent may be gone by now, or stand there under another number.
    else if (found.remembered) return resolvePath({ usual: anew, anew }, request, wanted)
    else if (term === null) return missingTerm(request, wanted)
    else {
      const what = nameOf(request, wanted)
      return omittedTerm('term_not_created', `The ${what} was left out. ${term.message}`)
    }
  }
  return found
}

function refusalOf(error: unknown): GalleyError {
  if (error instanceof GalleyError && REFUSALS.has(error.code)) return error
  throw error
}

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
  const what = `${KINDS[taxonomy] ?? `${taxonomy} term`} “${path.join(' > ')}”`
  if (instead !== undefined)
    return `${what} (which the setting “category_aliases” puts in the place of “${instead}”)`
  return setting === undefined ? what : `${what} (which the setting “${setting}” names)`
}

const KINDS: Readonly<Record<string, string>> = { categories: 'category', tags: 'tag' }

/** The post can go on without the term. */
const REFUSALS = new Set([
  ...[
    'cannot_create_terms',
    'rights_missing',
    'term_gone',
    'term_slug_taken',
    'field_refused',
    'value_refused',
  ],
  // Whether it takes the language of the post itself is for the post to find out.
  'setting_refused',
])

function ambiguousCategory(site: string, [chosen = '', ...others]: readonly string[]): Warning {
  const name = chosen.slice(chosen.indexOf(' > ') + 3)
  return {
    code: 'category_ambiguous',
    message: `${site} has the category “${name}” more than once. “${chosen}” was used, and not ${others.map((path) => `“${path}”`).join(', ')}. Send the path of the one that is meant, or name it in the site's setting “category_aliases”.`,
  }
}

const omittedTerm = (code: WarningCode, message: string): TermResolution => ({ warning: { code, message } })

/** Stands for making terms where nothing may be written: each new one gets a negative id, or WordPress's failure. */
export function createDryRunTermMaker({ capabilities }: CurrentUser): MakeTerm {
  const planned = new Map<string, number>()
  return async (client, { taxonomy, name, parent }) => {
    if (!capabilities[REQUIRED_CAPABILITIES[taxonomy] ?? 'manage_categories']) {
      const doing = `creating “${name}”`
      throw wordPressFailure('cannot_create_terms', { site: client.site.name, method: 'POST', doing }, {})
    }
    const key = JSON.stringify([taxonomy, parent ?? 0, name.toLowerCase()])
    const id = planned.get(key) ?? -(planned.size + 1)
    planned.set(key, id)
    return id
  }
}

export const isDryRunTerm = (id: number | undefined): boolean => id !== undefined && id < 0

/** What WordPress asks of whoever makes a tag (assign_terms), where it is not what it asks of one who makes a category (edit_terms). */
const REQUIRED_CAPABILITIES: Readonly<Record<string, string>> = { tags: 'edit_posts' }
