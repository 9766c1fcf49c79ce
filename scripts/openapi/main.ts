import { writeFileSync } from 'node:fs'
import { clientApi } from './client.ts'
import { description } from './routes.ts'

/*
 * npm run openapi prints the description of the API, as /openapi.json answers it. With --types it writes the types of the
 * client instead, src/client/api.ts.
 */
const json = JSON.stringify(description(), null, 2)
if (process.argv.includes('--types'))
  writeFileSync(new URL('../../src/client/api.ts', import.meta.url), clientApi(JSON.parse(json)))
else process.stdout.write(`${json}\n`)
