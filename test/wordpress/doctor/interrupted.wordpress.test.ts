import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { v7 as uuid } from 'uuid'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runChecks } from '../../../src/wordpress/doctor/run-checks.ts'
import {
  type Fault,
  type FaultProxy,
  type ProxiedRequest,
  resetAfter,
  resetBefore,
  stallBefore,
  startFaultProxy,
} from '../../support/proxy/index.ts'
import { type RestItem, removePost, rest } from '../../support/wordpress/index.ts'
import { through } from '../proxied.ts'
import { clientAs, connectionAs, type Role, wordpress } from '../site.ts'
import { everything, line } from './lines.ts'

const asked = (method: string, path: string) => (request: ProxiedRequest) =>
  request.method === method && request.path.startsWith(path)

/** From the first such request on, no other reaches the site. */
function outageFrom(proxy: FaultProxy, isFirst: (request: ProxiedRequest) => boolean, first: Fault): void {
  let out = false
  const begins = (request: ProxiedRequest) => {
    if (out || !isFirst(request)) return false
    out = true
    return true
  }
  proxy.rule({ where: begins }, first)
  proxy.rule({ where: () => out }, resetBefore)
}

/** What a check removes that begins in an hour. */
const cleanup = async (role: Role) =>
  line((await runChecks(clientAs(role), {}, () => Date.now() + 60 * 60_000)).findings, 'cleanup')

describe('what an interrupted check has left', () => {
  // An outage while something is removed leaves what the kill below does.
  it.each([
    ['a draft was made, and its answer is lost', asked('POST', '/wp/v2/posts'), resetAfter, '1 draft'],
    [
      'a file was made, and its answer is lost',
      asked('POST', '/wp/v2/media'),
      resetAfter,
      '1 draft and 1 file',
    ],
  ])('is removed by a later one: the outage began as %s', async (_, isFirst, first, removed) => {
    const before = await everything()
    const { client, proxy } = await through(resetBefore, { match: { where: () => false } })
    outageFrom(proxy, isFirst, first)
    expect(line((await runChecks(client)).findings, 'cleanup')?.level).toBe('warning')
    expect(await everything()).not.toEqual(before)
    expect(await cleanup('author')).toMatchObject({
      level: 'ok',
      seen: `Everything this check created on the site was removed. It also removed ${removed} of earlier checks that were interrupted.`,
    })
    expect(await everything()).toEqual(before)
  })

  it('is removed by a later one where its process was killed', async () => {
    const before = await everything()
    const proxy = await startFaultProxy(wordpress().url)
    onTestFinished(() => proxy.close())
    const reached = new Promise<void>((resolve) => {
      const stalls: Fault = { ...stallBefore, apply: () => resolve() }
      proxy.rule({ where: asked('DELETE', '/wp/v2/media') }, stalls)
    })
    const connection = { ...connectionAs('author'), restRoot: `${proxy.url}/wp-json/` }
    const program = new URL('./interrupted-process.ts', import.meta.url).pathname
    const child = spawn(process.execPath, ['--import', 'tsx', program, JSON.stringify(connection)])
    const ended = once(child, 'close')
    await reached
    child.kill('SIGKILL')
    await ended
    expect(await everything()).not.toEqual(before)
    expect((await cleanup('author'))?.seen).toContain('also removed 1 draft and 2 files')
    expect(await everything()).toEqual(before)
  })

  it('is left alone while that check runs', async () => {
    const seen = 'Everything this check created on the site was removed.'
    const besideAnother: Fault = {
      name: 'another check meanwhile',
      async apply({ forward, reply }) {
        const { findings } = await runChecks(clientAs('author'))
        expect(line(findings, 'cleanup')).toMatchObject({ level: 'ok', seen })
        reply(await forward())
      },
    }
    const { client } = await through(besideAnother, {
      match: { where: asked('DELETE', '/wp/v2/media'), nth: 1 },
    })
    const { findings, level } = await runChecks(client)
    expect([level, line(findings, 'cleanup')]).toMatchObject(['warning', { seen }])
  })

  it('is a draft of this user that nobody has made another’s: everything else stays', async () => {
    const title = () => `Galley connection check ${uuid()}`
    const slug = () => `galley-check-${uuid()}`
    const make = async (role: Role, post: object) => {
      const { id } = await rest<RestItem>(role, 'POST', '/wp/v2/posts', post)
      onTestFinished(() => removePost(id))
      return id
    }
    const kept = [
      await make('editor', { title: title(), slug: slug(), content: 'An editor’s.' }),
      await make('author', { title: title(), status: 'publish', content: 'It is read.' }),
      await make('author', { title: 'A connection check', slug: slug(), content: 'A person’s words.' }),
      await make('author', { title: 'Galley connection check', content: 'How we checked it.' }),
      // As of a check that another process has just begun.
      await make('author', { title: title(), slug: slug() }),
    ]
    const { client, proxy } = await through(resetBefore, { match: { where: () => false } })
    expect(line((await runChecks(client)).findings, 'cleanup')?.seen).not.toContain('also')
    for (const id of kept)
      expect(await rest('administrator', 'GET', `/wp/v2/posts/${id}?context=edit`)).toMatchObject({ id })
    const lists = proxy.requests.filter(
      ({ method, path }) => method === 'GET' && /\/(posts|media)$/.test(path),
    )
    // It is looked for by one list of drafts and one of files; the other list of posts is of what people write in.
    expect(lists.map(({ path }) => path).sort()).toEqual(['/wp/v2/media', '/wp/v2/posts', '/wp/v2/posts'])
  })
})
