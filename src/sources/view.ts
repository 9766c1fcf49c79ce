import type { Source } from '../database/generated/client.ts'
import { stillValid } from './previous.ts'
import { type SourceView, sourceSchema } from './schema.ts'

/** A source as it may always be shown. */
export const sourceView = (row: Source): SourceView =>
  sourceSchema.parse({
    id: row.id,
    name: row.name,
    signed: row.signingSecret !== null,
    previous_secret_until: stillValid(row.previousSecretUntil)?.toISOString() ?? null,
    previous_address_until: stillValid(row.previousTokenUntil)?.toISOString() ?? null,
    upstream_base_url: row.upstreamBaseUrl,
    has_upstream_api_key: row.upstreamApiKey !== null,
    upstream_trouble: troubleOf(row),
    confirm: row.confirm,
    backfill: row.backfill,
    limits: { sites: row.siteIds, labels: row.labels, highest_status: row.highestStatus },
    defaults: row.defaults,
    disabled: row.disabledAt !== null,
    created_at: row.createdAt.toISOString(),
  })

const troubleOf = ({ upstreamTrouble, upstreamPausedUntil }: Source) =>
  upstreamTrouble === null
    ? null
    : { ...(upstreamTrouble as object), until: stillValid(upstreamPausedUntil)?.toISOString() ?? null }
