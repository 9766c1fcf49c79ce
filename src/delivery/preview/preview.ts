import { LRUCache } from 'lru-cache'
import type { NormalisedDocument } from '../../blocks/document.ts'
import type { Semaphore } from '../../bytes/budget.ts'
import type { DeliveryRequest } from '../../contract/delivery.ts'
import { type PostFieldValues, plainMembers } from '../../contract/post-fields.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { assertMarkupWithinLimit } from '../../render/render.ts'
import type { DeliverySite } from '../../sites/connection.ts'
import { lossesOf, withSeverity } from '../../warnings.ts'
import { fetchCurrentUser } from '../../wordpress/discover/current-user.ts'
import { wordPressFailure } from '../../wordpress/failures/classify.ts'
import { FOOTNOTES } from '../../wordpress/footnotes.ts'
import type { inspectFile } from '../../wordpress/media/download.ts'
import { type PostSchema, tryReadPostSchema } from '../../wordpress/schema.ts'
import { BYTES_OF_STYLES, readStyles, type SiteStyles } from '../../wordpress/site-styles.ts'
import type { Taxonomy } from '../../wordpress/terms/find-or-create.ts'
import { createDryRunTermMaker, isDryRunTerm, resolveTerms } from '../../wordpress/terms/resolve.ts'
import type { CurrentUser } from '../../wordpress/types.ts'
import { heldError, unreadableFormat } from '../holds.ts'
import { type BudgetedSources, withInlineFiles } from '../steps/context.ts'
import {
  desiredFields,
  proposedSlug,
  statusOf,
  withOwnFields,
  withSiteDefaults,
  withUnreadEmbargo,
} from '../steps/fields.ts'
import { statusLowered } from '../steps/fill.ts'
import { draftForLoss, holdForEmbargo, holdForLosses } from '../steps/losses.ts'
import { resolveFields, resolveLanguage, resolvePostType } from '../steps/resolve-fields.ts'
import { resolveRequestedTerms } from '../steps/terms.ts'
import { droppedWarning } from '../steps/verify.ts'
import type { Preview } from './schema.ts'
import { planUploads } from './uploads.ts'

type PlannedTerm = Preview['terms'][number]

export type InspectFile = typeof inspectFile

/** A document as `readWebhook` read it, in its place: each preview has its own. */
export interface ReadDocument {
  normalised: NormalisedDocument
  unreadable?: string | undefined
  sent: unknown
}

/**
 * Walks the way of a delivery without writing anything. Where it would be held, the plan is what is known up to there.
 * @throws GalleyError what the site answered, where it cannot be asked
 */
export async function preview(
  {
    site,
    sources: outside,
    look,
  }: { site: DeliverySite; sources: BudgetedSources; look?: InspectFile | undefined },
  { read, wanted: asked }: { read: ReadDocument; wanted: DeliveryRequest },
): Promise<Preview> {
  const { normalised, unreadable, sent } = read
  assertMarkupWithinLimit(normalised)
  const now = new Date()
  const wanted = withSiteDefaults(asked, site)
  const document = withOwnFields(normalised.document, wanted.fields)
  const warnings = withUnreadEmbargo(normalised.warnings, sent, wanted, now)
  const sources = withInlineFiles(normalised, outside)
  const user = await fetchCurrentUser(site.client)
  const held: Preview['error'][] = []
  if (unreadable !== undefined) held.push(unreadableFormat(unreadable))
  /** Goes on where a step would hold the delivery, so that one preview tells everything. */
  const orHeld = async <T>(work: () => T | Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof GalleyError && error.action === 'owner' && error.fault === 'delivery'))
        throw error
      held.push({ code: error.code, message: error.message })
      return otherwise
    }
  }
  const postType = await orHeld(() => resolvePostType({ site, wanted }), site.settings.post_type)
  const leftOut: string[] = []
  const language = await resolveLanguage({ site, wanted, warnings, leftOut })
  const schema = await tryReadPostSchema(site.client, { postType })
  const planning = { site, user, wanted, postType, language, schema }
  const terms = await orHeld(() => planTerms(planning, warnings), [])
  const { uploads, media } = await orHeld(
    () => planUploads({ site, sources, user, document, look }, warnings),
    { uploads: [], media: { records: new Map(), dropped: new Set<string>() } },
  )
  const make = createDryRunTermMaker(user)
  const members = await resolveFields(
    { wanted, site, postType, language, warnings, leftOut },
    (client, request) => resolveTerms(client, request, make),
  )
  const unknown = Object.keys(plainMembers(wanted.fields)).filter(
    (name) => schema?.fields.includes(name) === false,
  )
  warnings.push(...unknown.map((name) => droppedWarning(name, `WordPress on ${site.name} will not store`)))
  const ids = { categories: [], tags: [], members }
  const slugged = { document, slug: proposedSlug(document), wanted, site, warnings, now }
  const hasFootnotes = schema === null || schema.metaFields.includes(FOOTNOTES)
  const post = desiredFields(slugged, ids, media, hasFootnotes)
  await orHeld(() => holdForEmbargo({ decided: null, warnings, site }), undefined)
  const status = await orHeld(() => planStatus({ site, user, wanted, postType }, warnings, now), {
    asked: wanted.postStatus,
    result: null,
  })
  const [error = null] = held
  const { title = '', slug = '', excerpt = '', content = '', footnotes } = post
  return {
    outcome: error === null ? 'delivered' : 'held',
    error,
    post: { title, slug, excerpt, content, footnotes: footnotes ? JSON.parse(footnotes) : [], status },
    ...{
      uploads,
      terms,
      fields: plannedFields(wanted.fields, leftOut, warnings),
      warnings: withSeverity(warnings),
    },
  }
}

const MAPS: readonly string[] = ['taxonomies', 'fields', 'seo']

const plannedFields = (
  fields: PostFieldValues,
  leftOut: readonly string[],
  warnings: readonly Warning[],
): Preview['fields'] =>
  Object.entries(fields)
    .filter(([name]) => name !== 'reference')
    .flatMap(([name, value]): [string, unknown][] =>
      MAPS.includes(name)
        ? Object.entries(value as object).map(([key, one]) => [`${name}.${key}`, one])
        : [[name, value]],
    )
    .map(([name, value]) => {
      const isOut = leftOut.includes(name) || warnings.some(({ code }) => code === `${name}_dropped`)
      return { name, value, outcome: isOut ? 'left_out' : 'set' }
    })

interface Planning {
  site: DeliverySite
  user: CurrentUser
  wanted: DeliveryRequest
  postType: string
}

/** The status the post would get, given its losses and what the user may. @throws GalleyError held, where the site says so */
function planStatus(
  { site, user, wanted, postType }: Planning,
  warnings: Warning[],
  now: Date,
): Preview['post']['status'] {
  const { postStatus: asked } = wanted
  const { name, settings } = site
  const onLoss = wanted.onLoss ?? settings.on_loss
  holdForLosses({ onLoss, warnings, site })
  const losses = lossesOf(warnings)
  if (onLoss === 'draft' && losses.length > 0 && asked !== 'draft') {
    warnings.push(draftForLoss(asked, losses))
    return { asked, result: 'draft' }
  }
  const right = postType === 'pages' ? 'publish_pages' : 'publish_posts'
  if (asked !== 'publish' || user.capabilities[right]) return { asked, result: statusOf(wanted, now) }
  if (settings.on_publish_refused === 'hold') {
    const context = { site: name, method: 'POST', doing: 'filling the post' }
    const { code, message } = wordPressFailure('cannot_publish', context, {})
    throw heldError(code, message)
  }
  warnings.push(statusLowered(name))
  return { asked, result: 'pending' }
}

const TAXONOMIES: readonly Taxonomy[] = ['categories', 'tags']

/** The terms of a delivery, name by name, with nothing made. @throws GalleyError `term_rejected` */
async function planTerms(
  planning: Planning & { language: string | undefined; schema: PostSchema | null },
  warnings: Warning[],
): Promise<PlannedTerm[]> {
  const { site, user, wanted, postType, language, schema } = planning
  const planned: Record<Taxonomy, PlannedTerm[]> = { categories: [], tags: [] }
  const make = createDryRunTermMaker(user)
  /** One name at a time, so that each has its own outcome; together they are what the delivery asks for. */
  const resolve: typeof resolveTerms = async (client, request) => {
    const taxonomy = request.taxonomy as Taxonomy
    const ids = new Set<number>()
    const missing: Warning[] = []
    for (const name of request.names) {
      const { ids: found, warnings } = await resolveTerms(client, { ...request, names: [name] }, make)
      for (const id of found) ids.add(id)
      missing.push(...warnings)
      planned[taxonomy].push({ taxonomy, name, ...plannedOutcome(found[0]) })
    }
    return { ids: [...ids], warnings: missing }
  }
  const { fields } = schema ?? { fields: TAXONOMIES }
  const lacks = TAXONOMIES.filter((taxonomy) => !fields.includes(taxonomy))
  for (const taxonomy of lacks)
    for (const name of wanted[taxonomy])
      planned[taxonomy].push({ taxonomy, name, outcome: 'left_out', id: null })
  const { categories, tags } = await resolveRequestedTerms(
    { wanted, site, postType, language, lacks },
    resolve,
  )
  warnings.push(...categories.warnings, ...tags.warnings)
  return [...planned.categories, ...planned.tags]
}

function plannedOutcome(id: number | undefined): Pick<PlannedTerm, 'outcome' | 'id'> {
  if (id === undefined) return { outcome: 'left_out', id: null }
  return isDryRunTerm(id) ? { outcome: 'create', id: null } : { outcome: 'exists', id }
}

const CACHE_TTL_MS = 300_000
/** Characters of all that are kept; a usual site has 200,000. */
const CACHE_MAX_CHARACTERS = 4 * 1024 * 1024
const MEMORY_WAIT_MS = 5_000

type StyledSite = Pick<DeliverySite, 'id' | 'accountId' | 'name' | 'url'>

export type SiteStylesCache = ReturnType<typeof createSiteStylesCache>

/** The styles of sites, read once for some minutes; what fails is not kept. @param room of what is read at the same time */
export function createSiteStylesCache(outbound: Outbound, room: Semaphore) {
  const kept = new LRUCache<string, SiteStyles, StyledSite>({
    ttl: CACHE_TTL_MS,
    maxSize: CACHE_MAX_CHARACTERS,
    sizeCalculation: ({ css }) => css.length + 1,
    async fetchMethod(_key, _stale, { context: site }) {
      const share = await room.take(BYTES_OF_STYLES, { waitMs: MEMORY_WAIT_MS })
      return readStyles(outbound, site).finally(() => share.release())
    },
  })
  return {
    /** @throws GalleyError why they cannot be had */
    of: (site: StyledSite) => kept.forceFetch(`${site.accountId} ${site.id} ${site.url}`, { context: site }),
  }
}
