import { afterAll, describe, expect, it } from 'vitest'
import { fetchCurrentUser } from '../../../src/wordpress/discover/current-user.ts'
import { fetchRestIndex } from '../../../src/wordpress/discover/rest-root.ts'
import { checkEditor, detectAuthoringStyle } from '../../../src/wordpress/doctor/checks/plugins.ts'
import { runChecks } from '../../../src/wordpress/doctor/run-checks.ts'
import { type RestItem, removePosts, rest } from '../../support/wordpress/index.ts'
import { clientAs, type Role } from '../site.ts'
import { linesOf, misbehaving } from './misbehaving.ts'

// The posts are the newest of the site, and more with each test.

const IN_BLOCKS = '<!-- wp:paragraph -->\n<p>Hi.</p>\n<!-- /wp:paragraph -->'
const withoutBlocks = Array<string>(5).fill('<p>Hi.</p>')

const made: number[] = []
afterAll(() => removePosts(made))

async function publish(role: Role, ...contents: string[]): Promise<void> {
  for (const content of contents) {
    const fields = { title: 'How people write here', content, status: 'publish' }
    made.push((await rest<RestItem>(role, 'POST', '/wp/v2/posts', fields)).id)
  }
}

const seenBy = async (client = clientAs('editor')) =>
  detectAuthoringStyle(client, { postType: 'posts', user: await fetchCurrentUser(client) })

describe('how posts are written', () => {
  it('is in blocks where one of the newest is, and not by those of Galley’s own user', async () => {
    await publish('administrator', ...withoutBlocks.slice(1), IN_BLOCKS)
    expect(await seenBy()).toBe('blocks')
    await publish('administrator', ...withoutBlocks)
    expect(await seenBy()).toBe('no blocks')
    await publish('editor', IN_BLOCKS)
    expect(await seenBy()).toBe('no blocks')
  })
})

describe('the editor of a site with Classic Editor, for whoever may not see its plugins', () => {
  it('is told to an editor by what other people have written, with the advice', async () => {
    const { findings } = await runChecks(await misbehaving('classic-editor', 'editor'))
    expect(linesOf(findings, 'editor')).toMatchObject([
      {
        level: 'warning',
        seen: expect.stringContaining('written without blocks'),
        todo: expect.stringContaining('set this site to classic markup'),
      },
    ])
  })

  it('cannot be told to an author, who is shown nobody else’s posts as they are edited: the advice is there all the same', async () => {
    const client = await misbehaving('classic-editor', 'author')
    const namespaces = (await fetchRestIndex(client))?.namespaces ?? null
    expect(await checkEditor(client, namespaces, 'auto', () => seenBy(client))).toMatchObject({
      level: 'ok',
      seen: expect.stringContaining('this check cannot tell'),
      means: expect.stringContaining('set this site to classic markup'),
    })
  })
})
