import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { clientApi } from './client.ts'
import { removedOrNarrowed } from './compare.ts'
import { description } from './routes.ts'

/*
 * npm run openapi: writes the types of the client, src/client/api.ts, with the copy that the page has, and says what the description of this version removes
 * or narrows of the last release's, which is kept in docs/openapi.json. With --release, as a release does, writes that too.
 */
const kept = new URL('../../docs/openapi.json', import.meta.url)
const now = JSON.parse(JSON.stringify(description()))
const api = new URL('../../src/client/api.ts', import.meta.url)
writeFileSync(api, clientApi(now))
copyFileSync(api, new URL('../../dashboard/src/api/schema.ts', import.meta.url))
if (process.argv.includes('--release')) writeFileSync(kept, `${JSON.stringify(now, null, 1)}\n`)
const breaches = removedOrNarrowed(JSON.parse(readFileSync(kept, 'utf8')), now)
for (const breach of breaches) console.log(breach)
if (breaches.length > 0) process.exitCode = 1
