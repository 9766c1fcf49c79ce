import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** Where `npm run dashboard` finds a Galley. */
const galley = process.env.GALLEY_URL ?? 'http://127.0.0.1:8080'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** What DataViews keeps for itself. */
const dataviews = (file: string) =>
  here(`../node_modules/@wordpress/dataviews/build-module/components/${file}`)

export default defineConfig({
  root: here('.'),
  base: '/',
  resolve: {
    // moment-timezone brings every zone there ever was, 28 KB compressed. Times are shown by Intl, which knows them already.
    alias: [
      { find: /^\.\/data\/packed\/latest\.json$/, replacement: here('zones.json') },
      { find: '@use-gesture/react', replacement: here('no-drag.ts') },
      // The menu of each row of a table: ours is one only when it is opened.
      {
        find: /^\.\.\/\.\.\/dataviews-item-actions\/index\.mjs$/,
        replacement: here('src/components/table/item-actions.tsx'),
      },
      {
        find: '@wordpress/dataviews/item-actions',
        replacement: dataviews('dataviews-item-actions/index.mjs'),
      },
      // The header of each column: ours is a menu only when it is opened.
      {
        find: /^\.\/column-header-menu\.mjs$/,
        replacement: here('src/components/table/column-header.tsx'),
      },
      {
        find: '@wordpress/dataviews/column-header-menu',
        replacement: dataviews('dataviews-layouts/table/column-header-menu.mjs'),
      },
      // Its columns and rows: ours are drawn anew only when they show something else.
      { find: /^\.\/table\/index\.mjs$/, replacement: here('src/components/table/memoized-table.tsx') },
      {
        find: '@wordpress/dataviews/table-layout',
        replacement: dataviews('dataviews-layouts/table/index.mjs'),
      },
      { find: '@wordpress/dataviews/context', replacement: dataviews('dataviews-context/index.mjs') },
      // The box of each row: ours is made of elements.
      {
        find: /^\.\.\/\.\.\/dataviews-selection-checkbox\/index\.mjs$/,
        replacement: here('src/components/table/row-checkbox.tsx'),
      },
    ],
  },
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
            { name: 'app', test: /dashboard\/src\/(app|data)\/(?!app\.tsx)|@tanstack/, priority: 1 },
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
