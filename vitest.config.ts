import { defineConfig } from 'vitest/config'
import { namedWordPresses } from './test/support/wordpress/named.ts'

/** Tests that speak to a running WordPress; `.ci/run` repeats them on every supported version. */
const onWordPress = [
  'test/wordpress/**/*.test.ts',
  'test/delivery/**/*.test.ts',
  'test/end-to-end/**/*.test.ts',
  'test/**/*.wordpress.test.ts',
  // `npm run test:faults`: minutes, and some of it as root
  ...(process.env.GALLEY_FAULTS === 'long' ? ['test/**/*.long.test.ts'] : []),
]

/** Tests that measure memory, or start and end programs: each in a process of its own. */
const ofPrograms = ['test/{bench,demo,faults,hostile}/**/*.test.ts', 'test/bytes/memory.test.ts']

/** Globs of tests to leave out: `.ci/run` names those of the programs, for which one WordPress is as good as another. */
const without = process.env.GALLEY_TEST_WITHOUT?.split(' ') ?? []

/** Tests that need Debian's nginx and systemd, and root; `.ci/run` sets `GALLEY_TEST_SYSTEM`. */
const onSystem = ['test/**/*.system.test.ts']

/** Tests that need a Chromium; `.ci/run` names it, elsewhere `GALLEY_TEST_CHROMIUM=/usr/bin/chromium npm test` does. */
const inBrowser = ['test/**/*.browser.test.ts']

/** Those of them that have a WordPress in it; the others need none. */
const inBrowserOnWordPress = [
  'test/connect/**/*.browser.test.ts',
  'test/render/**/*.browser.test.ts',
  'test/dashboard/first-run.browser.test.ts',
  'test/dashboard/preview-deliver.browser.test.ts',
  'test/dashboard/edits.browser.test.ts',
  'test/dashboard/moved.browser.test.ts',
]

/** A report holds no more of a failure than its message: that has to say what was there instead. */
const chaiConfig = { truncateThreshold: 1_000 }

/** Far beyond what they take, alone or beside others: a slow or busy machine is no fault. Playwright waits as long. */
const patient = {
  expect: { poll: { timeout: 120_000 } },
  testTimeout: 240_000,
  hookTimeout: 240_000,
}

const withoutWordPress = {
  chaiConfig,
  ...patient,
  // more than processors: a good part of them waits, for a database or a process
  maxWorkers: 4,
  sequence: { groupOrder: 0 },
}

/**
 * One file at a time for each WordPress: a file may count what is on the site. WASM has one thread, so there are two of
 * them, each with a worker of its own (test/support/wordpress/current.ts).
 */
const withWordPress = {
  chaiConfig,
  ...patient,
  globalSetup: ['test/support/global-setup-wordpress.ts'],
  maxWorkers: process.env.GALLEY_TEST_WORDPRESS ? namedWordPresses().length : 2,
  // loading the modules anew for every file took a sixth of the time
  isolate: false,
}

export default defineConfig({
  test: {
    // once a run, for both projects
    globalSetup: ['test/support/global-setup-tree.ts', 'test/support/database/global-setup.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...ofPrograms, ...onWordPress, ...inBrowser, ...onSystem, 'test/**/*.long.test.ts'],
          ...withoutWordPress,
          // loading the modules anew for every file took two fifths of the time
          isolate: false,
        },
      },
      {
        test: {
          name: 'programs',
          include: ofPrograms,
          exclude: [...onWordPress, ...inBrowser, 'test/**/*.long.test.ts'],
          ...withoutWordPress,
        },
      },
      {
        test: {
          name: 'wordpress',
          include: onWordPress,
          exclude: [...inBrowser, ...without],
          ...withWordPress,
          sequence: { groupOrder: 1 },
        },
      },
      ...(process.env.GALLEY_TEST_SYSTEM
        ? [{ test: { name: 'system', include: onSystem, ...withoutWordPress } }]
        : []),
      ...(process.env.GALLEY_TEST_CHROMIUM
        ? [
            {
              test: {
                name: 'dashboard',
                chaiConfig,
                ...patient,
                include: inBrowser,
                exclude: inBrowserOnWordPress,
                maxWorkers: 2,
                sequence: { groupOrder: 2 },
              },
            },
            {
              test: {
                name: 'wordpress-browser',
                include: inBrowserOnWordPress,
                ...withWordPress,
                sequence: { groupOrder: 3 },
              },
            },
          ]
        : []),
    ],
  },
})
