import { isWorse } from './finding.ts'
import type { DoctorReport, Finding } from './types.ts'

/** The lines that got worse since an earlier report: a capability that went away is news. */
export function whatGotWorse(before: DoctorReport, after: DoctorReport): Finding[] {
  return after.findings.filter((finding) => {
    const earlier = before.findings.find(({ check }) => check === finding.check)
    return isWorse(finding.level, earlier?.level ?? 'ok')
  })
}
