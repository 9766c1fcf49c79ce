import { mkdirSync, writeFileSync } from 'node:fs'
import { clientApi } from './client.ts'
import { description } from './routes.ts'

/*
 * npm run openapi prints the description of the API, as /openapi.json answers it. With --types it writes the types of the
 * client instead, src/client/generated.
 */
const json = JSON.stringify(description, null, 2)
if (process.argv.includes('--types')) {
  const folder = new URL('../../src/client/generated/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL('api.ts', folder), clientApi(JSON.parse(json)))
} else {
  // Who reads, `head` perhaps, has enough.
  process.stdout.on('error', () => process.exit())
  process.stdout.write(`${json}\n`)
}
