import { readFileSync, writeFileSync } from 'node:fs'
import { withGeneratedParts } from './pages.ts'

/* npm run documents writes what the definitions of blocks say into docs/documents.md. */
const page = new URL('../../docs/documents.md', import.meta.url)
writeFileSync(page, withGeneratedParts(readFileSync(page, 'utf8')))
