import { describe, expect, it, onTestFinished } from 'vitest'
import { probeDraft } from '../../../src/wordpress/doctor/probes/draft.ts'
import { probeUpload } from '../../../src/wordpress/doctor/probes/upload.ts'
import type { Finding } from '../../../src/wordpress/doctor/report.ts'
import { runChecks } from '../../../src/wordpress/doctor/run-checks.ts'
import { uploadMedia } from '../../../src/wordpress/media/library.ts'
import {
  findMedia,
  findPosts,
  type RestItem,
  removeMedia,
  removePost,
  rest,
} from '../../support/wordpress/index.ts'
import { picture } from '../files.ts'
import { clientAs, unique } from '../site.ts'
import { everything } from './lines.ts'
import { linesOf, misbehaving } from './misbehaving.ts'

const NEWEST = 'orderby=id&order=desc&per_page=20'

/** What is on the site after this that was not before; taken away when the test ends. */
async function madeBy(check: () => Promise<void>): Promise<{ posts: RestItem[]; files: RestItem[] }> {
  const before = { posts: await findPosts(NEWEST), files: await findMedia(NEWEST) }
  const since = (items: RestItem[], known: RestItem[]) => items.filter(({ id }) => id > (known[0]?.id ?? 0))
  await check()
  const posts = since(await findPosts(NEWEST), before.posts)
  const files = since(await findMedia(NEWEST), before.files)
  onTestFinished(async () => {
    for (const { id } of posts) await removePost(id)
    for (const { id } of files) await removeMedia(id)
  })
  return { posts, files }
}

/** What a check makes of its files alone. */
async function uploaded(how: string) {
  const client = await misbehaving(how)
  let probe: Awaited<ReturnType<typeof probeUpload>> | undefined
  const { files } = await madeBy(async () => {
    probe = await probeUpload(client, { marker: unique('galley-check'), lists: true })
  })
  return { files, findings: probe?.findings ?? [], leftBehind: probe?.leftBehind }
}

describe('what the doctor made, and may not know again', () => {
  it('is left and named where plugins rewrite both slug and title of a draft, into which nothing is written', async () => {
    const client = await misbehaving('replaces-titles,random-slugs')
    let findings: Finding[] = []
    const { posts } = await madeBy(async () => {
      findings = (await runChecks(client)).findings
    })
    expect(linesOf(findings, 'slugs')).toMatchObject([
      { level: 'problem', seen: expect.stringContaining('both another slug and another title') },
    ])
    expect(posts).toMatchObject([{ content: { raw: '' } }])
    expect(linesOf(findings, 'cleanup')).toMatchObject([
      {
        level: 'warning',
        seen: expect.stringContaining(`post ${posts[0]?.id} (“Item `),
        todo: expect.stringContaining('under Posts or Media'),
      },
    ])
  })

  it('is found by its slug and removed where a draft is answered with somebody’s post, which stays as it is', async () => {
    const mine = { title: 'Mine', content: 'All of it.', status: 'publish' }
    const { id } = await rest<RestItem>('administrator', 'POST', '/wp/v2/posts', mine)
    onTestFinished(() => removePost(id))
    const before = await everything()
    const client = await misbehaving(`answers-with-post:${id}`)
    const probe = { postType: 'posts', marker: unique('galley-check') }
    const { findings, leftBehind } = await probeDraft(client, probe, async () => undefined)
    expect(linesOf(findings, 'own_answers')).toMatchObject([
      { level: 'problem', seen: expect.stringContaining('showed another post') },
    ])
    expect([leftBehind, await everything()]).toEqual([[], before])
    expect(await rest('administrator', 'GET', `/wp/v2/posts/${id}?context=edit`)).toMatchObject({
      title: { raw: 'Mine' },
      content: { raw: 'All of it.' },
    })
  })

  it('is found by its slug and removed where an upload is answered with somebody’s file, which stays', async () => {
    const marker = unique('mine')
    const { id } = await uploadMedia(clientAs('administrator'), {
      bytes: picture(8, 8),
      mimeType: 'image/png',
      fileName: `${marker}.png`,
      marker,
    })
    onTestFinished(() => removeMedia(id))
    const { findings, files, leftBehind } = await uploaded(`answers-with-file:${id}`)
    expect(linesOf(findings, 'file_slugs')).toMatchObject([
      { level: 'problem', seen: expect.stringContaining('names another file') },
    ])
    expect([leftBehind, files]).toEqual([[], []])
    expect(await findMedia(`include=${id}`)).toHaveLength(1)
  })

  it('is known by its alternative text where plugins rename both the file and its slug', async () => {
    const { findings, files, leftBehind } = await uploaded('renames-attachments,renames-files')
    expect(linesOf(findings, 'file_slugs')).toMatchObject([
      { level: 'warning', seen: expect.stringContaining('both another name and another slug') },
    ])
    expect([leftBehind, files]).toEqual([[], []])
  })

  it('is one file that is left and named where nothing of it stays', async () => {
    const { findings, files, leftBehind } = await uploaded('renames-attachments,renames-files,drops-alt')
    expect(files).toHaveLength(1)
    expect(linesOf(findings, 'right_to_upload')).toMatchObject([{ seen: 'A picture was uploaded.' }])
    expect(leftBehind).toMatchObject([{ what: expect.stringContaining(`file ${files[0]?.id} (`) }])
  })
})
