import type { ServerResponse } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { createRobots } from '../../../src/generation/pipeline/research/fetch-page.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { serve } from '../../outbound/server.ts'

const outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/0.0.0' })
afterAll(() => outbound.close())

/** Which of these paths may be fetched where robots.txt is answered so, and how often it was asked for. */
async function allowed(answer: (response: ServerResponse) => void, ...paths: string[]) {
  let asked = 0
  const site = await serve((_request, response) => {
    asked += 1
    answer(response)
  })
  const robots = createRobots(outbound, new AbortController().signal)
  const allows = await Promise.all(paths.map((path) => robots(new URL(path, site)).catch(() => false)))
  return { allowed: paths.filter((_path, index) => allows[index]), asked }
}

const says = (text: string) => (response: ServerResponse) => response.writeHead(200).end(text)
const status = (code: number) => (response: ServerResponse) => response.writeHead(code).end()

describe('robots.txt', () => {
  it('is asked for once, whatever the number of pages', async () => {
    expect(await allowed(says('User-agent: *\nDisallow: /b'), '/a', '/b', '/c')).toEqual({
      allowed: ['/a', '/c'],
      asked: 1,
    })
  })

  it('that names us is what counts for us', async () => {
    const text = 'User-agent: galley\nDisallow: /ours\n\nUser-agent: *\nDisallow: /theirs\nDisallow: /ours'
    expect((await allowed(says(text), '/ours', '/theirs')).allowed).toEqual(['/theirs'])
  })

  it.each([404, 401, 403, 410])('that is answered by %i allows all', async (code) => {
    expect((await allowed(status(code), '/a')).allowed).toEqual(['/a'])
  })

  it.each([500, 503, 429])('that is answered by %i forbids all', async (code) => {
    expect((await allowed(status(code), '/a')).allowed).toEqual([])
  })

  it('that breaks off forbids all', async () => {
    expect((await allowed((response) => response.socket?.destroy(), '/a')).allowed).toEqual([])
  })

  it('that is longer than anybody reads forbids all', async () => {
    const { allowed: paths } = await allowed(
      says(`${'# long\n'.repeat(100_000)}User-agent: *\nDisallow:`),
      '/a',
    )
    expect(paths).toEqual([])
  })

  it('with patterns that take long to compare forbids the long addresses', async () => {
    const text = `User-agent: *\nDisallow: /${'*a'.repeat(200_000)}`
    expect((await allowed(says(text), '/a', `/${'a'.repeat(500)}`)).allowed).toEqual(['/a'])
  })

  it('of many agents with many rules each forbids all', async () => {
    // The parser would keep 25 million rules of this, and the process would end for want of memory.
    const text = `${'User-agent: *\n'.repeat(5_000)}${'Disallow: /b\n'.repeat(5_000)}`
    expect((await allowed(says(text), '/a', '/b')).allowed).toEqual([])
  })

  it('with many rules forbids the long addresses', async () => {
    const text = `User-agent: *\n${'Disallow:/b\n'.repeat(40_000)}`
    expect((await allowed(says(text), '/a', `/${'a'.repeat(4_000)}`)).allowed).toEqual(['/a'])
  })

  it('counts whole groups, with each agent that they name, wherever they stand', async () => {
    const text =
      'Disallow: /nobody\nUSER-AGENT: Other\nUser-Agent: Galley/2.0 # us\nDisallow: /one\nSitemap: x\n\n' +
      'User-agent: *\nDisallow: /theirs\nUser-agent: galley\n\nAllow: /one/not\nDisallow: /t*o$'
    const paths = ['/nobody', '/one', '/one/not', '/two', '/two/', '/theirs']
    expect((await allowed(says(text), ...paths)).allowed).toEqual(['/nobody', '/one/not', '/two/', '/theirs'])
  })

  it('has groups that only rules end: RFC 9309, 2.2.4', async () => {
    const text = 'User-agent: Galley\nSitemap: x\nCrawl-delay: 1\nUser-agent: Other\nDisallow: /ours'
    expect((await allowed(says(text), '/ours', '/theirs')).allowed).toEqual(['/theirs'])
  })
})
