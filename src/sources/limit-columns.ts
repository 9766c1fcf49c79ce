import type { Prisma, Source } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import type { SourcePatch } from './schema.ts'

/** The columns of what a source may do, and of what its documents get, as a request sets them. */
export function limitColumns({ confirm, backfill, limits, defaults }: SourcePatch) {
  return {
    confirm,
    backfill,
    ...(limits !== undefined && {
      siteIds: limits?.sites ?? [],
      labels: limits?.labels ?? [],
      highestStatus: limits?.highest_status ?? null,
    }),
    ...(defaults !== undefined && { defaults: (defaults ?? {}) as Prisma.InputJsonObject }),
  }
}

type Asking = Pick<Source, 'confirm' | 'backfill' | 'upstreamBaseUrl' | 'upstreamApiKey'>

/** @throws GalleyError 422 `UPSTREAM_NEEDED` where the source would ask an upstream that it cannot reach */
export function requireUpstream({ confirm, backfill, upstreamBaseUrl, upstreamApiKey }: Asking): void {
  if (!(confirm || backfill) || (upstreamBaseUrl !== null && upstreamApiKey !== null)) return
  throw new GalleyError({
    code: 'UPSTREAM_NEEDED',
    httpStatus: 422,
    fault: 'owner',
    action: 'owner',
    message: `With "${confirm ? 'confirm' : 'backfill'}" Galley asks the API that made the documents. Nothing was changed. Give "upstream_base_url" and "upstream_api_key", or set it to false.`,
  })
}
