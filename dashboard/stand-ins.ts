import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const ours = (name: string) => here(`src/stand-ins/${name}`)
const table = (name: string) => here(`src/components/table/${name}`)

const DATAVIEWS = '@wordpress/dataviews/build-module'
const LAYOUTS = `${DATAVIEWS}/components/dataviews-layouts`
const NO_TYPE = here(`../node_modules/${DATAVIEWS}/field-types/no-type.mjs`)

interface StandIn {
  /** What is imported, as it is written. */
  of: string
  /** By modules whose paths begin with this. */
  in: string
  /** The path of what they get. */
  by: string
}

/**
 * What modules of packages get in place of what they import: DataViews imports all that its tables may be, with forms, calendars and a
 * palette of colours, of which the page uses a small part, and a browser would run the whole before the first row.
 */
const standIns: StandIn[] = [
  // Columns and rows: ours are drawn anew only when they show something else.
  { of: './table/index.mjs', in: `${LAYOUTS}/index.mjs`, by: table('memoized-table.tsx') },
  // Filters: ours too.
  {
    of: './filters.mjs',
    in: `${DATAVIEWS}/components/dataviews-filters/`,
    by: table('memoized-filters.tsx'),
  },
  // The menu of a row and that of a column: ours are menus only when they are opened.
  { of: '../../dataviews-item-actions/index.mjs', in: `${LAYOUTS}/`, by: table('item-actions.tsx') },
  { of: './column-header-menu.mjs', in: `${LAYOUTS}/table/`, by: table('column-header.tsx') },
  // And how a table looks, which is two of them.
  {
    of: '../components/dataviews-view-config/index.mjs',
    in: `${DATAVIEWS}/dataviews/`,
    by: table('view-config.tsx'),
  },
  // All filters are seen always: none is added, and nothing shows and hides them.
  ...['./add-filter.mjs', './toggle.mjs'].map((of) => ({
    of,
    in: `${DATAVIEWS}/components/dataviews-filters/`,
    by: ours('nothing.ts'),
  })),
  // The box of a row: ours is made of elements.
  { of: '../../dataviews-selection-checkbox/index.mjs', in: `${LAYOUTS}/`, by: table('row-checkbox.tsx') },
  // Layouts that the page does not offer.
  ...['activity', 'picker-activity', 'picker-grid', 'picker-table'].map((layout) => ({
    of: `./${layout}/index.mjs`,
    in: `${LAYOUTS}/index.mjs`,
    by: ours('nothing.ts'),
  })),
  // Rows are not edited in a table. Their fields have no types: what they show is drawn by us, and filtered by Galley.
  {
    of: '../components/dataform-controls/index.mjs',
    in: `${DATAVIEWS}/field-types/`,
    by: ours('no-controls.ts'),
  },
  ...[
    'array',
    'boolean',
    'color',
    'date',
    'datetime',
    'email',
    'integer',
    'media',
    'number',
    'password',
    'telephone',
    'text',
    'time',
    'url',
  ].map((type) => ({ of: `./${type}.mjs`, in: `${DATAVIEWS}/field-types/index.mjs`, by: NO_TYPE })),
  {
    of: '../field-types/utils/parse-time.mjs',
    in: `${DATAVIEWS}/utils/operators.mjs`,
    by: ours('no-time.ts'),
  },
  { of: '@wordpress/date', in: `${DATAVIEWS}/utils/operators.mjs`, by: ours('date.ts') },
  ...['bulk-actions', 'item-actions', 'layouts/list'].map((module) => ({
    of: '@wordpress/data',
    in: `${DATAVIEWS}/components/dataviews-${module}/`,
    by: ours('data.ts'),
  })),
  { of: '@use-gesture/react', in: '@wordpress/components/build-module/', by: ours('no-drag.ts') },
  {
    of: '@floating-ui/react-dom',
    in: '@wordpress/components/build-module/popover/',
    by: ours('floating.ts'),
  },
  { of: 'framer-motion', in: '@wordpress/components/build-module/popover/', by: ours('motion.tsx') },
  {
    of: '../utils/theme-provider.mjs',
    in: '@wordpress/ui/build-module/tooltip/',
    by: ours('theme-provider.tsx'),
  },
]

/** Puts the stand-ins in their places. One that nothing imports any more ends the build. */
export function withStandIns(): Plugin {
  const used = new Set<StandIn>()
  return {
    name: 'stand-ins',
    enforce: 'pre',
    resolveId(source, importer) {
      const found = standIns.find((one) => one.of === source && importer?.includes(`/node_modules/${one.in}`))
      if (found) used.add(found)
      return found?.by
    },
    generateBundle() {
      const unused = standIns.filter((one) => !used.has(one))
      if (unused.length > 0)
        this.error(
          `Take these out of stand-ins.ts, nothing imports them: ${unused.map(({ of }) => of).join(', ')}`,
        )
    },
  }
}
