export type { CheckName, DoctorReport, Finding } from './report.ts'
export { findRegressions } from './report.ts'
export { runChecks } from './run-checks.ts'
