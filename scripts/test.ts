// npm test: what needs a few minutes and nothing but npm. npm run test:all: everything that this machine can run. Both say
// at their end what they did not run. Options are vitest's own; where one names a project, that one is run alone.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { everyday, lackingFor, type TierName, tierNames, tiers } from '../test/support/tiers.ts'

const given = process.argv.slice(2)
const all = given.includes('--all')
const passedOn = given.filter((word) => word !== '--all')
const ownChoice = passedOn.some((word) => word.startsWith('--project'))

const wanted: TierName[] = all ? tierNames.filter((name) => lackingFor(name) === undefined) : everyday
/** Those that need no more than a database share workers, which load the source once. */
const groups = ['db,pure', ...wanted.filter((name) => name !== 'db' && name !== 'pure')]
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', ...passedOn], {
  stdio: 'inherit',
  env: {
    ...process.env,
    ...(!ownChoice && { GALLEY_TEST_TOGETHER: groups.join(';') }),
    ...(all && (await runningWordPress())),
  },
})

if (!ownChoice) printSkippedTiers()
process.exitCode = status ?? 1

/** Names the newest WordPress that `scripts/wordpress/up` runs here, which is quicker than one in WebAssembly. */
async function runningWordPress(): Promise<NodeJS.ProcessEnv> {
  if (process.env.GALLEY_TEST_WORDPRESS) return {}
  const home = process.env.WORDPRESS_HOME ?? '/srv/wordpress'
  for (const root of ['7.1', '6.8', '6.1'].map((version) => join(home, version))) {
    const description = `${root}.json`
    if (!existsSync(description)) continue
    const { url } = JSON.parse(readFileSync(description, 'utf8'))
    const answers = await fetch(url, { signal: AbortSignal.timeout(10_000) }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (answers) return { GALLEY_TEST_WORDPRESS: description, GALLEY_TEST_WORDPRESS_ROOT: root }
  }
  return {}
}

function printSkippedTiers(): void {
  const skipped = tierNames.filter((name) => !wanted.includes(name))
  if (skipped.length === 0) return
  console.log('\nNot run:')
  for (const name of skipped) {
    const lacking = lackingFor(name)
    console.log(
      `  ${name.padEnd(17)} ${tiers[name].what}${lacking === undefined ? '' : ` (not here: ${lacking})`}`,
    )
  }
  if (!all)
    console.log('npm run test:all runs all that this machine can; npx vitest run --project NAME one of them.')
}
