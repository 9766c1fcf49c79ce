import { afterAll, beforeAll, expect, test } from 'vitest'
import { resetAfter } from '../support/proxy/index.ts'
import { removePost } from '../support/wordpress/index.ts'
import { read, withMore } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage()
})

afterAll(() => stage.close())

test.each(['editor', 'author'] as const)(
  'a title with what looks like a tag keeps it, also where the answer to the fill of an %s is lost',
  async (role) => {
    const { siteId, proxy } = await stage.lane(role)
    const document = stage.documents.make(siteId)
    const title = `${stage.documents.word} Option<T> & 1 < 2`
    proxy.rule({ method: 'POST', path: /\/posts\/\d+$/, nth: 1 }, resetAfter)
    const { status, post } = await stage.deliver(withMore(document, { title, description: title }))
    expect(status).toBe('delivered')
    const { title: shown } = await read(post?.id)
    expect((shown as { rendered: string }).rendered).toMatch(/Option&lt;T(>|&gt;) .* 1 &lt; 2$/)
    await removePost(post?.id as number)
  },
)
