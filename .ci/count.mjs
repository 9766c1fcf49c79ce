// Adds up vitest's JSON reports and prints `N passed, N failed`. Fails where any test failed or was skipped, where
// a run has no report or no test, and where there is no run.
import { readFileSync } from 'node:fs'

const reports = process.argv.slice(2).map((file) => ({ file, ...JSON.parse(readFileSync(file, 'utf8')) }))
const sum = (field) => reports.reduce((total, report) => total + report[field], 0)
const passed = sum('numPassedTests')
const notRun = sum('numPendingTests') + sum('numTodoTests')
const empty = reports.filter((report) => report.numTotalTests === 0)
// a file that cannot be loaded has no tests that could fail
const broken = sum('numFailedTestSuites')
const failed = sum('numFailedTests')

for (const { file } of empty) console.log(`No test ran: ${file}`)
if (notRun > 0) console.log(`${notRun} not run`)
if (broken > 0) console.log(`${broken} files or groups failed`)
console.log(`${passed} passed, ${failed} failed`)
const good = reports.length > 0 && failed === 0 && broken === 0 && notRun === 0 && empty.length === 0
process.exit(good ? 0 : 1)
