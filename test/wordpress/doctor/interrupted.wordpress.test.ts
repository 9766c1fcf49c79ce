import { v7 as uuid } from 'uuid'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runChecks } from '../../../src/wordpress/doctor/run-checks.ts'
import { type Fault, type ProxiedRequest, resetAfter, resetBefore } from '../../support/proxy/index.ts'
import { type RestItem, removePost, rest } from '../../support/wordpress/index.ts'
import { through } from '../proxied.ts'
import { clientAs, type Role } from '../site.ts'
import { everything, line } from './lines.ts'

const asked = (method: string, path: string) => (request: ProxiedRequest) =>
  request.method === method && request.path.startsWith(path)

/** A check, from whose first such request on no other reaches the site: an outage, or the end of its process. */
async function interruptedAt(isFirst: (request: ProxiedRequest) => boolean, first: Fault) {
  const { client, proxy } = await through(resetBefore, { match: { where: () => false } })
  let out = false
  const begins = (request: ProxiedRequest) => {
    if (out || !isFirst(request)) return false
    out = true
    return true
  }
  proxy.rule({ where: begins }, first)
  proxy.rule({ where: () => out }, resetBefore)
  const { findings } = await runChecks(client)
  expect(line(findings, 'cleanup')?.level).toBe('warning')
}

describe('what an interrupted check has left', () => {
  it('is removed by one that begins an hour later, and nothing else is', async () => {
    const before = await everything()
    await interruptedAt(asked('POST', '/wp/v2/posts'), resetAfter)
    expect(await everything()).toHaveLength(before.length + 1)
    await interruptedAt(asked('POST', '/wp/v2/media'), resetAfter)
    expect(await everything()).toHaveLength(before.length + 3)
    await interruptedAt(asked('DELETE', '/wp/v2/media'), resetBefore)
    expect(await everything()).toHaveLength(before.length + 6)

    const later = Date.now() + 60 * 60_000
    const title = (msecs?: number) => `Galley connection check ${uuid({ msecs })}`
    const slug = (msecs?: number) => `galley-check-${uuid({ msecs })}`
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
      await make('author', { title: title(later), slug: slug(later) }),
    ]
    const standing = await everything()
    const { client, proxy } = await through(resetBefore, { match: { where: () => false } })
    const { findings } = await runChecks(client, {}, () => later)
    expect(line(findings, 'cleanup')).toMatchObject({
      level: 'ok',
      seen: 'Everything this check created on the site was removed. It also removed 3 drafts and 3 files of earlier checks that were interrupted.',
    })
    expect(await everything()).toHaveLength(standing.length - 6)
    for (const id of kept)
      expect(await rest('administrator', 'GET', `/wp/v2/posts/${id}?context=edit`)).toMatchObject({ id })
    const lists = proxy.requests.filter(
      ({ method, path }) => method === 'GET' && /\/(posts|media)$/.test(path),
    )
    // It is looked for by one list of drafts and one of files; the other list of posts is of what people write in.
    expect(lists.map(({ path }) => path).sort()).toEqual(['/wp/v2/media', '/wp/v2/posts', '/wp/v2/posts'])
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
})
