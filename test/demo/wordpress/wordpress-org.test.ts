import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { closeServer, listenOnLoopback } from '../../../demo/loopback.ts'
import { downloadWordPress, release } from '../../../demo/wordpress/wordpress-org.ts'

let work: string
const stops: (() => Promise<void>)[] = []

beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'galley-test-download-'))
})

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  await rm(work, { recursive: true })
})

async function site(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  const port = await listenOnLoopback(server)
  stops.push(() => closeServer(server))
  return `http://127.0.0.1:${port}`
}

async function archive(): Promise<Buffer> {
  await mkdir(join(work, 'wordpress'))
  await writeFile(join(work, 'wordpress', 'wp-load.php'), '<?php')
  execFileSync('tar', ['-czf', join(work, 'made.tar.gz'), '-C', work, 'wordpress'])
  return readFile(join(work, 'made.tar.gz'))
}

it('unpacks the archive of the release that is judged against', async () => {
  const bytes = await archive()
  const asked: (string | undefined)[] = []
  const url = await site((request, response) => {
    asked.push(request.url)
    response.end(bytes)
  })
  const tree = await downloadWordPress(work, url)
  expect(await readFile(join(tree, 'wp-load.php'), 'utf8')).toBe('<?php')
  expect(asked).toEqual([`/wordpress-${release}.tar.gz`])
})

it('refuses a page that a network puts in the way', async () => {
  const url = await site((_request, response) => response.end('<html>Please log in to the network</html>'))
  await expect(downloadWordPress(work, url)).rejects.toThrow('answered something else than an archive')
})

it('says which status a refusal had', async () => {
  const url = await site((_request, response) => response.writeHead(503).end())
  await expect(downloadWordPress(work, url)).rejects.toThrow(`/wordpress-${release}.tar.gz answered 503`)
})

it('gives up after five seconds without an answer', async () => {
  const url = await site(() => {})
  await expect(downloadWordPress(work, url)).rejects.toThrow('no answer within 5 s')
})
