import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** The Galley behind `npm run dashboard`. */
const galley = process.env.GALLEY_URL ?? 'http://127.0.0.1:8080'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  base: '/',
  build: {
    outDir: here('../dist/dashboard'),
    emptyOutDir: true,
    // The oldest supported browsers, all of 2023.
    target: ['chrome114', 'edge114', 'firefox115', 'safari17'],
    // The policy allows no inline scripts; pictures are files with a hash, like the rest.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // test/dashboard/budgets.test.ts reads which files a view loads.
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 3_000,
    rolldownOptions: {
      output: {
        // The pages for owners name them too (src/pages/page.ts).
        assetFileNames: ({ names }) =>
          names[0]?.endsWith('.woff2') ? 'assets/[name][extname]' : 'assets/[name]-[hash][extname]',
        codeSplitting: {
          // Each file costs a slow processor some milliseconds. Modules that always load together are one file, and so are those
          // that many views share.
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
        // 'use client' directives: there is no server rendering.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') say(level, log)
      },
    },
  },
  // What a worker needs of a package is a file of its own.
  worker: { format: 'es' },
  server: { proxy: { '/v1': galley, '/files': galley, '/styles': galley, '/docs': galley } },
})
