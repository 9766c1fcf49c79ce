import { defineConfig } from 'vitest/config'

/** Tests that speak to a running WordPress; `.ci/run` repeats them on every supported version. */
const onWordPress = [
  'test/wordpress/**/*.test.ts',
  'test/delivery/**/*.test.ts',
  'test/end-to-end/**/*.test.ts',
  'test/**/*.wordpress.test.ts',
]

export default defineConfig({
  test: {
    // once a run, for both projects
    globalSetup: ['test/support/global-setup-tree.ts', 'test/support/database/global-setup.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: onWordPress,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'wordpress',
          include: onWordPress,
          globalSetup: ['test/support/global-setup-wordpress.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // one WordPress for all of them: a file may count what is on the site, and WASM has one thread anyway
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
