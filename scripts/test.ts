// npm test: what needs a few minutes and nothing but npm. npm run test:all: everything that this machine can run. Both say
// at their end what they did not run. Options are vitest's own; one that names a project runs that one alone.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { everyday, lackingFor, type TierName, tierNames, tiers } from '../test/support/tiers.ts'

const given = process.argv.slice(2)
const all = given.includes('--all')
const passedOn = given.filter((word) => word !== '--all')
const ownChoice = passedOn.some((word) => word.startsWith('--project'))

const wanted: TierName[] = all ? tierNames.filter((name) => lackingFor(name) === undefined) : everyday
const projects = ownChoice ? [] : wanted.flatMap((name) => ['--project', name])
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', ...projects, ...passedOn], {
  stdio: 'inherit',
})

if (!ownChoice) sayWhatWasNotRun()
process.exitCode = status ?? 1

function sayWhatWasNotRun(): void {
  const left = tierNames.filter((name) => !wanted.includes(name))
  if (left.length === 0) return
  console.log('\nNot run:')
  for (const name of left) {
    const lacking = lackingFor(name)
    console.log(
      `  ${name.padEnd(17)} ${tiers[name].what}${lacking === undefined ? '' : ` (not here: ${lacking})`}`,
    )
  }
  if (!all)
    console.log('npm run test:all runs all that this machine can; npx vitest run --project NAME one of them.')
}
