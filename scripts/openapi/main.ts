import { readFileSync, writeFileSync } from 'node:fs'
import { removedOrNarrowed } from './compare.ts'
import { description } from './routes.ts'

/*
 * npm run openapi: says what the description of this version removes or narrows of the last release's, which is kept in
 * docs/openapi.json; with --release, as a release does, writes the new one there.
 */
const kept = new URL('../../docs/openapi.json', import.meta.url)
const now = JSON.parse(JSON.stringify(description()))
const breaches = removedOrNarrowed(JSON.parse(readFileSync(kept, 'utf8')), now)
for (const breach of breaches) console.log(breach)
if (process.argv.includes('--release')) writeFileSync(kept, `${JSON.stringify(now, null, 1)}\n`)
else if (breaches.length > 0) process.exitCode = 1
