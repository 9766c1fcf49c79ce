import { z } from 'zod'
import type { Site } from '../../database/generated/client.ts'
import type { DoctorReport } from '../../wordpress/doctor/report.ts'

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

/** The column `site.report`: the report, the checks that got worse since the previous one, and since when there is a problem. */
export type StoredReport = DoctorReport & { worse: string[]; since?: string | undefined }

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

type ProblemRow = Pick<Site, 'reportAt' | 'lastSuccessAt'> & { report: unknown }

/** Since when reports say that nothing gets through; null where the last one does not, or a delivery has disproved it. */
export function problemSince({ report, reportAt, lastSuccessAt }: ProblemRow): Date | null {
  const { level, since } = (report ?? {}) as Partial<StoredReport>
  if (level !== 'problem' || reportAt === null || (lastSuccessAt && lastSuccessAt >= reportAt)) return null
  return since === undefined ? reportAt : new Date(since)
}

/** SQL condition: the same is not null. @param s alias of `site` */
export const reportsProblem = (s: string): string =>
  `${s}.report ->> 'level' = 'problem' AND ${s}.report_at > coalesce(${s}.last_success_at, '-infinity')`

/** SQL expression of the same, where that holds. @param s alias of `site` */
export const problemSinceSql = (s: string): string =>
  `coalesce((${s}.report ->> 'since')::timestamptz, ${s}.report_at)`
