import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { filesOf, lackingFor, type TierName, tierNames } from './test/support/tiers.ts'
import { configuredWordPresses } from './test/support/wordpress/configured.ts'

type Options = TestProjectInlineConfiguration['test']

/** A report holds no more of a failure than its message: that has to say what was there instead. */
const chaiConfig = { truncateThreshold: 1_000 }

/** Far beyond what they take, alone or beside others: a slow or busy machine is no fault. Playwright waits as long. */
const patient = { expect: { poll: { timeout: 120_000 } }, testTimeout: 240_000, hookTimeout: 240_000 }

// Each project sets up what its own files need, and nothing where none of them runs.
const database = 'test/support/database/global-setup.ts'
const wordpress = 'test/support/wordpress/global-setup.ts'

/** More than processors: a good part of them waits, for a database or a process. */
const withDatabase = { ...patient, globalSetup: [database], maxWorkers: 3 }

/**
 * One file at a time for each WordPress: a file may count what is on the site. WASM has one thread, so there are two of
 * them, each with a worker of its own (test/support/wordpress/index.ts).
 */
const withWordPress = {
  ...patient,
  // what is looked for is mostly on the site, which a look keeps busy for 20 ms
  expect: { poll: { timeout: 120_000, interval: 200 } },
  globalSetup: [database, wordpress],
  maxWorkers: process.env.GALLEY_TEST_WORDPRESS ? configuredWordPresses().length : 2,
}

const options: Record<TierName, Options> = {
  pure: { ...patient, maxWorkers: 2 },
  db: withDatabase,
  'end-to-end': { ...withWordPress, maxWorkers: 1 },
  slow: withDatabase,
  wordpress: withWordPress,
  browser: { ...withDatabase, maxWorkers: 2 },
  'wordpress-browser': withWordPress,
  system: withDatabase,
  faults: withWordPress,
  hostile: withDatabase,
}

/**
 * Tiers whose files are one project, with the options of the first: `GALLEY_TEST_TOGETHER=slow,hostile`. They share workers and
 * what these have loaded, and none waits for the last file of another. A semicolon begins another project.
 */
const together = process.env.GALLEY_TEST_TOGETHER?.split(';').map((names) => names.split(',') as TierName[])
const groups = together ?? tierNames.map((name) => [name])

const projects = groups
  .map((names) => names.filter((name) => lackingFor(name) === undefined))
  .filter((names) => names.length > 0)
  .map((names, groupOrder) => {
    const [first] = names as [TierName]
    // loading the modules anew for every file took two fifths of the time
    const shared = { name: names.join(' + '), chaiConfig, isolate: false, sequence: { groupOrder } }
    return { test: { ...shared, ...filesOf(names), ...options[first] } }
  })

export default defineConfig({ test: { projects } })
