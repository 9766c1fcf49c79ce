import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

// deploy/nginx.conf, as nginx reads it. It opens the ports that the file names, for which it has to be root.

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
