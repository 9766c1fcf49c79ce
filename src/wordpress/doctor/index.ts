export { whatGotWorse } from './regressions.ts'
export { runChecks } from './run-checks.ts'
export type { CheckName, DoctorReport, Finding } from './types.ts'
