import type { DocumentData } from '../../contract/document.ts'
import { emptyDocument, isEmpty } from '../../contract/empty.ts'
import { normaliseDocument } from '../../contract/normalise.ts'
import type { DeliveryRequest } from '../../contract/webhook.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import { checkMarkup } from '../../render/measure.ts'
import type { DeliverySite } from '../../sites/connected-site.ts'
import { whoAmI } from '../../wordpress/discover/index.ts'
import type { FileSources, inspect } from '../../wordpress/media/index.ts'
import type { PostFields } from '../../wordpress/types.ts'
import { fields } from '../steps/fields.ts'
import { type PlannedStatus, planStatus } from './status.ts'
import { type PlannedTerm, planTerms } from './terms.ts'
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
export type Look = typeof inspect

/**
 * Walks the way of a delivery without writing anything: the same reading, the same terms and pictures looked up and
 * fetched, the same rendering. Where it would be held, the plan is what is known up to there.
 *
 * @throws GalleyError what the site answered, where it cannot be asked
 */
export async function preview(
  { site, sources, look }: { site: DeliverySite; sources: FileSources; look?: Look | undefined },
  { data, wanted }: { data: DocumentData; wanted: DeliveryRequest },
): Promise<Preview> {
  const normalised = normaliseDocument(data)
  checkMarkup(normalised)
  const { document, warnings: reading } = normalised
  if (isEmpty(document)) throw emptyDocument()
  const user = await whoAmI(site.client)
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
  const post = fields({ document, wanted, site, warnings }, ids, media)
  const status = await orHeld(() => planStatus(site, user, wanted.postStatus, warnings), {
    asked: wanted.postStatus,
    result: null,
  })
  return { post, uploads, terms, status, warnings, held: held[0] ?? null }
}
