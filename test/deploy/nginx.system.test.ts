import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/app.ts'
import { completed } from '../support/webhooks.ts'

// deploy/nginx.conf, as nginx reads it, and a Galley behind it. `nginx -t` opens the ports that the file names, for which it
// has to be root.

const run = promisify(execFile)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galley-nginx-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** What `nginx -t` says of these servers, and how it ends. */
async function tried(servers: string): Promise<{ code: number; said: string }> {
  const file = join(folder, 'nginx.conf')
  await writeFile(file, `pid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${servers}}\n`)
  const args = ['-t', '-c', file, '-e', join(folder, 'log')]
  return run('/usr/sbin/nginx', args).then(
    ({ stderr }) => ({ code: 0, said: stderr }),
    ({ code, stderr }) => ({ code, said: stderr }),
  )
}

/** The file with a certificate where it looks for one, and without IPv6 where there is none. */
async function ours(): Promise<string> {
  const [key, certificate] = [join(folder, 'privkey.pem'), join(folder, 'fullchain.pem')]
  const made = ['-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=galley.example.com', '-days', '1']
  await run('openssl', ['req', '-x509', ...made, '-keyout', key, '-out', certificate])
  const text = await readFile(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8')
  const here = text.replaceAll('/etc/letsencrypt/live/galley.example.com', folder)
  return existsSync('/proc/net/if_inet6') ? here : here.replaceAll(/^ *listen \[::\].*\n/gm, '')
}

test('nginx takes the file, and would not take it with a word misspelled', async () => {
  const file = await ours()
  const taken = await tried(file)
  expect(taken).toMatchObject({ code: 0, said: expect.stringContaining('test is successful') })
  expect(await tried(file.replace('proxy_read_timeout', 'proxy_read_time'))).toMatchObject({
    code: 1,
    said: expect.stringContaining('unknown directive'),
  })
})

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

/** Runs nginx with the file, in front of a Galley. @returns the address that nginx serves at, and what stops it */
async function startNginx(galley: string): Promise<{ url: string; stop(): Promise<void> }> {
  const [plain, tls] = [await freePort(), await freePort()]
  const servers = (await ours())
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${tls} ssl`)
    .replace('server 127.0.0.1:8080;', `server ${new URL(galley).host};`)
  const file = join(folder, 'running.conf')
  // One process: all requests share its connections to Galley.
  const main = `user root; worker_processes 1; daemon off; pid ${folder}/running.pid; error_log ${folder}/running.log;`
  await writeFile(file, `${main} events {} http { client_body_temp_path ${folder}/bodies;\n${servers}}\n`)
  const nginx = spawn('/usr/sbin/nginx', ['-c', file, '-e', join(folder, 'log')])
  const ended = once(nginx, 'exit')
  const url = `https://127.0.0.1:${tls}`
  await expect.poll(() => send(`${url}/healthz`, 'GET').catch(() => 0)).toBe(200)
  return {
    url,
    async stop() {
      nginx.kill('SIGTERM')
      await ended
    },
  }
}

const client = new Agent({ connect: { rejectUnauthorized: false } })
afterAll(() => client.close())

/** @returns the status of the answer */
async function send(
  url: string,
  method: 'GET' | 'POST' | 'PUT',
  body: Buffer | string | null = null,
  headers: Record<string, string> = {},
): Promise<number> {
  const answer = await request(url, { method, body, headers, dispatcher: client })
  await answer.body.dump()
  return answer.statusCode
}

const MIB = 1024 * 1024

/** What unpacks to 300 MiB: the limit is passed when most of it has not been read. */
const bomb = Buffer.concat(Array.from({ length: 30 }, () => gzipSync(Buffer.alloc(10 * MIB))))
/** Larger than what the system holds for a connection, and smaller than a webhook may be. */
const large = randomBytes(9 * MIB)
const tooLarge = randomBytes(11 * MIB)
const json = { 'content-type': 'application/json' }

test('a refusal in mid-body costs the next request on its connection nothing', async () => {
  const app: TestApp = await startApp()
  const nginx = await startNginx(app.url)
  const webhook = async (name: string) => {
    const { body } = await app.ask('POST', '/v1/sources', { body: { name } })
    return nginx.url + new URL(body.data.url).pathname
  }
  const [ours, others] = [await webhook('Ours'), await webhook('Others')]
  const v1 = (path: string) => `${nginx.url}/v1/${path}`
  const key = { ...json, 'x-api-key': app.owner.key }
  const corrupt = Buffer.concat([gzipSync('{}').subarray(0, 12), large])

  const refusals: [what: string, status: number, refuse: () => Promise<number>][] = [
    ['a gzip bomb', 413, () => send(ours, 'POST', bomb, { 'content-encoding': 'gzip' })],
    ['more bytes than may be', 413, () => send(ours, 'POST', tooLarge)],
    ['more bytes than a call takes', 413, () => send(v1('sites'), 'POST', large, key)],
    ['a body that is not gzip', 400, () => send(ours, 'POST', corrupt, { 'content-encoding': 'gzip' })],
    ['a body that is not brotli', 400, () => send(ours, 'POST', large, { 'content-encoding': 'br' })],
    ['a compression that is not read', 415, () => send(ours, 'POST', large, { 'content-encoding': 'zstd' })],
    [
      'a type that is not read',
      415,
      () => send(v1('sites'), 'POST', large, { ...key, 'content-type': 'a/b' }),
    ],
    ['no key', 401, () => send(v1('sites'), 'POST', large, json)],
    ['an unknown sender', 404, () => send(v1(`webhooks/${'x'.repeat(43)}`), 'POST', large)],
    ['an unknown address', 404, () => send(v1('nothing'), 'POST', large, key)],
    ['a method that is not there', 405, () => send(ours, 'PUT', large)],
    ['values of the wrong kind', 422, () => send(v1('sites'), 'POST', `[${'1,'.repeat(MIB / 3)}1]`, key)],
    [
      'no memory for it',
      503,
      async () => {
        const { webhooks } = app.budget
        const taken = webhooks.tryTake(webhooks.size - webhooks.held)
        const status = await send(ours, 'POST', large)
        taken?.release()
        return status
      },
    ],
  ]
  const came: unknown[] = []
  const next = () => send(others, 'POST', JSON.stringify(completed()), json)
  for (const [what, , refuse] of refusals)
    for (let turn = 0; turn < 3; turn += 1) came.push([what, await refuse(), await next(), await next()])
  expect(came).toEqual(refusals.flatMap(([what, status]) => Array(3).fill([what, status, 202, 202])))
  await nginx.stop()
  await app.stop()
})
