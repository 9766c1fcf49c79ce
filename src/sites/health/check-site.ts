import { storableValue } from '../../database/storable.ts'
import { createClient } from '../../wordpress/client/index.ts'
import { runChecks, whatGotWorse } from '../../wordpress/doctor/index.ts'
import { connectionOf } from '../connection.ts'
import { type SiteRegistry, siteRow } from '../registry.ts'
import { siteSettingsSchema } from '../settings.ts'
import type { SiteId } from '../site-id.ts'
import { reportView, type SiteReport, type StoredReport } from './report.ts'

/**
 * Sends the doctor to a site and keeps what was found, each line that got worse since the last time marked as news.
 *
 * @throws GalleyError 404; `secret_key_missing`, `secret_unreadable`
 */
export async function checkSite(
  { prisma, keyring, outbound }: SiteRegistry,
  site: SiteId,
): Promise<SiteReport> {
  const row = await siteRow({ prisma }, site)
  const { post_type: postType, format, language } = siteSettingsSchema.parse(row.settings)
  const { authorId } = row
  const found = await runChecks(createClient(connectionOf(keyring, row), outbound), {
    postType,
    format,
    authorId,
    language,
  })
  const before = row.report as unknown as StoredReport | null
  const worse = before === null ? [] : whatGotWorse(before, found).map(({ check }) => check)
  const report: StoredReport = { ...found, worse }
  await prisma.site.updateMany({
    where: site,
    data: {
      report: storableValue(report) as object,
      reportAt: new Date(found.checkedAt),
      // What could not be looked at stays as it was last seen.
      ...(found.abilities && { seoField: found.abilities.seoField }),
    },
  })
  return reportView(report) as SiteReport
}
