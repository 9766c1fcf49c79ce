import { createHmac, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { pino } from 'pino'
import { startGalley } from '../../src/app/galley.ts'
import { loadConfig } from '../../src/config/config.ts'
import { createApiKey, generateSecretKey } from '../../src/secrets/keyring.ts'
import { testSettings } from '../support/settings.ts'

// Prints the source files in which a webhook, and the read of a delivery, run a function. A program of its own, since vitest
// turns each use of an import into a function of the module that exports it.

const [, , connectionString] = process.argv
const key = createApiKey()
const config = loadConfig({
  ...testSettings,
  DATABASE_URL: connectionString,
  GALLEY_SECRET_KEYS: generateSecretKey(),
  GALLEY_ADMIN_KEY: key,
  GALLEY_ROLE: 'web',
})
const galley = await startGalley(config, pino({ level: 'info' }, { write: () => undefined }))

async function call(method: string, path: string, body?: object, secret?: string) {
  const text = body && JSON.stringify(body)
  const signature = secret && text && createHmac('sha256', secret).update(text).digest('hex')
  const response = await fetch(`${galley.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(signature && { 'x-signature-256': `sha256=${signature}` }),
    },
    ...(text && { body: text }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  const answer = (await response.json()) as { data: { id: string; url: string }[] & { url: string } }
  // What follows an answer, such as its line in the log, belongs to it.
  await new Promise((resolve) => setTimeout(resolve, 50))
  return answer
}

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/** The files of `src` in which a function ran since this was last asked. */
async function filesRun(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const src = fileURLToPath(new URL('../../src/', import.meta.url))
  return (
    result
      .filter(({ functions }) => functions.some(({ ranges: [whole] }) => (whole?.count ?? 0) > 0))
      .filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(src))
      // Which blocks' folders run depends on the document.
      .filter(({ url }) => !/\/src\/blocks\/[^/]+\//.test(url))
      .map(
        ({ url, functions }) =>
          fileURLToPath(url).slice(src.length) +
          (process.env.FN
            ? ': ' +
              functions
                .filter(({ ranges: [w] }) => (w?.count ?? 0) > 0)
                .map((f) => f.functionName || '-')
                .join(' ')
            : ''),
      )
  )
}

/** Of three warm requests those that each ran: what a timer runs in between is in none of the others. */
async function way(request: () => Promise<unknown>): Promise<string[]> {
  const runs: string[][] = []
  for (let warm = 0; warm < 4; warm += 1) {
    await filesRun()
    await request()
    runs.push(await filesRun())
  }
  const [first = [], ...others] = runs.slice(1)
  return first.filter((file) => others.every((run) => run.includes(file))).sort()
}

const siteId = randomUUID()
const client = new Client({ connectionString })
await client.connect()
await client.query(
  `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
   SELECT $1, id, 'A site', 'https://site.example', 'https://site.example/wp-json/', 'editor', 'sealed', now() FROM account`,
  [siteId],
)
await client.end()

const SECRET = 'a secret of both, at least 16 long'

/** A document that has every kind of block, as a new one each time. */
const sample = JSON.parse(await readFile('demo/sample.json', 'utf8'))
const newWebhook = () => ({ ...sample, id: randomUUID(), delivery: { id: siteId, post_status: 'draft' } })

const { data: source } = await call('POST', '/v1/sources', { name: 'Upstream', signing_secret: SECRET })
const webhook = await way(() => call('POST', new URL(source.url).pathname, newWebhook(), SECRET))
const { data: deliveries } = await call('GET', '/v1/deliveries')
const read = await way(() => call('GET', `/v1/deliveries/${deliveries[0]?.id}`))
process.stdout.write(JSON.stringify({ webhook, read }))
await galley.stop()
