import { z } from 'zod'
import type { DoctorReport, KnownLevel } from '../../wordpress/doctor/report.ts'

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

/**
 * The column `site.report`: the report, and the checks that got worse since the previous one. Where there is a problem, `since` when.
 * A check that did not get past the credentials keeps what an earlier one saw: `abilities`, `home`, and `unseen` lines.
 */
export type StoredReport = DoctorReport & { worse: string[]; unseen?: KnownLevel[] }

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

/** SQL condition: reports say that nothing gets through, and no delivery has disproved it. @param s alias of `site` */
export const reportsProblem = (s: string): string =>
  `${s}.report ->> 'level' = 'problem' AND ${s}.report_at > coalesce(${s}.last_success_at, '-infinity')`

/** SQL expression of since when, where that holds. @param s alias of `site` */
export const problemSinceSql = (s: string): string =>
  `coalesce((${s}.report ->> 'since')::timestamptz, ${s}.report_at)`
