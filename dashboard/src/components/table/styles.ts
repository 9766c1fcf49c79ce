import { loadStyles } from './load-styles.ts'

// No table is there before they are.
await loadStyles()
