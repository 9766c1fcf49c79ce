export { TESTED_VERSIONS } from './checks/version.ts'
export { type Examination, examine } from './examine.ts'
export { whatGotWorse } from './regressions.ts'
export type { CheckName, DoctorReport, Finding, Level, SiteAbilities } from './types.ts'
