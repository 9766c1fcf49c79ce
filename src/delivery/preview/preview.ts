import { z } from 'zod'
import { type DocumentData, documentDataSchema } from '../../contract/document.ts'
import { normaliseDocument } from '../../contract/normalise.ts'
import {
  type DeliveryRequest,
  emptyDocumentError,
  isEmptyDocument,
  postStatuses,
  termNames,
} from '../../contract/webhook.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import { assertMarkupWithinLimit } from '../../render/render.ts'
import type { DeliverySite } from '../../sites/connection.ts'
import { fetchCurrentUser } from '../../wordpress/discover/index.ts'
import { wordPressFailure } from '../../wordpress/failures/index.ts'
import type { FileSources, inspectFile } from '../../wordpress/media/index.ts'
import { tryReadPostSchema } from '../../wordpress/schema.ts'
import {
  createDryRunTermMaker,
  isDryRunTerm,
  resolveTerms,
  type Taxonomy,
} from '../../wordpress/terms/index.ts'
import type { CurrentUser, PostFields } from '../../wordpress/types.ts'
import { heldError } from '../holds.ts'
import { desiredFields } from '../steps/fields.ts'
import { statusLowered } from '../steps/fill.ts'
import { resolveRequestedTerms } from '../steps/terms.ts'
import { type PlannedUpload, planUploads } from './uploads.ts'

/** What a delivery of this document to this site would do. */
export interface Preview {
  /** As the fill would send them; ids and addresses that are not there yet stand as placeholders. */
  post: PostFields
  uploads: PlannedUpload[]
  terms: PlannedTerm[]
  status: PlannedStatus
  warnings: Warning[]
  /** Why the delivery would wait for a person instead; null where it would arrive. */
  held: { code: string; message: string } | null
}

/** See `planUploads`. */
export type InspectFile = typeof inspectFile

/**
 * Walks the way of a delivery without writing anything: the same reading, the same terms and pictures looked up and
 * fetched, the same rendering. Where it would be held, the plan is what is known up to there.
 *
 * @throws GalleyError what the site answered, where it cannot be asked
 */
export async function preview(
  { site, sources, look }: { site: DeliverySite; sources: FileSources; look?: InspectFile | undefined },
  { data, wanted }: { data: DocumentData; wanted: DeliveryRequest },
): Promise<Preview> {
  const normalised = normaliseDocument(data)
  assertMarkupWithinLimit(normalised)
  const { document, warnings: reading } = normalised
  if (isEmptyDocument(document)) throw emptyDocumentError()
  const user = await fetchCurrentUser(site.client)
  const warnings = [...reading]
  const held: Preview['held'][] = []
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
  const terms = await orHeld(() => planTerms(site, user, wanted, warnings), [])
  const { uploads, media } = await orHeld(
    () => planUploads({ site, sources, user, document, look }, warnings),
    {
      uploads: [],
      media: { records: new Map(), dropped: new Set<string>() },
    },
  )
  const ids = { categories: [], tags: [] }
  const post = desiredFields({ document, wanted, site, warnings }, ids, media)
  const status = await orHeld(() => planStatus(site, user, wanted.postStatus, warnings), {
    asked: wanted.postStatus,
    result: null,
  })
  return { post, uploads, terms, status, warnings, held: held[0] ?? null }
}

interface PlannedStatus {
  asked: DeliveryRequest['postStatus']
  /** Null where the delivery would be held. */
  result: DeliveryRequest['postStatus'] | null
}

/** The status the post would get, given what the user may. @throws GalleyError held, where the site says so */
function planStatus(
  { name, settings }: DeliverySite,
  { capabilities }: CurrentUser,
  asked: DeliveryRequest['postStatus'],
  warnings: Warning[],
): PlannedStatus {
  const right = settings.post_type === 'pages' ? 'publish_pages' : 'publish_posts'
  if (asked !== 'publish' || capabilities[right]) return { asked, result: asked }
  if (settings.on_publish_refused === 'hold') {
    const context = { site: name, method: 'POST', doing: 'filling the post', subject: 'post' } as const
    const { code, message } = wordPressFailure('cannot_publish', context, {})
    throw heldError(code, message)
  }
  warnings.push(statusLowered(name))
  return { asked, result: 'pending' }
}

const TAXONOMIES: readonly Taxonomy[] = ['categories', 'tags']

/** What would become of one name. */
interface PlannedTerm {
  taxonomy: Taxonomy
  name: string
  /** Found on the site, made there, or left out of the post. */
  outcome: 'exists' | 'create' | 'left_out'
  /** Of a term that exists. */
  id: number | null
}

/** The terms of a delivery, name by name, with nothing made. @throws GalleyError `term_rejected` */
async function planTerms(
  site: DeliverySite,
  user: CurrentUser,
  wanted: DeliveryRequest,
  warnings: Warning[],
): Promise<PlannedTerm[]> {
  const planned: Record<Taxonomy, PlannedTerm[]> = { categories: [], tags: [] }
  const make = createDryRunTermMaker(user)
  /** One name at a time, so that each has its own outcome; together they are what the delivery asks for. */
  const resolve: typeof resolveTerms = async (client, request) => {
    const ids = new Set<number>()
    const missing: Warning[] = []
    for (const name of request.names) {
      const { ids: found, warnings } = await resolveTerms(client, { ...request, names: [name] }, make)
      for (const id of found) ids.add(id)
      missing.push(...warnings)
      planned[request.taxonomy].push({ taxonomy: request.taxonomy, name, ...plannedOutcome(found[0]) })
    }
    return { ids: [...ids], warnings: missing }
  }
  const postType = site.settings.post_type
  const { fields } = (await tryReadPostSchema(site.client, { postType })) ?? { fields: TAXONOMIES }
  const lacks = TAXONOMIES.filter((taxonomy) => !fields.includes(taxonomy))
  for (const taxonomy of lacks)
    for (const name of wanted[taxonomy])
      planned[taxonomy].push({ taxonomy, name, outcome: 'left_out', id: null })
  const { categories, tags } = await resolveRequestedTerms({ wanted, site, postType, lacks }, resolve)
  warnings.push(...categories.warnings, ...tags.warnings)
  return [...planned.categories, ...planned.tags]
}

function plannedOutcome(id: number | undefined): Pick<PlannedTerm, 'outcome' | 'id'> {
  if (id === undefined) return { outcome: 'left_out', id: null }
  return isDryRunTerm(id) ? { outcome: 'create', id: null } : { outcome: 'exists', id }
}

/** What a webhook says of its delivery, without the site. */
export const deliveryWithoutSiteSchema = z.looseObject({
  post_status: z.enum(postStatuses).nullish(),
  metadata: z
    .looseObject({ categories: termNames('category').nullish(), tags: termNames('tag').nullish() })
    .nullish(),
})

/** Body of a preview: a webhook as it would come, or of it what counts. */
export const previewRequestSchema = z.looseObject({
  data: documentDataSchema,
  delivery: deliveryWithoutSiteSchema.nullish(),
})

/** What a delivery would do. */
export const previewSchema = z
  .object({
    outcome: z.enum(['delivered', 'held']).describe('held: it would wait for a person; error says why.'),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    post: z.object({
      title: z.string(),
      slug: z.string(),
      excerpt: z.string(),
      content: z.string().describe('The exact markup; what only an upload provides is a placeholder.'),
      status: z
        .object({ asked: z.enum(postStatuses), result: z.enum(postStatuses).nullable() })
        .describe('result differs where the user may not publish; null where that holds the delivery.'),
    }),
    uploads: z.array(
      z.object({
        url: z.string().describe('Where the document has it.'),
        file_name: z.string(),
        alt: z.string(),
        mime_type: z.string(),
        size: z.int().describe('Bytes.'),
        featured: z.boolean(),
        placeholder: z
          .object({ id: z.int(), url: z.string(), sized_url: z.string() })
          .describe(
            'Placeholders in the markup: for the attachment’s id, for its file, and for its file in the size of the text.',
          ),
      }),
    ),
    terms: z.array(
      z.object({
        taxonomy: z.enum(['categories', 'tags']),
        name: z.string(),
        outcome: z.enum(['exists', 'create', 'left_out']),
        id: z.int().nullable().describe('Of a term that exists.'),
      }),
    ),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  })
  .meta({ id: 'Preview' })

export const previewView = ({ post, uploads, terms, status, warnings, held }: Preview) =>
  ({
    outcome: held === null ? 'delivered' : 'held',
    error: held,
    post: {
      title: post.title ?? '',
      slug: post.slug ?? '',
      excerpt: post.excerpt ?? '',
      content: post.content ?? '',
      status,
    },
    uploads: uploads.map(({ fileName, mimeType, placeholder: { id, url, sizedUrl }, ...upload }) => ({
      ...upload,
      file_name: fileName,
      mime_type: mimeType,
      placeholder: { id, url, sized_url: sizedUrl },
    })),
    terms,
    warnings,
  }) satisfies z.output<typeof previewSchema>
