import { describe, expect, it, onTestFinished } from 'vitest'
import { fetchCurrentUser } from '../../../src/wordpress/discover/current-user.ts'
import { detectAuthoringStyle } from '../../../src/wordpress/doctor/checks/plugins.ts'
import { runChecks } from '../../../src/wordpress/doctor/run-checks.ts'
import { type RestItem, removePost, rest } from '../../support/wordpress/index.ts'
import { clientAs, type Role } from '../site.ts'
import { linesOf, misbehaving } from './misbehaving.ts'

const IN_BLOCKS = '<!-- wp:paragraph -->\n<p>Hi.</p>\n<!-- /wp:paragraph -->'

/** Published by somebody else, and the newest of the site until the test ends. */
async function publish(...contents: string[]): Promise<void> {
  for (const content of contents) {
    const fields = { title: 'How people write here', content, status: 'publish' }
    const { id } = await rest<RestItem>('administrator', 'POST', '/wp/v2/posts', fields)
    onTestFinished(() => removePost(id))
  }
}

const withoutBlocks = Array<string>(5).fill('<p>Hi.</p>')

describe('the editor of a site with Classic Editor, for whoever may not see its plugins', () => {
  it('is told to an editor by what other people have written, with the advice', async () => {
    await publish(...withoutBlocks)
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
    await publish(...withoutBlocks)
    const { findings } = await runChecks(await misbehaving('classic-editor', 'author'))
    expect(linesOf(findings, 'editor')).toMatchObject([
      {
        level: 'ok',
        seen: expect.stringContaining('this check cannot tell'),
        means: expect.stringContaining('set this site to classic markup'),
      },
    ])
  })
})

describe('how posts are written', () => {
  const seenBy = async (role: Role) => {
    const client = clientAs(role)
    return detectAuthoringStyle(client, { postType: 'posts', user: await fetchCurrentUser(client) })
  }

  it('is in blocks where one of the newest is, and not by those of Galley’s own user', async () => {
    await publish(...withoutBlocks.slice(1), IN_BLOCKS)
    expect(await seenBy('editor')).toBe('blocks')
    await publish(...withoutBlocks)
    expect(await seenBy('editor')).toBe('no blocks')
    const own = { title: 'By Galley', content: IN_BLOCKS, status: 'publish' }
    const { id } = await rest<RestItem>('editor', 'POST', '/wp/v2/posts', own)
    onTestFinished(() => removePost(id))
    expect(await seenBy('editor')).toBe('no blocks')
  })
})
