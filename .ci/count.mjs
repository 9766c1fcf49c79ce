// Adds up vitest's JSON reports: the slowest files, every failed test with the first lines of its error (few, so that
// all of them fit where only the end of an output is kept), then `N passed, N failed`. Fails where any test failed or was
// skipped, where a run has no report or no test, and where there is no run.
import { readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'

const reports = process.argv.slice(2).map((file) => ({
  run: basename(file, '.json'),
  ...JSON.parse(readFileSync(file, 'utf8')),
}))
const sum = (field) => reports.reduce((total, report) => total + report[field], 0)
const passed = sum('numPassedTests')
const notRun = sum('numPendingTests') + sum('numTodoTests')
const empty = reports.filter((report) => report.numTotalTests === 0)

const files = reports.flatMap(({ run, testResults }) =>
  testResults.map((file) => ({
    ...file,
    title: `${run}: ${relative(process.cwd(), file.name)}`,
    seconds: Math.round((file.endTime - file.startTime) / 1000),
  })),
)
const start = (message = '') => message.split('\n').slice(0, 5).join('\n    ').slice(0, 600)

console.log('The slowest files:')
for (const { seconds, title } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 8))
  console.log(`  ${seconds} s  ${title}`)

for (const { title, status, message, assertionResults } of files) {
  const failures = assertionResults.filter((test) => test.status === 'failed')
  for (const test of failures)
    console.log(`FAILED ${title}\n  ${test.fullName}\n    ${start(test.failureMessages[0])}`)
  // a file that cannot be loaded has no tests that could fail
  if (status === 'failed' && failures.length === 0) console.log(`FAILED ${title}\n    ${start(message)}`)
}

const broken = files.filter(({ status }) => status === 'failed').length
const failed = sum('numFailedTests')
for (const { run } of empty) console.log(`No test ran: ${run}`)
if (notRun > 0) console.log(`${notRun} not run`)
if (broken > 0) console.log(`${broken} files failed`)
console.log(`${passed} passed, ${failed} failed`)
const good = reports.length > 0 && failed === 0 && broken === 0 && notRun === 0 && empty.length === 0
process.exit(good ? 0 : 1)
