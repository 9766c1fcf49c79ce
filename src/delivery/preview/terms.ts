import type { DeliveryRequest } from '../../contract/webhook.ts'
import type { Warning } from '../../errors.ts'
import type { DeliverySite } from '../../sites/connected-site.ts'
import { readPostSchemaIfTold } from '../../wordpress/schema/index.ts'
import { isPlanned, planningMaker, resolveTerms, type Taxonomy } from '../../wordpress/terms/index.ts'
import type { CurrentUser } from '../../wordpress/types.ts'
import { resolveWanted } from '../steps/terms.ts'

const TAXONOMIES: readonly Taxonomy[] = ['categories', 'tags']

/** What would become of one name. */
export interface PlannedTerm {
  taxonomy: Taxonomy
  name: string
  /** Found on the site, made there, or left out of the post. */
  outcome: 'exists' | 'create' | 'left_out'
  /** Of a term that exists. */
  id: number | null
}

/** The terms of a delivery, name by name, with nothing made. @throws GalleyError `term_rejected` */
export async function planTerms(
  site: DeliverySite,
  user: CurrentUser,
  wanted: DeliveryRequest,
  warnings: Warning[],
): Promise<PlannedTerm[]> {
  const planned: Record<Taxonomy, PlannedTerm[]> = { categories: [], tags: [] }
  const make = planningMaker(user)
  /** One name at a time, so that each has its own outcome; together they are what the delivery asks for. */
  const resolve: typeof resolveTerms = async (client, request) => {
    const ids = new Set<number>()
    const missing: Warning[] = []
    for (const name of request.names) {
      const { ids: found, warnings } = await resolveTerms(client, { ...request, names: [name] }, make)
      for (const id of found) ids.add(id)
      missing.push(...warnings)
      planned[request.taxonomy].push({ taxonomy: request.taxonomy, name, ...outcomeOf(found[0]) })
    }
    return { ids: [...ids], warnings: missing }
  }
  const postType = site.settings.post_type
  const { fields } = (await readPostSchemaIfTold(site.client, { postType })) ?? { fields: TAXONOMIES }
  const lacks = TAXONOMIES.filter((taxonomy) => !fields.includes(taxonomy))
  for (const taxonomy of lacks)
    for (const name of wanted[taxonomy])
      planned[taxonomy].push({ taxonomy, name, outcome: 'left_out', id: null })
  const { categories, tags } = await resolveWanted({ wanted, site, postType, lacks }, resolve)
  warnings.push(...categories.warnings, ...tags.warnings)
  return [...planned.categories, ...planned.tags]
}

function outcomeOf(id: number | undefined): Pick<PlannedTerm, 'outcome' | 'id'> {
  if (id === undefined) return { outcome: 'left_out', id: null }
  return isPlanned(id) ? { outcome: 'create', id: null } : { outcome: 'exists', id }
}
