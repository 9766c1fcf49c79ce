import { execFileSync } from 'node:child_process'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { closeServer, listenOnLoopback } from '../../../demo/processes.ts'
import { checkIntegrity, downloadWordPress, release, replaceLinks } from '../../../demo/wordpress/sources.ts'

let work: string

beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'galley-test-sources-'))
})

afterEach(() => rm(work, { recursive: true }))

describe('wordpress.org', () => {
  const stops: (() => Promise<void>)[] = []

  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
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

  test('unpacks the archive of the release that is judged against', async () => {
    const bytes = await archive()
    const asked: (string | undefined)[] = []
    const url = await site((request, response) => {
      asked.push(request.url)
      response.end(bytes)
    })
    const tree = await downloadWordPress(work, { site: url })
    expect(await readFile(join(tree, 'wp-load.php'), 'utf8')).toBe('<?php')
    expect(asked).toEqual([`/wordpress-${release}.tar.gz`])
  })

  test('refuses a page that a network puts in the way', async () => {
    const url = await site((_request, response) => response.end('<html>Please log in to the network</html>'))
    await expect(downloadWordPress(work, { site: url })).rejects.toThrow(
      'answered something else than an archive',
    )
  })

  test('says which status a refusal had', async () => {
    const url = await site((_request, response) => response.writeHead(503).end())
    await expect(downloadWordPress(work, { site: url })).rejects.toThrow(
      `/wordpress-${release}.tar.gz answered 503`,
    )
  })

  test('gives up where no answer comes in time', async () => {
    const url = await site(() => {})
    const answer = downloadWordPress(work, { site: url, answerWithinMs: 50 })
    await expect(answer).rejects.toThrow('no answer within 0.05 s')
  })
})

describe('Debian', () => {
  let tree: string

  beforeEach(async () => {
    tree = join(work, 'usr/share/wordpress')
    await mkdir(tree, { recursive: true })
    await mkdir(join(work, 'usr/share/javascript'))
    await writeFile(join(work, 'usr/share/javascript/lodash.js'), 'lodash')
  })

  test('a relative link becomes the file', async () => {
    await symlink('../javascript/lodash.js', join(tree, 'lodash.js'))
    await replaceLinks(tree, work)
    expect((await lstat(join(tree, 'lodash.js'))).isFile()).toBe(true)
    expect(await readFile(join(tree, 'lodash.js'), 'utf8')).toBe('lodash')
  })

  test('an absolute link is read below the package’s root, never on the machine', async () => {
    await symlink('/usr/share/javascript', join(tree, 'vendor'))
    await symlink('/etc/hostname', join(tree, 'hostname'))
    await replaceLinks(tree, work)
    expect(await readFile(join(tree, 'vendor/lodash.js'), 'utf8')).toBe('lodash')
    expect(await readdir(tree)).toEqual(['vendor'])
  })
})

describe('npm', () => {
  test('an archive with another content than the pinned one is refused', async () => {
    const file = join(work, 'archive.tgz')
    await writeFile(file, 'abc')
    const digest = 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='
    await checkIntegrity(file, `sha256-${digest}`)
    await expect(checkIntegrity(file, `sha256-${digest.toLowerCase()}`)).rejects.toThrow('instead of')
  })
})
