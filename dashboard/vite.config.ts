import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** Where `npm run dashboard` finds a Galley. */
const galley = process.env.GALLEY_URL ?? 'http://127.0.0.1:8080'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  base: '/',
  build: {
    outDir: here('../dist/dashboard'),
    emptyOutDir: true,
    // What `css` and `js` may be used follows from these; all of them are of 2023.
    target: ['chrome114', 'edge114', 'firefox115', 'safari17'],
    // The policy takes no script that stands in the page, and pictures are kept by name like the rest.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Which file needs which: the budgets are of what a view loads (test/dashboard/budgets.test.ts).
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 3_000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Each file costs a slow processor some milliseconds, however small it is: what is always loaded together, and what
          // many views share, are a file each.
          groups: [
            { name: 'sign-in', tags: ['$initial'], test: /(?<!main\.tsx|index\.html)$/, priority: 2 },
            {
              name: 'app',
              test: /dashboard\/src\/(app|data)\/(?!app\.tsx)|@tanstack\/(?!react-table|table-core)/,
              priority: 1,
            },
            { name: 'shared', test: /dashboard\/src\/components/, minShareCount: 4 },
          ],
        },
      },
      onLog(level, log, say) {
        // Packages say so for servers that render; there is none.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') say(level, log)
      },
    },
  },
  server: { proxy: { '/v1': galley, '/files': galley, '/styles': galley, '/docs': galley } },
})
