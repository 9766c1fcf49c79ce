import pMap from 'p-map'
import pTimeout from 'p-timeout'
import type { DeliveryRequest } from '../../contract/delivery.ts'
import { apiCode, GalleyError } from '../../errors.ts'
import type { DeliverySite } from '../../sites/connection.ts'
import { inspectFile } from '../../wordpress/media/download.ts'
import type { BudgetedSources } from '../steps/context.ts'
import { type InspectFile, preview, type ReadDocument } from './preview.ts'
import type { MatrixRow } from './schema.ts'

const CONCURRENCY = 8

/** Below what proxies and clients wait for an answer; after `allMs` no further site is begun. */
const previewTimeouts = { siteMs: 15_000, allMs: 35_000 }

const NO_PREVIEW = { error: null, status: null, terms: [], uploads: 0, warnings: [] }

interface MatrixRequest {
  siteIds: readonly string[]
  read: ReadDocument
  wanted: (siteId: string) => DeliveryRequest
  sources: BudgetedSources
  /** A site, ready to be asked; null where it was removed meanwhile. */
  open(siteId: string): Promise<DeliverySite | null>
  room(): Promise<() => void>
  patience?: typeof previewTimeouts
  /** Nobody waits for the answer any more. */
  gone: AbortSignal
}

/** Previews one document against many sites, each by itself; a file is fetched once. @returns one row a site, in their order */
export async function previewMatrix({
  siteIds,
  patience: { siteMs, allMs } = previewTimeouts,
  ...work
}: MatrixRequest): Promise<MatrixRow[]> {
  const until = performance.now() + allMs
  const look = memoizeInspection()
  return pMap(
    siteIds,
    async (siteId): Promise<MatrixRow> => {
      if (work.gone.aborted || performance.now() > until)
        return { ...NO_PREVIEW, site_id: siteId, outcome: 'not_asked' }
      try {
        const row = previewRow(work, look, siteId)
        return await pTimeout(row, {
          milliseconds: siteMs,
          message: new GalleyError({
            code: 'SITE_TOO_SLOW',
            fault: 'site',
            message: `The site did not answer what a preview asks within ${siteMs / 1000} s. Look at this site alone, which may take longer.`,
          }),
        })
      } catch (error) {
        if (!(error instanceof GalleyError)) throw error
        return { ...NO_PREVIEW, site_id: siteId, outcome: 'unanswered', error: apiError(error) }
      }
    },
    { concurrency: CONCURRENCY },
  )
}

/** What is too slow is left to its own time-outs, and keeps its room until it has ended. */
async function previewRow(
  { open, room, sources, read, wanted }: Omit<MatrixRequest, 'siteIds' | 'patience'>,
  look: InspectFile,
  siteId: string,
): Promise<MatrixRow> {
  const giveBack = await room()
  try {
    const site = await open(siteId)
    if (site === null)
      throw new GalleyError({ code: 'NOT_FOUND', message: 'The site was removed while it was to be asked.' })
    const { outcome, error, post, terms, uploads, warnings } = await preview(
      { site, sources, look },
      { read, wanted: wanted(siteId) },
    )
    return {
      site_id: siteId,
      outcome,
      error: error && apiError(error),
      status: post.status,
      terms,
      uploads: uploads.length,
      warnings,
    }
  } finally {
    giveBack()
  }
}

const apiError = ({ code, message }: Pick<GalleyError, 'code' | 'message'>) => ({
  code: apiCode(code),
  message,
})

function memoizeInspection(): InspectFile {
  const looked = new Map<string, ReturnType<InspectFile>>()
  return (kind, sources, url, limits) => {
    const key = JSON.stringify([kind, url, limits])
    const known = looked.get(key) ?? inspectFile(kind, sources, url, limits)
    looked.set(key, known)
    return known
  }
}
