export { whatGotWorse } from './regressions.ts'
export { type CheckOptions, runChecks } from './run-checks.ts'
export type { CheckName, DoctorReport, Finding, Level, SiteAbilities } from './types.ts'
