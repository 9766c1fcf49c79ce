import { z } from 'zod'
import type { Site } from '../../database/generated/client.ts'
import type { DoctorReport } from '../../wordpress/doctor/index.ts'
import { webUrlSchema } from '../../wordpress/fields.ts'

const level = z.enum(['ok', 'warning', 'problem'])

const finding = z.object({
  check: z.string().describe('What was looked at; stable.'),
  level,
  seen: z.string().describe('What was observed.'),
  means: z.string().describe('What this means for deliveries.'),
  todo: z.string().nullable().describe('What to do about it; null where there is nothing to do.'),
})

export const siteReportSchema = z
  .object({
    checked_at: z.iso.datetime(),
    level: level.describe('The worst of the findings: problem means that deliveries do not get through.'),
    findings: z.array(
      finding.extend({ changed: z.boolean().describe('Whether it was better at the previous check.') }),
    ),
  })
  .meta({ id: 'SiteReport' })

export type SiteReport = z.output<typeof siteReportSchema>

/** The column `site.report`: the report, and the checks that got worse since the previous one. */
export type StoredReport = DoctorReport & { worse: string[] }

/** What a site calls itself, as last checked; empty where unknown. */
export function claimedHome(stored: unknown): string[] {
  const { data } = z.object({ home: webUrlSchema }).safeParse(stored)
  return data === undefined ? [] : [data.home]
}

/** The report of the current connection; null where it has not been checked. */
export const currentReport = ({ report, reportAt }: Pick<Site, 'report' | 'reportAt'>): SiteReport | null =>
  reportAt === null ? null : reportView(report)

/** The report of a site's row; null where it has not been checked. */
export function reportView(stored: unknown): SiteReport | null {
  if (stored === null || stored === undefined) return null
  const { checkedAt, level, findings, worse } = stored as StoredReport
  return {
    checked_at: checkedAt,
    level,
    findings: findings.map((line) => ({ ...line, changed: worse.includes(line.check) })),
  }
}

const requiredSchema = z
  .object({ abilities: z.object({ requiredFields: z.array(z.string()) }) })
  .transform(({ abilities }) => abilities.requiredFields)
  .catch([])

/** Required fields of editors, as last checked. */
export const requiredFieldsOf = (stored: unknown): string[] => requiredSchema.parse(stored)

const versionSchema = z
  .object({ abilities: z.object({ wordpressVersion: z.string().max(20) }) })
  .transform(({ abilities }) => abilities.wordpressVersion)
  .catch('')

/** The version of WordPress in the report; null where hidden or unchecked. */
export const wordpressVersionOf = (stored: unknown): string | null => versionSchema.parse(stored) || null
