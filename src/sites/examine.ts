import { storableValue } from '../database/storable.ts'
import { GalleyError } from '../errors.ts'
import { createClient, type WordPressClient } from '../wordpress/client/index.ts'
import { type DoctorReport, examine, fromFailure, whatGotWorse } from '../wordpress/doctor/index.ts'
import { connectionOf } from './connection.ts'
import { type SiteId, type SiteRegistry, siteRow } from './registry.ts'
import { reportView, type SiteReport, type StoredReport } from './report.ts'
import { siteSettingsSchema } from './settings.ts'

/**
 * Sends the doctor to a site and keeps what was found, each line that got worse since the last time marked as news.
 *
 * @throws GalleyError 404
 */
export async function examineSite(
  { prisma, keyring, outbound }: SiteRegistry,
  site: SiteId,
): Promise<SiteReport> {
  const row = await siteRow({ prisma }, site)
  const { post_type: postType } = siteSettingsSchema.parse(row.settings)
  const found = await look(() => createClient(connectionOf(keyring, row), outbound), postType)
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

/** A site whose password cannot be read any more has that for a problem. */
async function look(open: () => WordPressClient, postType: string): Promise<DoctorReport> {
  try {
    return await examine(open(), { postType })
  } catch (error) {
    if (!(error instanceof GalleyError) || !error.code.startsWith('secret_')) throw error
    const finding = fromFailure('credentials', error, 'Nothing can be delivered.')
    const checkedAt = new Date().toISOString()
    return { checkedAt, level: 'problem', findings: [finding], home: null, abilities: null }
  }
}
