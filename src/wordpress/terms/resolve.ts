import { GalleyError, type Warning } from '../../errors.ts'
import type { WordPressClient } from '../client/index.ts'
import type { TermResult } from '../types.ts'
import { createTerm } from './create.ts'
import { findTerm } from './find.ts'
import { aliased, pathOf, tidy } from './names.ts'
import { isPlanned } from './plan.ts'
import type { MakeTerm, Resolution, TermRequest } from './types.ts'

/**
 * Term names to ids. A name without a term is made, left out with a warning, or refused, as the policy says;
 * a user who may not make terms gets a warning for each. May be repeated: what was made is then found.
 * @param make how a missing term is made; `planningMaker` makes none
 * @throws GalleyError `term_rejected`, under the policy `reject`.
 */
export async function resolveTerms(
  client: WordPressClient,
  request: TermRequest,
  make: MakeTerm = createTerm,
): Promise<TermResult> {
  const { taxonomy, names, aliases = {} } = request
  const ids = new Set<number>()
  const warnings: Warning[] = []
  for (const name of names) {
    const wanted = aliased(name, aliases)
    const path = taxonomy === 'categories' ? pathOf(wanted) : [tidy(wanted)].filter((part) => part !== '')
    if (path.length === 0) continue
    const resolution = await resolvePath(client, request, path, make)
    if ('id' in resolution) ids.add(resolution.id)
    else warnings.push(resolution.warning)
  }
  return { ids: [...ids], warnings }
}

/** Each part under the one before; of a path without a parent, anywhere. */
async function resolvePath(
  client: WordPressClient,
  request: TermRequest,
  path: string[],
  make: MakeTerm,
): Promise<Resolution> {
  let parent = path.length > 1 ? 0 : undefined
  let id = 0
  for (const name of path) {
    // Below a term that is not there yet, there is nothing to find.
    const found = isPlanned(parent)
      ? null
      : await findTerm(client, { taxonomy: request.taxonomy, language: request.language, name, parent })
    const resolution = found ?? (await resolveMissing(client, request, { name, parent, path }, make))
    if ('warning' in resolution) return resolution
    id = resolution.id
    parent = id
  }
  return { id }
}

interface Missing {
  name: string
  parent: number | undefined
  path: string[]
}

async function resolveMissing(
  client: WordPressClient,
  { taxonomy, policy, language }: TermRequest,
  { name, parent, path }: Missing,
  make: MakeTerm,
): Promise<Resolution> {
  const { kind, full } = { kind: KINDS[taxonomy], full: path.join(' > ') }
  const site = client.site.name
  switch (policy) {
    case 'reject':
      throw new GalleyError({
        code: 'term_rejected',
        message: `${site} has no ${kind} “${full}”, and its settings refuse documents with unknown ones. Create it in WordPress, or change the setting, then retry.`,
        fault: 'delivery',
        action: 'owner',
        details: { taxonomy, name: full },
      })
    case 'existing_only':
      return leftOut(
        'term_missing',
        `${site} has no ${kind} “${full}”, and its settings create none, so it was left out.`,
      )
    case 'create':
      try {
        return { id: await make(client, { taxonomy, name, parent, language }) }
      } catch (error) {
        if (!(error instanceof GalleyError) || !REFUSALS.has(error.code)) throw error
        return leftOut('term_not_created', `The ${kind} “${full}” was left out. ${error.message}`)
      }
  }
}

const KINDS = { categories: 'category', tags: 'tag' } satisfies Record<TermRequest['taxonomy'], string>

/** The post can go on without the term. */
const REFUSALS = new Set(['cannot_create_terms', 'rights_missing', 'term_slug_taken', 'field_refused'])

const leftOut = (code: string, message: string): Resolution => ({ warning: { code, message } })
