import { failure } from '../failures/index.ts'
import type { CurrentUser } from '../types.ts'
import type { MakeTerm } from './types.ts'

/**
 * Stands for making terms where nothing may be written: `resolveTerms` with it says what would become of each name. A
 * term that would be made gets a negative id, the same one for the same name; a user who may not make it meets the
 * failure that WordPress would answer.
 */
export function planningMaker({ capabilities }: CurrentUser): MakeTerm {
  const planned = new Map<string, number>()
  return async (client, { taxonomy, name, parent }) => {
    if (!capabilities[RIGHTS[taxonomy]]) {
      const doing = `creating “${name}”`
      throw failure(
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

/** Whether an id is one that `planningMaker` gave. */
export const isPlanned = (id: number | undefined): boolean => id !== undefined && id < 0

/** What WordPress asks of whoever makes a category (edit_terms) or a tag (assign_terms). */
const RIGHTS = { categories: 'manage_categories', tags: 'edit_posts' } as const
