import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { loadConfig } from '../../src/config/config.ts'
import { createApiKey } from '../../src/secrets/keyring.ts'
import { startTestGalley, type TestGalley } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { type Role, wordpress } from '../support/wordpress/index.ts'
import { run } from './world.ts'

// Every example in the help of a command and in docs/cli.md is run on a real service, with ids that are there.

/** Of the installation itself: their own tests run them. */
const elsewhere = ['serve', 'backup', 'restore', 'secrets', 'doctor']

const SITE = '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11'
const OTHER = '018f2c5e-7b1a-7c3d-9e4f-5a6b7c8d9e0f'

/** A second site, which is paused: what is made for it stays as it is. */
const PAUSED = '7d1e4f6b-9d1e-4f6b-8a59-2f6d0e0f7b11'

const key = createApiKey()
let galley: TestGalley
let pool: Pool
let folder: string
beforeAll(async () => {
  const { providers } = loadConfig({
    GALLEY_AI_URL: 'http://127.0.0.1:9/v1',
    GALLEY_AI_KEY: 'x',
    GALLEY_AI_MODEL: 'x',
  })
  galley = await startTestGalley({ adminKey: key, providers })
  pool = new Pool({ connectionString: galley.connectionString, max: 1 })
  folder = await mkdtemp(join(tmpdir(), 'galley-examples-'))
  const { url, users } = wordpress()
  await writeFile(join(folder, 'password.txt'), users.editor.applicationPassword)
  await writeFile(join(folder, 'article.json'), JSON.stringify(completed({ siteId: SITE })))
  await writeFile(join(folder, 'post.md'), '# Tides\n\nThe **sea** rises.')
  await writeFile(join(folder, 'request.json'), '{"prompt": "How tides come about"}')
  const { login, applicationPassword } = users.editor
  await writeFile(
    join(folder, 'sites.csv'),
    `url,username,application_password\n${url},${login},${applicationPassword}\n`,
  )
  await connect(SITE, 'editor', ['news'])
  await connect(PAUSED, 'author', [])
  await galley.call('POST', `/v1/sites/${PAUSED}/pause`, {})
})
afterAll(async () => {
  await pool.end()
  await galley.stop()
  await rm(folder, { recursive: true })
})

async function connect(id: string, role: Role, labels: string[]): Promise<void> {
  const { url, users } = wordpress()
  const { login: username, applicationPassword } = users[role]
  const body = { id, url, username, application_password: applicationPassword, labels }
  expect((await galley.call('POST', '/v1/sites?check=false', body)).status).toBe(201)
}

/** As a shell divides it, for what examples have. */
const words = (line: string): string[] =>
  [...line.replace(/ > \S+$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? (plain as string),
  )

async function inHelp(): Promise<string[]> {
  const names = Object.keys(commands).filter((name) => !elsewhere.includes(name))
  const helps = await Promise.all(names.map((name) => run([name, '--help'])))
  const below = await Promise.all(
    names.flatMap((name, n) =>
      [...(helps[n]?.out.split('\nCommands:\n')[1] ?? '').matchAll(/^ {2}([a-z]+)/gm)].map(([, child]) =>
        run([name, child as string, '--help']),
      ),
    ),
  )
  return [...helps, ...below].flatMap(({ out }) =>
    [...out.matchAll(/^ {2}(galley .*)$/gm)].map(([, line]) => line as string),
  )
}

async function inPage(): Promise<string[]> {
  const page = await readFile('docs/cli.md', 'utf8')
  return [...page.matchAll(/^galley .*$/gm)]
    .map(([line]) => line)
    .filter((line) => !elsewhere.includes(words(line)[1] as string))
}

/** What an example finds there: made for it, so that examples do not depend on each other. */
async function idFor(room: string | undefined, verb: string | undefined): Promise<string> {
  if (room === 'sources') return made('/v1/sources', { name: 'x' })
  if (room === 'keys') return made('/v1/keys', { name: 'x' })
  if (room === 'bulk') return made('/v1/bulk', { action: 'check', filter: {}, dry_run: true })
  if (room === 'imports') {
    const { out } = await asked(['imports', 'create', join(folder, 'sites.csv'), '--json'])
    return JSON.parse(out).data.id
  }
  if (room === 'jobs') return made('/v1/image/create', { prompt: 'A harbour at low water' })
  const body = { id: crypto.randomUUID(), data: completed().data, site_ids: [PAUSED] }
  const { data } = (await galley.call<{ data: { id: string }[] }>('POST', '/v1/deliveries', body)).body
  const id = data[0]?.id as string
  // As a worker would have left it.
  const error = {
    code: 'post_trashed',
    message: 'The post is in the trash.',
    step: 'fill',
    action: 'owner',
    fault: 'delivery',
  }
  if (verb === 'release')
    await pool.query(`UPDATE delivery SET status = 'held', due_at = NULL, error = $2 WHERE id = $1`, [
      id,
      error,
    ])
  if (verb === 'withdraw')
    await pool.query(`UPDATE delivery SET post_id = 1, post_type = 'posts' WHERE id = $1`, [id])
  if (verb === 'undo')
    await pool.query(
      `UPDATE delivery SET status = 'delivered', due_at = NULL, post_id = 1, post_type = 'posts', answered = '{}',
         replaced = jsonb_build_object('eventId', wanted_event_id), undo_until = now() + interval '1 hour' WHERE id = $1`,
      [id],
    )
  if (verb === 'watch')
    await pool.query(`UPDATE delivery SET status = 'delivered', due_at = NULL WHERE id = $1`, [id])
  return id
}

const asked = (args: string[]) => run(args, { env: { GALLEY_URL: galley.url, GALLEY_KEY: key } })

const made = async (path: string, body: object): Promise<string> =>
  (await galley.call<{ id: string }>('POST', path, body)).body.id

/** The one that is retried is of the site that is paused. */
const waits = (line: string): string => line.replace(/^(galley deliveries .*) --watch/, '$1')

test('every example of help and of docs/cli.md does what it says', async () => {
  const lines = [...new Set([...(await inHelp()), ...(await inPage())].map(waits))].sort()
  expect(lines.length).toBeGreaterThan(40)
  const failed: string[] = []
  for (const line of lines) {
    const [, ...args] = words(line)
    const id = args.includes(OTHER) ? await idFor(args[0], args[1]) : ''
    const given = args.map((arg) =>
      arg === OTHER
        ? id
        : arg === 'https://example.com'
          ? wordpress().url
          : /\.(json|csv|md|txt)$/.test(arg)
            ? join(folder, arg)
            : arg,
    )
    const { code, out, err } = await asked(given)
    // The site of the example is connected already.
    const expected = line.startsWith('galley sites add') ? 6 : 0
    if (code !== expected || (expected === 0 && out === ''))
      failed.push(`${line}: ${code} ${err}${out.slice(0, 300)}`)
  }
  expect(failed).toEqual([])
})
