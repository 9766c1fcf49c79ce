import { z } from 'zod'
import type { Site } from '../database/generated/client.ts'
import { currentReport } from './health/report.ts'
import type { SiteView } from './schema.ts'
import { siteSettingsSchema } from './settings.ts'

const troubleSchema = z.object({ code: z.string(), message: z.string() }).nullable()

/** A row of the registry as answers show it. */
export function siteView(row: Site): SiteView {
  const trouble = troubleSchema.parse(row.trouble)
  const report = currentReport(row)
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    rest_root: row.restRoot,
    username: row.username,
    status: statusOf(row, trouble, report),
    trouble,
    paused_until: row.pausedUntil?.toISOString() ?? null,
    stopped: row.stoppedAt && { at: row.stoppedAt.toISOString(), reason: row.stopReason },
    labels: row.labels,
    settings: siteSettingsSchema.parse(row.settings),
    report,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

function statusOf(
  { stoppedAt, pausedUntil }: Pick<Site, 'stoppedAt' | 'pausedUntil'>,
  trouble: SiteView['trouble'],
  report: SiteView['report'],
): SiteView['status'] {
  if (stoppedAt !== null) return 'stopped'
  if (pausedUntil !== null) return 'paused'
  if (trouble !== null) return 'needs_owner'
  return report?.level === 'problem' ? 'problem' : 'connected'
}
